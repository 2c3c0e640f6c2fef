#include "engine/gather.h"

#include <algorithm>
#include <array>
#include <unordered_set>
#include <utility>

#include "engine/compiled_model.h"
#include "engine/configure.h"
#include "engine/island.h"
#include "engine/make_shape.h"
#include "engine/plug_sets.h"

namespace hyla::engine {
namespace {

/// Sets that grow together.
class Union {
 public:
  explicit Union(std::size_t size) : parent_(size) {
    for (std::size_t i = 0; i < size; ++i) parent_[i] = static_cast<std::uint32_t>(i);
  }
  std::uint32_t find(std::uint32_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(std::uint32_t a, std::uint32_t b) {
    a = find(a);
    b = find(b);
    if (a != b) parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::uint32_t> parent_;
};

/// A parameter that the start computes is one with what depends on it.
bool is_freed(World& world, const Leaf& leaf) {
  if (leaf.kind != Leaf::Kind::Value) return false;
  const model::VariableId id = variable_at(world, world.object(leaf.place.object).object_class, leaf.place.slot);
  return id && world.model.variables[id].is_fixed() && world.is_freed(id);
}

/// A given quantity with respect to which derivatives are wanted is treated as if it varied.
bool is_probed(const World& world, const Leaf& leaf) {
  return leaf.kind == Leaf::Kind::Value && world.starts->is_probed(leaf.place);
}

bool is_formula(const EquationInstance& equation) {
  return equation.scalar.form == model::EquationForm::Formula && !equation.hold;
}

}  // namespace

Gatherer::Gatherer(World& world, diag::Sink& sink)
    : world_(world), sink_(sink), memory_(*world.gathering), collection_(world, memory_, sink) {
  memory_.scalariser->tell(sink);
}

bool Gatherer::collect(const std::vector<ObjectRef>& objects, const std::function<void(std::uint32_t)>& dissolve) {
  const std::size_t errors = sink_.error_count();
  dissolve_ = &dissolve;
  std::size_t collected = 0;
  for (const ObjectRef object : objects) take_in(object);
  while (collected < objects_.size()) {
    const std::vector<ObjectRef> fresh(objects_.begin() + static_cast<std::ptrdiff_t>(collected), objects_.end());
    collected = objects_.size();
    collection_.add_equations(fresh);
    if (sink_.error_count() > errors) return false;
    find_varying();
    const bool all_discrete = varying_.empty() && world_.clusters.size() == world_.free_clusters.size();
    has_conditions_ = !all_discrete;
    if (has_conditions_) collection_.add_conditions(fresh, [this](const Place& place) { return varies(place); });
    if (sink_.error_count() > errors) return false;
    find_neighbours();
  }
  return true;
}

bool Gatherer::make() {
  const std::size_t errors = sink_.error_count();
  arrange();
  make_clusters();
  if (sink_.error_count() > errors) return false;
  if (memory_.is_complete) note_lone();
  world_.opaques.clear();  // shapes have their own
  return true;
}

/// With the whole cluster to which the object belonged.
void Gatherer::take_in(ObjectRef object) {
  if (!is_there(world_, object) || is_inside(object)) return;
  const std::uint32_t cluster = world_.object(object).cluster;
  std::vector<ObjectRef> members;
  if (cluster != kNone) {
    for (const ObjectRef member : world_.clusters[cluster]->objects) {
      if (world_.object(member).cluster == cluster) members.push_back(member);
    }
    (*dissolve_)(cluster);
  } else {
    members.push_back(object);
  }
  for (const ObjectRef member : members) {
    if (!is_there(world_, member) || is_inside(member)) continue;
    numbers_.emplace(member.index, static_cast<std::uint32_t>(objects_.size()));
    objects_.push_back(member);
  }
}

// --- what can vary --------------------------------------------------------------------------------

bool Gatherer::varies(const Place& place) const {
  if (is_inside(place.object)) return varying_.contains(place);
  const Object& object = world_.object(place.object);
  if (object.cluster == kNone) return false;
  const std::vector<std::uint64_t>& varying = world_.clusters[object.cluster]->shape->varying;
  return std::binary_search(varying.begin(), varying.end(), std::uint64_t{object.cluster_member} << 32 | place.slot);
}

void Gatherer::find_varying() {
  varying_.clear();
  std::vector<Place> fresh;
  const auto vary = [&](const Place& place) {
    if (varying_.try_emplace(place, true).second) fresh.push_back(place);
  };
  for (const EquationInstance& equation : collection_.equations) {
    if (equation.hold) continue;
    const ScalarEquation& scalar = equation.scalar;
    const bool formula = scalar.form == model::EquationForm::Formula;
    if (scalar.form == model::EquationForm::Derivative) vary(scalar.subject);
    for (const Leaf& leaf : scalar.operands) {
      if (leaf.kind == Leaf::Kind::Derivative || is_freed(world_, leaf) || is_probed(world_, leaf)) vary(leaf.place);
      if (formula && (leaf.kind == Leaf::Kind::Time || leaf.kind == Leaf::Kind::Derivative)) vary(scalar.subject);
      const bool implicit = scalar.form == model::EquationForm::Implicit && leaf.kind == Leaf::Kind::Value;
      if (implicit && can_be_unknown(world_, leaf.place)) vary(leaf.place);
    }
  }
  find_circles(vary);
  find_forces(vary);
  while (!fresh.empty()) {
    const Place place = fresh.back();
    fresh.pop_back();
    const auto found = collection_.readers.find(place);
    if (found == collection_.readers.end()) continue;
    for (const std::uint32_t number : found->second) {
      const EquationInstance& equation = collection_.equations[number];
      if (is_formula(equation)) vary(equation.scalar.subject);
    }
  }
}

/// Formulas that remain when all that can be put in an order has been taken away.
template <class Vary>
void Gatherer::find_circles(Vary&& vary) {
  const std::vector<EquationInstance>& equations = collection_.equations;
  std::vector<std::uint32_t> waits(equations.size());
  std::unordered_map<Place, std::uint32_t, PlaceHash> open;  // formulas for a place that are not done
  std::vector<std::uint32_t> ready;
  for (const EquationInstance& equation : equations) {
    if (is_formula(equation)) ++open[equation.scalar.subject];
  }
  for (std::uint32_t i = 0; i < equations.size(); ++i) {
    if (!is_formula(equations[i])) continue;
    for (const Leaf& leaf : equations[i].scalar.operands) {
      if (leaf.kind == Leaf::Kind::Value && open.contains(leaf.place)) ++waits[i];
    }
    if (waits[i] == 0) ready.push_back(i);
  }
  while (!ready.empty()) {
    const Place place = equations[ready.back()].scalar.subject;
    ready.pop_back();
    if (--open[place] > 0) continue;
    open.erase(place);
    const auto found = collection_.readers.find(place);
    if (found == collection_.readers.end()) continue;
    for (const std::uint32_t reader : found->second) {
      if (!is_formula(equations[reader])) continue;
      for (const Leaf& leaf : equations[reader].scalar.operands) {
        if (leaf.kind == Leaf::Kind::Value && leaf.place == place && --waits[reader] == 0) ready.push_back(reader);
      }
    }
  }
  for (const auto& entry : open) vary(entry.first);
}

/// A force is given in some states, `pull = 0`, and is what a constraint needs in others.
template <class Vary>
void Gatherer::find_forces(Vary&& vary) {
  const std::vector<EquationInstance>& equations = collection_.equations;
  std::unordered_set<Place, PlaceHash> given;
  for (const EquationInstance& equation : equations) {
    const Place& subject = equation.scalar.subject;
    if (!is_formula(equation) || equation.state == kNone || varying_.contains(subject)) continue;
    const model::VariableId id = variable_at(world_, world_.object(subject.object).object_class, subject.slot);
    if (can_be_unknown(world_, subject) && !world_.model.variables[id].initial) given.insert(subject);
  }
  if (given.empty()) return;
  std::unordered_set<std::uint32_t> constrained;  // objects
  const auto is_differentiated = [&](const Leaf& leaf) {
    return leaf.kind == Leaf::Kind::Value && varying_.contains(leaf.place);
  };
  for (const EquationInstance& equation : equations) {
    const std::vector<Leaf>& operands = equation.scalar.operands;
    const bool has_derivative = std::any_of(operands.begin(), operands.end(),
                                            [](const Leaf& leaf) { return leaf.kind == Leaf::Kind::Derivative; });
    if (has_derivative || equation.scalar.form == model::EquationForm::Derivative || equation.state == kNone) continue;
    const bool is_constraint = is_formula(equation) ? varying_.contains(equation.scalar.subject)
                                                    : std::any_of(operands.begin(), operands.end(), is_differentiated);
    if (is_constraint) constrained.insert(equation.object.index);
  }
  for (const EquationInstance& equation : equations) {
    if (equation.scalar.form != model::EquationForm::Derivative) continue;
    if (!constrained.contains(equation.object.index)) continue;
    for (const Leaf& leaf : equation.scalar.operands) {
      if (leaf.kind == Leaf::Kind::Value && given.contains(leaf.place)) vary(leaf.place);
    }
  }
}

// --- who else is concerned ------------------------------------------------------------------------

void Gatherer::look_outside(const EquationInstance& equation) {
  const ScalarEquation& scalar = equation.scalar;
  bool shares = false;
  for (const Leaf& leaf : scalar.operands) {
    if (leaf.kind != Leaf::Kind::Value && leaf.kind != Leaf::Kind::Derivative) continue;
    if (leaf.kind != Leaf::Kind::Derivative && !varies(leaf.place)) continue;
    shares = true;
    take_in(leaf.place.object);
  }
  const bool has_subject = scalar.form != model::EquationForm::Implicit;
  if (!shares && !(has_subject && varying_.contains(scalar.subject))) return;
  take_in(equation.object);
  if (has_subject) take_in(scalar.subject.object);
}

void Gatherer::find_neighbours() {
  for (std::size_t i = 0; i < collection_.equations.size(); ++i) look_outside(collection_.equations[i]);
  for (const ConditionInstance& condition : collection_.conditions) {
    for (const Leaf& leaf : condition.scalar.operands) {
      const bool value = leaf.kind == Leaf::Kind::Value && varies(leaf.place);
      if (value || leaf.kind == Leaf::Kind::Derivative) take_in(leaf.place.object);
    }
  }
  if (memory_.readers.empty()) return;
  for (const auto& entry : varying_) {
    const Place& place = entry.first;
    const auto found = memory_.readers.find(place.object.index);
    if (found == memory_.readers.end()) continue;
    for (const GatheringMemory::ForeignRead& read : found->second) {
      if (read.slot == place.slot) take_in(read.reader);
    }
  }
}

// --- clusters -------------------------------------------------------------------------------------

/// Formulas of arrays belong as a whole.
bool Gatherer::belongs(const EquationInstance& equation) const {
  if (equation.scalar.form != model::EquationForm::Formula || varies(equation.scalar.subject)) return true;
  if (equation.link != kNone) return world_.links[equation.link].in_cluster;
  return equation.watch != kNone && world_.object(equation.object).watches[equation.watch].in_cluster;
}

/// The object to which an equation belongs: one that it says something about.
ObjectRef Gatherer::anchor(const EquationInstance& equation) const {
  if (equation.state != kNone) return equation.object;
  if (equation.scalar.form != model::EquationForm::Implicit) return equation.scalar.subject.object;
  for (const Leaf& leaf : equation.scalar.operands) {
    if (leaf.kind == Leaf::Kind::Value && varies(leaf.place)) return leaf.place.object;
  }
  return equation.object;
}

void Gatherer::mark(const EquationInstance& equation) {
  if (equation.watch != kNone) world_.object(equation.object).watches[equation.watch].in_cluster = true;
  if (equation.link != kNone) world_.links[equation.link].in_cluster = true;
}

/// Clusters depend on who is in them, not on who was looked at first: objects in the order of their creation, equations
/// of their own before those of joined plugs and of links.
void Gatherer::arrange() {
  const auto order_of = [this](ObjectRef object) { return world_.object(object).order; };
  const auto is_earlier = [&](ObjectRef a, ObjectRef b) { return order_of(a) < order_of(b); };
  std::sort(objects_.begin(), objects_.end(), is_earlier);
  for (std::uint32_t i = 0; i < objects_.size(); ++i) numbers_[objects_[i].index] = i;
  using Key = std::array<std::uint64_t, 3>;
  const auto key_of = [&](const EquationInstance& equation) -> Key {
    std::uint32_t first = order_of(equation.object);
    if (equation.link != kNone) {
      return {2, std::min(first, order_of(world_.links[equation.link].target)), equation.link};
    }
    if (equation.rule == PlugRule::None) return {0, first, 0};
    first = UINT32_MAX;
    for (const Leaf& leaf : equation.scalar.operands) first = std::min(first, order_of(leaf.place.object));
    return {1, first, equation.number};
  };
  std::vector<std::pair<Key, std::uint32_t>> keys;
  for (const EquationInstance& equation : collection_.equations) {
    const Key key = equation.use == EquationUse::Continued ? keys.back().first : key_of(equation);
    keys.emplace_back(key, static_cast<std::uint32_t>(keys.size()));
  }
  if (!std::is_sorted(keys.begin(), keys.end())) {
    std::sort(keys.begin(), keys.end());
    std::vector<EquationInstance> arranged;
    for (const auto& entry : keys) arranged.push_back(std::move(collection_.equations[entry.second]));
    collection_.equations = std::move(arranged);
  }
  std::stable_sort(
      collection_.conditions.begin(), collection_.conditions.end(),
      [&](const ConditionInstance& a, const ConditionInstance& b) { return is_earlier(a.object, b.object); });
}

void Gatherer::make_clusters() {
  for (const ObjectRef ref : objects_) {
    const Object& object = world_.object(ref);
    for (Index i = 0; i < object.plan->watches.size(); ++i) {
      object.watches[i].was_in_cluster = std::exchange(object.watches[i].in_cluster, false);
    }
  }
  for (const EquationInstance& equation : collection_.equations) {
    if (equation.link != kNone) world_.links[equation.link].in_cluster = false;
  }
  for (const EquationInstance& equation : collection_.equations) {
    if (belongs(equation)) mark(equation);
  }
  Union sets(objects_.size());
  std::vector<std::uint8_t> member(objects_.size());
  const auto number = [this](ObjectRef object) { return numbers_.at(object.index); };
  const auto join_operands = [&](ObjectRef object, const std::vector<Leaf>& operands) {
    member[number(object)] = 1;
    for (const Leaf& leaf : operands) {
      const bool shared = leaf.kind == Leaf::Kind::Derivative || (leaf.kind == Leaf::Kind::Value && varies(leaf.place));
      if (shared) sets.join(number(object), number(leaf.place.object));
    }
  };
  for (const EquationInstance& equation : collection_.equations) {
    if (!belongs(equation)) continue;
    const ObjectRef object = anchor(equation);
    join_operands(object, equation.scalar.operands);
    if (equation.scalar.form != model::EquationForm::Implicit) {
      sets.join(number(object), number(equation.scalar.subject.object));
    }
  }
  for (const ConditionInstance& condition : collection_.conditions) {
    join_operands(condition.object, condition.scalar.operands);
  }
  for (std::uint32_t i = 0; i < member.size(); ++i) {
    if (member[i] != 0) member[sets.find(i)] = 1;
  }
  std::vector<ClusterParts> parts;
  std::vector<std::uint32_t> part_of(objects_.size(), kNone);  // by root of the set, then by object
  for (std::uint32_t i = 0; i < objects_.size(); ++i) {
    const std::uint32_t root = sets.find(i);
    if (member[root] == 0) continue;
    if (part_of[root] == kNone) {
      part_of[root] = static_cast<std::uint32_t>(parts.size());
      parts.emplace_back().varies = [this](const Place& place) { return varies(place); };
    }
    part_of[i] = part_of[root];
    parts[part_of[i]].objects.push_back(objects_[i]);
  }
  for (EquationInstance& equation : collection_.equations) {
    if (belongs(equation)) parts[part_of[number(anchor(equation))]].equations.push_back(&equation);
  }
  for (const ConditionInstance& condition : collection_.conditions) {
    WatchState& watch = world_.object(condition.object).watches[condition.watch];
    std::vector<const ConditionInstance*>& members = parts[part_of[number(condition.object)]].conditions;
    watch.in_cluster = true;
    watch.condition = static_cast<std::uint32_t>(members.size());
    members.push_back(&condition);
  }
  for (const ClusterParts& part : parts) {
    const std::uint32_t place = take_cluster_number(world_);
    world_.clusters[place] = make_cluster(world_, part, sink_);
    world_.clusters[place]->number = place;
    for (std::uint32_t i = 0; i < part.objects.size(); ++i) {
      Object& object = world_.object(part.objects[i]);
      object.cluster = place;
      object.cluster_member = i;
    }
    clusters_.push_back(place);
  }
}

/// Objects that are clusters of their own, and always will be: others of their plans need not be gathered.
void Gatherer::note_lone() {
  for (const std::uint32_t number : clusters_) {
    Cluster& cluster = *world_.clusters[number];
    const Object& object = world_.object(cluster.objects[0]);
    const bool alone = cluster.objects.size() == 1 && !collection_.special.contains(object.self.index) &&
                       !memory_.has_notes(object.self) && cluster.shape->opaques.empty();
    if (!alone || !can_be_lone(*object.plan)) continue;
    Lone& lone = memory_.lone[object.plan];
    if (lone.shape == nullptr || lone.shape == cluster.shape) cluster.pool = &lone.idle;
    if (lone.shape != nullptr) continue;
    lone.shape = cluster.shape;
    for (Index i = 0; i < object.plan->watches.size(); ++i) {
      if (object.watches[i].in_cluster) lone.watches.push_back({i, object.watches[i].condition});
    }
  }
}

bool can_be_lone(const Plan& plan) {
  return !plan.has_inputs && plan.connections.empty() && plan.initial_equations.empty();
}

std::uint32_t take_cluster_number(World& world) {
  if (world.free_clusters.empty()) {
    world.clusters.emplace_back();
    return static_cast<std::uint32_t>(world.clusters.size() - 1);
  }
  const std::uint32_t number = world.free_clusters.back();
  world.free_clusters.pop_back();
  return number;
}

bool needs_clusters(const World& world) {
  if (!world.links.empty() || !world.joins.empty()) return true;
  return std::any_of(world.plans.begin(), world.plans.end(), [](const std::unique_ptr<Plan>& plan) {
    return !plan->equations.empty() || std::any_of(plan->watches.begin(), plan->watches.end(),
                                                   [](const PlanWatch& watch) { return watch.program == nullptr; });
  });
}

bool gather_clusters(World& world, diag::Sink& sink) {
  world.gathering->scalariser = std::make_unique<Scalariser>(world, world.compiled->other_texts, world.terms);
  if (!needs_clusters(world)) return true;
  std::vector<ObjectRef> all;
  for (const Object& object : world.objects) all.push_back(object.self);
  diag::Sink found;
  Gatherer gatherer(world, found);
  if (!gatherer.collect(all, [](std::uint32_t) {}) || !gatherer.make()) {
    if (world.gathering->scalariser->met_none()) return true;  // the run gathers once references have values
    for (const diag::Diagnostic& one : found.diagnostics()) {
      diag::Sink::Entry entry = sink.report(one.kind, one.span, one.message);
      entry.text(one.text);
      for (const diag::Label& label : one.labels) entry.label(label.span, label.text);
      for (const std::string& hint : one.hints) entry.hint(hint);
    }
    return false;
  }
  world.gathering->is_complete = true;
  world.gathering->scalariser->expect_more();
  // Equations that are always active have one configuration: it is part of loading, not of the run.
  for (const std::uint32_t number : gatherer.clusters()) {
    Shape& shape = *world.clusters[number]->shape;
    if (!shape.activities.empty() || !shape.configurations.empty()) continue;
    std::vector<std::uint8_t> active;
    for (const ShapeEquation& equation : shape.equations) active.push_back(equation.use == EquationUse::Run ? 1 : 0);
    shape.configurations.add(active, configure(shape, world.tapes, active));
  }
  return true;
}

}  // namespace hyla::engine
