#include "engine/initial_table.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

#include "engine/begin_run.h"
#include "engine/compose.h"
#include "engine/finish_run.h"
#include "engine/initial_plan.h"
#include "engine/initial_start.h"
#include "engine/island_errors.h"
#include "engine/islands.h"
#include "engine/ranges.h"
#include "engine/watch.h"

namespace hyla::engine {

/// The equations of a cluster's start over all quantities in them, those that are given too.
struct StartTable::Structure {
  structure::Incidence incidence;
  structure::Matching matching;
  std::vector<std::uint32_t> entry_of_column;
  std::vector<std::uint32_t> block_of_row;
  std::vector<std::vector<std::uint32_t>> readers;  ///< by block: blocks that need it directly
  std::vector<std::vector<std::uint32_t>> columns_of_block;
};

StartTable::StartTable() = default;
StartTable::~StartTable() = default;
StartTable::StartTable(StartTable&&) noexcept = default;

bool is_changed(const StartEntry& entry) {
  return entry.origin == StartOrigin::Chosen || (entry.before && entry.value != *entry.before);
}

std::vector<std::uint32_t> StartTable::alternatives(std::uint32_t entry) const {
  const StartEntry& record = entries[entry];
  std::vector<std::uint32_t> result;
  if (record.column == kNone) return result;
  const Structure& structure = *clusters_[record.cluster];
  structure::Exchange exchange(structure.incidence);
  const bool is_given = structure.matching.equation_of_unknown[record.column] == structure::kNothing;
  for (const std::uint32_t column : is_given ? exchange.leaving_for(structure.matching, record.column)
                                             : exchange.entering_for(structure.matching, record.column)) {
    if (structure.entry_of_column[column] != kNone) result.push_back(structure.entry_of_column[column]);
  }
  std::sort(result.begin(), result.end());
  return result;
}

std::vector<std::uint32_t> StartTable::dependants(std::uint32_t entry) const {
  const StartEntry& record = entries[entry];
  std::vector<std::uint32_t> result;
  if (record.column == kNone) return result;
  const Structure& structure = *clusters_[record.cluster];
  std::vector<std::uint8_t> seen(structure.readers.size());
  std::vector<std::uint32_t> pending;
  const auto reach = [&](std::uint32_t block) {
    if (std::exchange(seen[block], 1) == 0) pending.push_back(block);
  };
  if (record.block != kNone) reach(record.block);
  for (std::uint32_t row = 0; record.block == kNone && row < structure.incidence.equations(); ++row) {
    const auto first = structure.incidence.columns.begin() + structure.incidence.starts[row];
    const auto last = structure.incidence.columns.begin() + structure.incidence.starts[row + 1];
    if (std::find(first, last, record.column) != last) reach(structure.block_of_row[row]);
  }
  for (std::size_t i = 0; i < pending.size(); ++i) {
    for (const std::uint32_t column : structure.columns_of_block[pending[i]]) {
      const std::uint32_t other = structure.entry_of_column[column];
      if (other != kNone && other != entry) result.push_back(other);
    }
    for (const std::uint32_t reader : structure.readers[pending[i]]) reach(reader);
  }
  std::sort(result.begin(), result.end());
  return result;
}

class TableMaker {
 public:
  TableMaker(World& world, const RunOptions& options, diag::Sink& sink)
      : world_(world), run_(world, options, nullptr, sink, host_) {}

  StartTable make() {
    name_entries();
    begin_run(run_, host_);
    for (Object& object : world_.objects) {
      if (object.exists && object.cluster != kNone) note_entered(run_, object, kNone);
    }
    if (!run_.over) refresh(run_);
    if (!run_.over) refresh_clusters(run_, true);
    each_configured([&](Cluster& cluster) { values_are_numbers(run_, cluster); });
    table_.solved = !run_.over;
    if (table_.solved) tell_ranges();
    for (const std::unique_ptr<Cluster>& cluster : world_.clusters) describe(cluster.get());
    for (StartEntry& entry : table_.entries) finish(entry);
    sort_entries();
    drop_pending(run_);
    return std::move(table_);
  }

 private:
  /// Tells what has been found outside its range.
  void tell_ranges() {
    each_configured([&](Cluster& cluster) { look_at_settled(run_, cluster); });
    tell_departures(run_);
  }

  /// As long as the run is not over.
  template <class Visit>
  void each_configured(Visit&& visit) {
    for (const std::unique_ptr<Cluster>& cluster : world_.clusters) {
      if (cluster && cluster->configuration != nullptr && !run_.over) visit(*cluster);
    }
  }

  /// All variables with the values that they have before anything is computed.
  void name_entries() {
    for (const StartName& name : start_names(world_)) {
      by_place_[name.place] = static_cast<std::uint32_t>(table_.entries.size());
      StartEntry entry;
      entry.name = name.name;
      entry.own_name = name.name.substr(length_of_path(name.place.object));
      entry.object = name.place.object;
      entry.variable = name.variable;
      entry.is_parameter = world_.model.variables[name.variable].is_fixed();
      const model::Variable& variable = world_.model.variables[name.variable];
      const bool of_state = static_cast<bool>(world_.model.bodies[variable.body].state);
      if ((entry.is_parameter || variable.initial) && !of_state) entry.before = number_at(name.place);
      const StartChoice* choice = world_.starts->value(name.place);
      if (choice != nullptr && choice->value) entry.before = choice->value;
      if (choice != nullptr && choice->guess) entry.before = choice->guess;
      entry.origin = choice != nullptr ? choice->origin : StartOrigin::Declared;
      if (entry.origin == StartOrigin::Declared &&
          world_.starts->arguments.contains({name.place.object.index, name.place.slot})) {
        entry.origin = StartOrigin::Argument;
      }
      table_.entries.push_back(std::move(entry));
      places_.push_back(name.place);
    }
  }

  /// Of what stands before the names of an object's own variables.
  std::size_t length_of_path(ObjectRef object) const {
    const std::string path = world_.path(object);
    const std::size_t dot = path.find('.');
    return dot == std::string::npos ? 0 : path.size() - dot;
  }

  double number_at(const Place& place) const {
    const Slot& slot = world_.object(place.object).slots[place.slot];
    return place.element == kNone ? slot.real : slot.box->slots()[place.element].real;
  }

  /// Variables without a part in a cluster: parameters, and formulas over what does not vary.
  void finish(StartEntry& entry) {
    const auto number = static_cast<std::size_t>(&entry - table_.entries.data());
    if (number < places_.size() && !entry.is_open) entry.value = number_at(places_[number]);
    if (entry.cluster != kNone) return;
    const model::Variable& variable = world_.model.variables[entry.variable];
    if (variable.is_fixed() || !variable.binding || variable.kind == model::VariableKind::Input) return;
    entry.status = StartStatus::Computed;
    entry.has_equation = true;
    entry.equation = variable.span;
  }

  /// Puts derivatives behind their variables.
  void sort_entries() {
    std::vector<std::uint32_t> order(table_.entries.size()), places(order.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return variable_of(a) < variable_of(b); });
    std::vector<StartEntry> sorted;
    for (const std::uint32_t entry : order) {
      places[entry] = static_cast<std::uint32_t>(sorted.size());
      sorted.push_back(std::move(table_.entries[entry]));
    }
    table_.entries = std::move(sorted);
    for (const std::unique_ptr<StartTable::Structure>& structure : table_.clusters_) {
      for (std::uint32_t& entry : structure->entry_of_column) {
        if (entry != kNone) entry = places[entry];
      }
    }
  }

  std::uint32_t variable_of(std::uint32_t entry) const {
    return entry < places_.size() ? entry : derivatives_of_[entry - places_.size()];
  }

  std::uint32_t new_derivative(std::uint32_t of) {
    const auto number = static_cast<std::uint32_t>(table_.entries.size());
    StartEntry entry = table_.entries[of];
    entry.name = "der(" + entry.name + ")";
    entry.own_name = "der(" + entry.own_name + ")";
    entry.origin = StartOrigin::Declared;
    entry.before.reset();
    if (const StartChoice* choice = world_.starts->derivative(places_[of])) entry.origin = choice->origin;
    table_.entries.push_back(std::move(entry));
    derivatives_of_.push_back(of);
    return number;
  }

  void describe(const Cluster* cluster) {
    table_.clusters_.push_back(std::make_unique<StartTable::Structure>());
    const StartPlan* plan = cluster == nullptr ? nullptr : cluster->start;
    if (plan == nullptr) return;
    table_.fits = table_.fits && plan->configuration->misfit.kind == Misfit::Kind::None;
    if (!table_.fits) return;
    cluster_ = cluster;
    StartTable::Structure& structure = *table_.clusters_.back();
    add_columns(*plan, structure);
    structure.block_of_row.assign(plan->system.equations.size(), 0);
    add_rows(*plan, structure);
    add_blocks(*plan, structure);
    table_.unknowns += plan->system.unknowns.size();
    if (cluster->failed_loop != kNone) mark_open(*plan, structure, cluster->failed_loop);
  }

  /// What belongs to a loop that was not solved, and everything behind it.
  void mark_open(const StartPlan& plan, const StartTable::Structure& structure, std::uint32_t loop) {
    const std::vector<structure::Block>& blocks = plan.system.blocks;
    const auto failed = std::find_if(blocks.begin(), blocks.end(),
                                     [&](const structure::Block& block) { return block.is_loop && loop-- == 0; });
    for (auto block = failed; block != blocks.end(); ++block) {
      for (const std::uint32_t column : block->unknowns) {
        const std::uint32_t entry = structure.entry_of_column[column];
        if (entry != kNone) table_.entries[entry].is_open = true;
      }
    }
  }

  /// Unknowns first, as the system numbers them; then what is given.
  void add_columns(const StartPlan& plan, StartTable::Structure& structure) {
    const Shape& shape = *plan.configuration->shape;
    column_at_.assign(shape.size, kNone);
    std::vector<std::uint32_t> variable_at(shape.size, kNone), derivative_at(shape.size, kNone);
    for (std::uint32_t i = 0; i < shape.variables.size(); ++i) {
      variable_at[shape.variables[i].value] = i;
      if (shape.variables[i].derivative != kNowhere) derivative_at[shape.variables[i].derivative] = i;
    }
    const auto add = [&](At at, StartStatus status) {
      const std::uint32_t variable = variable_at[at] != kNone ? variable_at[at] : derivative_at[at];
      std::uint32_t entry = variable == kNone ? kNone : entry_of(shape.variables[variable]);
      if (entry != kNone && variable_at[at] == kNone) entry = new_derivative(entry);
      column_at_[at] = static_cast<std::uint32_t>(structure.entry_of_column.size());
      structure.entry_of_column.push_back(entry);
      if (entry == kNone) return;
      StartEntry& record = table_.entries[entry];
      record.cluster = static_cast<std::uint32_t>(table_.clusters_.size() - 1);
      record.column = column_at_[at];
      record.status = status;
      record.value = cluster_->values.size() > at ? cluster_->values[at] : 0;
    };
    for (const At at : plan.system.unknowns) {
      const bool is_free = variable_at[at] != kNone && shape.variables[variable_at[at]].start == StartRole::Free;
      add(at, is_free ? StartStatus::Free : StartStatus::Computed);
    }
    for (const std::uint32_t number : plan.system.equations) {
      for (const At at : places_in(shape, number)) {
        const std::uint32_t variable = variable_at[at] != kNone ? variable_at[at] : derivative_at[at];
        if (column_at_[at] == kNone && variable != kNone && may_be_free(shape.variables[variable])) {
          add(at, StartStatus::Fixed);
        }
      }
    }
  }

  static std::vector<At> places_in(const Shape& shape, std::uint32_t number) {
    const ShapeEquation& equation = shape.equations[number];
    std::vector<At> places = equation.operands;
    if (const At subject = own_place(shape, equation); subject != kNowhere) places.push_back(subject);
    return places;
  }

  /// None for derivatives that only the reduction of the index has brought in.
  std::uint32_t entry_of(const ShapeVariable& variable) const {
    if (variable.derivative_of != kNone) return kNone;
    const auto found = by_place_.find({cluster_->objects[variable.object], variable.slot, variable.element});
    return found == by_place_.end() ? kNone : found->second;
  }

  /// Whether a given value could be computed instead.
  bool may_be_free(const ShapeVariable& variable) {
    if (!variable.id || variable.type != model::TypeKind::Real) return false;
    const model::VariableKind kind = world_.model.variables[variable.id].kind;
    if (kind == model::VariableKind::Var || kind == model::VariableKind::Output) return true;
    if (kind != model::VariableKind::Parameter) return false;
    const auto [entry, added] = can_be_freed_.try_emplace(variable.id, false);
    diag::Span why;
    if (added) entry->second = can_be_freed(world_.model, variable.id, why);
    return entry->second;
  }

  void add_rows(const StartPlan& plan, StartTable::Structure& structure) {
    structure.incidence.unknowns = structure.entry_of_column.size();
    structure.matching = plan.system.matching;
    structure.matching.unknown_of_equation.resize(plan.system.equations.size(), structure::kNothing);
    structure.matching.equation_of_unknown.resize(structure.incidence.unknowns, structure::kNothing);
    for (const std::uint32_t number : plan.system.equations) {
      std::vector<std::uint32_t> columns;
      for (const At at : places_in(*plan.configuration->shape, number)) {
        if (column_at_[at] != kNone) columns.push_back(column_at_[at]);
      }
      std::sort(columns.begin(), columns.end());
      columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
      structure.incidence.columns.insert(structure.incidence.columns.end(), columns.begin(), columns.end());
      structure.incidence.starts.push_back(static_cast<std::uint32_t>(structure.incidence.columns.size()));
    }
    structure.incidence.explicit_for.assign(structure.incidence.columns.size(), 0);
  }

  void add_blocks(const StartPlan& plan, StartTable::Structure& structure) {
    const std::vector<structure::Block>& blocks = plan.system.blocks;
    structure.readers.resize(blocks.size());
    structure.columns_of_block.resize(blocks.size());
    std::vector<std::uint32_t> block_of_column(structure.incidence.unknowns, kNone);
    for (std::uint32_t b = 0; b < blocks.size(); ++b) {
      structure.columns_of_block[b] = blocks[b].unknowns;
      for (const std::uint32_t row : blocks[b].equations) structure.block_of_row[row] = b;
      for (const std::uint32_t column : blocks[b].unknowns) {
        block_of_column[column] = b;
        if (structure.entry_of_column[column] == kNone) continue;
        StartEntry& entry = table_.entries[structure.entry_of_column[column]];
        entry.block = b;
        const std::uint32_t row = structure.matching.equation_of_unknown[column];
        entry.has_equation = true;
        entry.equation = plan.configuration->shape->equations[plan.system.equations[row]].span;
      }
      for (const std::uint32_t column : blocks[b].tears) {
        ++table_.iterated;
        const std::uint32_t entry = structure.entry_of_column[column];
        if (entry != kNone) table_.entries[entry].is_iterated = true;
      }
    }
    for (std::uint32_t row = 0; row < structure.incidence.equations(); ++row) {
      for (std::uint32_t k = structure.incidence.starts[row]; k < structure.incidence.starts[row + 1]; ++k) {
        const std::uint32_t from = block_of_column[structure.incidence.columns[k]];
        if (from != kNone && from != structure.block_of_row[row]) {
          structure.readers[from].push_back(structure.block_of_row[row]);
        }
      }
    }
    table_.blocks += blocks.size();
  }

  World& world_;
  RunHost host_;
  Run run_;
  StartTable table_;
  std::vector<Place> places_;                  ///< by entry, without derivatives
  std::vector<std::uint32_t> derivatives_of_;  ///< by derivative, which come behind: the entry of its variable
  std::unordered_map<Place, std::uint32_t, PlaceHash> by_place_;
  std::map<model::VariableId, bool> can_be_freed_;
  // Of the cluster under way.
  const Cluster* cluster_ = nullptr;
  std::vector<std::uint32_t> column_at_;
};

StartTable find_start_table(World& world, const RunOptions& options, diag::Sink& sink) {
  return TableMaker(world, options, sink).make();
}

}  // namespace hyla::engine
