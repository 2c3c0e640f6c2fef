// Gives every member of every class its slot, bases before what extends them. A member is known by its path: the names
// of the states around it, then its own. What the base has keeps the base's slot.
#include "code/layout.h"

#include <string>
#include <unordered_map>

#include "code/heap.h"
#include "code/watched.h"

namespace hyla::code {
namespace {

using model::BodyId;
using model::ClassId;

/// The slots and numbers of one class by path; a derived class starts with a copy of its base's.
struct Names {
  std::unordered_map<std::string, std::uint32_t> slots, states, processes, signals, ports;
};

class Placement {
 public:
  explicit Placement(const model::Model& model) : model_(model), names_(model.classes.size()), done_(names_.size()) {
    layout_.classes.resize(model.classes.size());
    layout_.variables.assign(model.variables.size(), Layout::kNoSlot);
    layout_.parts.assign(model.parts.size(), Layout::kNoSlot);
    layout_.ports.assign(model.ports.size(), Layout::kNoSlot);
    layout_.mailboxes.assign(model.mailboxes.size(), Layout::kNoSlot);
    layout_.statistics.assign(model.statistics.size(), Layout::kNoSlot);
    layout_.charts.assign(model.charts.size(), Layout::kNoSlot);
    layout_.state_numbers.assign(model.states.size(), Layout::kNoSlot);
    layout_.process_numbers.assign(model.processes.size(), Layout::kNoSlot);
    layout_.signal_numbers.assign(model.signals.size(), Layout::kNoSlot);
    layout_.port_numbers.assign(model.ports.size(), Layout::kNoSlot);
  }

  Layout place() {
    for (std::size_t i = 0; i < model_.classes.size(); ++i) place(ClassId(i));
    for (std::size_t i = 0; i < model_.classes.size(); ++i) mark_watched(model_, layout_, ClassId(i));
    return std::move(layout_);
  }

 private:
  void place(ClassId id) {
    if (done_[id.index]) return;
    done_[id.index] = true;
    const model::Class& record = model_.classes[id];
    if (record.base) {
      place(record.base);
      names_[id.index] = names_[record.base.index];
      layout_.classes[id.index] = layout_.classes[record.base.index];
    }
    class_ = id.index;
    if (record.body) body(record.body, "");
  }

  std::uint32_t slot(const std::string& path, SlotUse use) {
    std::vector<SlotUse>& slots = layout_.classes[class_].slots;
    const auto [entry, added] = names_[class_].slots.try_emplace(path, static_cast<std::uint32_t>(slots.size()));
    if (added) slots.push_back(use);
    return entry->second;
  }
  static std::uint32_t number(std::unordered_map<std::string, std::uint32_t>& names, const std::string& path,
                              std::uint32_t& count) {
    const auto [entry, added] = names.try_emplace(path, count);
    if (added) ++count;
    return entry->second;
  }
  std::string path_of(const std::string& place, model::SymbolId name) const {
    return place + "." + std::string(model_.name(name));
  }
  static SlotUse use_of(model::ShapeId shape) { return shape ? SlotUse::Box : SlotUse::Plain; }

  void body(BodyId id, const std::string& place) {
    const model::Body& record = model_.bodies[id];
    for (const auto member : record.variables) {
      const model::Variable& variable = model_.variables[member];
      layout_.variables[member.index] =
          slot(path_of(place, variable.name), is_boxed(variable.type) ? SlotUse::Box : SlotUse::Plain);
    }
    for (const auto member : record.parts) {
      const model::Part& part = model_.parts[member];
      layout_.parts[member.index] = slot(path_of(place, part.name), use_of(part.shape));
    }
    for (const auto member : record.mailboxes) {
      const model::Mailbox& mailbox = model_.mailboxes[member];
      layout_.mailboxes[member.index] = slot(path_of(place, mailbox.name), use_of(mailbox.shape));
    }
    for (const auto member : record.statistics) {
      layout_.statistics[member.index] = slot(path_of(place, model_.statistics[member].name), SlotUse::Plain);
    }
    numbered(record, place);
    inner(record, place);
  }

  /// Members that the host knows by their number in the class.
  void numbered(const model::Body& record, const std::string& place) {
    ClassLayout& layout = layout_.classes[class_];
    Names& names = names_[class_];
    for (const auto member : record.ports) {
      const model::Port& port = model_.ports[member];
      const std::string path = path_of(place, port.name);
      layout_.ports[member.index] = slot(path, use_of(port.shape));
      layout_.port_numbers[member.index] = number(names.ports, path, layout.ports);
    }
    for (const auto member : record.processes) {
      layout_.process_numbers[member.index] =
          number(names.processes, path_of(place, model_.processes[member].name), layout.processes);
    }
    for (const auto member : record.signals) {
      layout_.signal_numbers[member.index] =
          number(names.signals, path_of(place, model_.signals[member].name), layout.signals);
    }
  }

  /// Charts, states, families and conditional bodies; those without a name are known by their place in the body.
  void inner(const model::Body& record, const std::string& place) {
    std::size_t anonymous = 0;
    for (const auto member : record.charts) {
      const model::Chart& chart = model_.charts[member];
      const std::string path =
          chart.name ? path_of(place, chart.name) : place + ".chart " + std::to_string(anonymous++);
      layout_.charts[member.index] = slot(path, SlotUse::Plain);
      for (const auto state : chart.states) {
        const std::string state_path = path_of(path, model_.states[state].name);
        layout_.state_numbers[state.index] = number(names_[class_].states, state_path, layout_.classes[class_].states);
        if (model_.states[state].body) body(model_.states[state].body, state_path);
      }
    }
    for (std::size_t i = 0; i < record.families.size(); ++i) {
      body(record.families[i].body, place + ".for " + std::to_string(i));
    }
    for (std::size_t i = 0; i < record.conditionals.size(); ++i) {
      const model::Conditional& conditional = record.conditionals[i];
      if (conditional.then_body) body(conditional.then_body, place + ".if " + std::to_string(i));
      if (conditional.else_body) body(conditional.else_body, place + ".else " + std::to_string(i));
    }
  }

  const model::Model& model_;
  Layout layout_;
  std::vector<Names> names_;
  std::vector<bool> done_;
  std::size_t class_ = 0;
};

}  // namespace

Layout lay_out(const model::Model& model) { return Placement(model).place(); }

std::uint32_t slot_of(const Layout& layout, const model::Expr& entity) {
  switch (entity.entity) {
    case model::EntityKind::Variable:
      return layout.variables[entity.ref];
    case model::EntityKind::Part:
      return layout.parts[entity.ref];
    case model::EntityKind::Port:
      return layout.ports[entity.ref];
    case model::EntityKind::Mailbox:
      return layout.mailboxes[entity.ref];
    case model::EntityKind::Statistic:
      return layout.statistics[entity.ref];
    case model::EntityKind::Chart:
      return layout.charts[entity.ref];
    default:
      return Layout::kNoSlot;
  }
}

std::uint32_t array_slot(const model::Model& model, const Layout& layout, const model::Expr& entity) {
  if (entity.op != model::Op::Entity || entity.type.rank == 0) return Layout::kNoSlot;
  if (entity.entity == model::EntityKind::Variable) return slot_of(layout, entity);
  if (entity.entity != model::EntityKind::Plug) return Layout::kNoSlot;
  const std::vector<model::VariableId>& variables = model.plugs[model::PlugId(entity.ref)].variables;
  return variables.empty() ? Layout::kNoSlot : layout.variables[variables[0].index];
}

}  // namespace hyla::code
