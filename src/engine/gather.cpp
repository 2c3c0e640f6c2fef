#include "engine/gather.h"

#include <algorithm>
#include <unordered_map>

#include <fmt/core.h>

#include "engine/configure.h"
#include "engine/island.h"
#include "engine/make_plan.h"
#include "engine/make_shape.h"
#include "engine/plug_sets.h"
#include "engine/scalarise.h"

namespace hyla::engine {
namespace {

struct PlaceHash {
  std::size_t operator()(const Place& place) const {
    std::uint64_t key = std::uint64_t{place.object.index} << 32 | place.slot;
    key ^= std::uint64_t{place.element + 1} * 0x9E3779B97F4A7C15U;
    key *= 0xBF58476D1CE4E5B9U;
    return static_cast<std::size_t>(key ^ key >> 31);
  }
};

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

class Gatherer {
 public:
  Gatherer(World& world, Programs& programs, diag::Sink& sink)
      : world_(world), model_(world.model), sink_(sink), scalariser_(world, programs, *world.terms, sink) {}

  bool gather() {
    if (!is_needed()) return true;
    const std::size_t errors = sink_.error_count();
    collect_equations();
    collect_links();
    collect_plug_equations(world_, scalariser_, [&](EquationInstance equation) { add(std::move(equation)); });
    if (sink_.error_count() > errors) return false;
    find_varying();
    collect_conditions();
    if (sink_.error_count() > errors) return false;
    make_clusters();
    return sink_.error_count() == errors;
  }

 private:
  /// Most discrete models have no formula between numbers at all.
  bool is_needed() const {
    if (!world_.links.empty() || !world_.joins.empty()) return true;
    return std::any_of(world_.plans.begin(), world_.plans.end(), [](const std::unique_ptr<Plan>& plan) {
      return !plan->equations.empty() || std::any_of(plan->watches.begin(), plan->watches.end(),
                                                     [](const PlanWatch& watch) { return watch.program == nullptr; });
    });
  }

  static Scope scope_of(const Object& object, const std::vector<model::LocalId>& locals, const Inputs& values) {
    return {object.self, object.plan->object_class, locals, values};
  }

  bool is_number(model::Type type) const {
    const model::TypeKind kind = type.element().kind;
    return kind == model::TypeKind::Real || kind == model::TypeKind::Integer || kind == model::TypeKind::Boolean ||
           kind == model::TypeKind::Enum;
  }

  // --- equations ----------------------------------------------------------------------------------

  void collect_equations() {
    for (const Object& object : world_.objects) {
      for (const PlanEquation& equation : object.plan->equations) collect(object, equation);
    }
  }

  void collect(const Object& object, const PlanEquation& equation) {
    const Scope scope = scope_of(object, equation.locals, equation.inputs);
    found_.clear();
    bool good = true;
    if (equation.hold) {
      good = scalariser_.equation(scope, equation.hold, equation.hold, found_);
    } else if (equation.variable) {
      if (!is_number(model_.variables[equation.variable].type)) return;
      good = scalariser_.binding(object.self, world_.layout.variables[equation.variable.index], scope, equation.right,
                                 found_);
    } else {
      if (!is_number(model_.exprs[equation.left].type)) return;
      good = scalariser_.equation(scope, equation.left, equation.right, found_);
    }
    if (!good) return;
    for (ScalarEquation& scalar : found_) {
      EquationInstance instance;
      instance.scalar = std::move(scalar);
      instance.object = object.self;
      instance.state = equation.state;
      instance.span = equation.span;
      instance.watch = equation.watch;
      instance.hold = static_cast<bool>(equation.hold);
      add(std::move(instance));
    }
  }

  void collect_links() {
    for (std::uint32_t i = 0; i < world_.links.size(); ++i) {
      const Link& link = world_.links[i];
      if (!is_number(model_.exprs[link.expr].type)) continue;
      const Object& scope = world_.object(link.scope);
      found_.clear();
      if (!scalariser_.binding(link.target, link.slot, scope_of(scope, link.locals, link.inputs), link.expr, found_)) {
        continue;
      }
      for (ScalarEquation& scalar : found_) {
        EquationInstance instance;
        instance.scalar = std::move(scalar);
        instance.object = link.scope;
        instance.state = link.state;
        instance.span = link.span;
        instance.link = i;
        add(std::move(instance));
      }
    }
  }

  void add(EquationInstance instance) {
    const auto number = static_cast<std::uint32_t>(equations_.size());
    for (const Leaf& leaf : instance.scalar.operands) {
      if (leaf.kind == Leaf::Kind::Value || leaf.kind == Leaf::Kind::Derivative) readers_[leaf.place].push_back(number);
    }
    equations_.push_back(std::move(instance));
  }

  // --- what can vary ------------------------------------------------------------------------------

  bool is_unknown_kind(const Place& place) const { return can_be_unknown(world_, place); }

  void find_varying() {
    std::vector<Place> fresh;
    const auto vary = [&](const Place& place) {
      if (varying_.try_emplace(place, true).second) fresh.push_back(place);
    };
    for (const EquationInstance& equation : equations_) {
      if (equation.hold) continue;
      const ScalarEquation& scalar = equation.scalar;
      if (scalar.form == model::EquationForm::Derivative) vary(scalar.subject);
      for (const Leaf& leaf : scalar.operands) {
        if (leaf.kind == Leaf::Kind::Derivative) vary(leaf.place);
        if (leaf.kind == Leaf::Kind::Time && scalar.form == model::EquationForm::Formula) vary(scalar.subject);
        if (scalar.form == model::EquationForm::Implicit && leaf.kind == Leaf::Kind::Value &&
            is_unknown_kind(leaf.place)) {
          vary(leaf.place);
        }
        if (leaf.kind == Leaf::Kind::Derivative && scalar.form == model::EquationForm::Formula) vary(scalar.subject);
      }
    }
    find_circles(vary);
    while (!fresh.empty()) {
      const Place place = fresh.back();
      fresh.pop_back();
      const auto found = readers_.find(place);
      if (found == readers_.end()) continue;
      for (const std::uint32_t number : found->second) {
        const ScalarEquation& scalar = equations_[number].scalar;
        if (scalar.form == model::EquationForm::Formula && !equations_[number].hold) vary(scalar.subject);
      }
    }
  }

  /// Formulas that remain when all that can be put in an order has been taken away.
  template <class Vary>
  void find_circles(Vary&& vary) {
    std::vector<std::uint32_t> waits(equations_.size());
    std::unordered_map<Place, std::uint32_t, PlaceHash> open;  // formulas for a place that are not done
    std::vector<std::uint32_t> ready;
    for (std::uint32_t i = 0; i < equations_.size(); ++i) {
      if (equations_[i].scalar.form == model::EquationForm::Formula && !equations_[i].hold) {
        ++open[equations_[i].scalar.subject];
      }
    }
    for (std::uint32_t i = 0; i < equations_.size(); ++i) {
      if (equations_[i].scalar.form != model::EquationForm::Formula || equations_[i].hold) continue;
      for (const Leaf& leaf : equations_[i].scalar.operands) {
        if (leaf.kind == Leaf::Kind::Value && open.contains(leaf.place)) ++waits[i];
      }
      if (waits[i] == 0) ready.push_back(i);
    }
    while (!ready.empty()) {
      const Place place = equations_[ready.back()].scalar.subject;
      ready.pop_back();
      if (--open[place] > 0) continue;
      open.erase(place);
      const auto found = readers_.find(place);
      if (found == readers_.end()) continue;
      for (const std::uint32_t reader : found->second) {
        if (equations_[reader].scalar.form != model::EquationForm::Formula || equations_[reader].hold) continue;
        for (const Leaf& leaf : equations_[reader].scalar.operands) {
          if (leaf.kind == Leaf::Kind::Value && leaf.place == place && --waits[reader] == 0) ready.push_back(reader);
        }
      }
    }
    for (const auto& entry : open) vary(entry.first);
  }

  bool varies(const Place& place) const { return varying_.contains(place); }

  /// Formulas of arrays belong as a whole.
  bool belongs(const EquationInstance& equation) const {
    if (equation.scalar.form != model::EquationForm::Formula || varies(equation.scalar.subject)) return true;
    if (equation.link != kNone) return world_.links[equation.link].in_cluster;
    return equation.watch != kNone && world_.object(equation.object).watches[equation.watch].in_cluster;
  }

  // --- conditions ---------------------------------------------------------------------------------

  void collect_conditions() {
    for (const Object& object : world_.objects) {
      for (Index i = 0; i < object.plan->watches.size(); ++i) {
        const PlanWatch& watch = object.plan->watches[i];
        if (watch.kind == PlanWatch::Kind::When || watch.kind == PlanWatch::Kind::Require) condition(object, i, watch);
        if (watch.kind == PlanWatch::Kind::Rate || watch.kind == PlanWatch::Kind::Accumulate) number(object, watch);
      }
    }
  }

  bool can_vary(const ScalarCondition& scalar) const {
    return std::any_of(scalar.operands.begin(), scalar.operands.end(), [&](const Leaf& leaf) {
      if (leaf.kind == Leaf::Kind::Derivative) return true;
      return leaf.kind == Leaf::Kind::Value && varies(leaf.place);
    });
  }

  void condition(const Object& object, Index index, const PlanWatch& watch) {
    if (varying_.empty() && watch.program != nullptr) return;
    ConditionInstance instance;
    instance.object = object.self;
    instance.watch = index;
    if (!scalariser_.condition(scope_of(object, watch.locals, watch.inputs), watch.expr, instance.scalar)) return;
    if (watch.program == nullptr || can_vary(instance.scalar)) conditions_.push_back(std::move(instance));
  }

  void number(const Object& object, const PlanWatch& watch) {
    if (varying_.empty()) return;
    ScalarCondition scalar;
    if (!scalariser_.number(scope_of(object, watch.locals, watch.inputs), watch.expr, scalar)) return;
    if (!can_vary(scalar)) return;
    report_unsupported(sink_, model_.exprs[watch.expr].span,
                       watch.kind == PlanWatch::Kind::Rate ? "a rate that varies continuously"
                                                           : "a statistic of a quantity that varies continuously");
  }

  // --- clusters -----------------------------------------------------------------------------------

  template <class Operands>
  void join_operands(Union& sets, ObjectRef object, const Operands& operands) {
    for (const Leaf& leaf : operands) {
      const bool shared = leaf.kind == Leaf::Kind::Derivative || (leaf.kind == Leaf::Kind::Value && varies(leaf.place));
      if (shared) sets.join(object.index, leaf.place.object.index);
    }
  }

  /// The object to which an equation belongs: one that it says something about.
  ObjectRef anchor(const EquationInstance& equation) const {
    if (equation.state != kNone) return equation.object;
    if (equation.scalar.form != model::EquationForm::Implicit) return equation.scalar.subject.object;
    for (const Leaf& leaf : equation.scalar.operands) {
      if (leaf.kind == Leaf::Kind::Value && varies(leaf.place)) return leaf.place.object;
    }
    return equation.object;
  }

  void make_clusters() {
    Union sets(world_.objects.size());
    std::vector<std::uint8_t> member(world_.objects.size());
    for (const EquationInstance& equation : equations_) {
      if (belongs(equation)) mark(equation);
    }
    for (const EquationInstance& equation : equations_) {
      if (!belongs(equation)) continue;
      const ObjectRef object = anchor(equation);
      member[object.index] = 1;
      if (equation.scalar.form != model::EquationForm::Implicit) {
        sets.join(object.index, equation.scalar.subject.object.index);
      }
      join_operands(sets, object, equation.scalar.operands);
    }
    for (const ConditionInstance& condition : conditions_) {
      member[condition.object.index] = 1;
      join_operands(sets, condition.object, condition.scalar.operands);
    }
    for (std::uint32_t i = 0; i < member.size(); ++i) {
      if (member[i] != 0) member[sets.find(i)] = 1;
    }
    std::vector<ClusterParts> parts;
    std::unordered_map<std::uint32_t, std::uint32_t> numbers;  // root of the set to the cluster
    const auto cluster_of = [&](std::uint32_t object) {
      const std::uint32_t root = sets.find(object);
      const auto [entry, added] = numbers.try_emplace(root, static_cast<std::uint32_t>(parts.size()));
      if (added) parts.emplace_back();
      return entry->second;
    };
    for (std::uint32_t i = 0; i < world_.objects.size(); ++i) {
      if (member[sets.find(i)] == 0) continue;
      const std::uint32_t cluster = cluster_of(i);
      world_.objects[i].cluster = cluster;
      parts[cluster].objects.push_back(world_.objects[i].self);
    }
    for (EquationInstance& equation : equations_) {
      if (!belongs(equation)) continue;
      parts[world_.objects[anchor(equation).index].cluster].equations.push_back(&equation);
    }
    for (ConditionInstance& condition : conditions_) {
      Object& object = world_.object(condition.object);
      std::vector<const ConditionInstance*>& members = parts[object.cluster].conditions;
      object.watches[condition.watch].in_cluster = true;
      object.watches[condition.watch].condition = static_cast<std::uint32_t>(members.size());
      members.push_back(&condition);
    }
    for (const ClusterParts& part : parts) {
      world_.clusters.push_back(make_cluster(world_, part));
      world_.clusters.back()->number = static_cast<std::uint32_t>(world_.clusters.size() - 1);
      configure_early(*world_.clusters.back()->shape);
    }
  }

  /// Equations that are always active have one configuration: it is part of loading, not of the run.
  void configure_early(Shape& shape) {
    if (!shape.activities.empty() || !shape.configurations.empty()) return;
    const std::vector<std::uint8_t> all(shape.equations.size(), 1);
    shape.configurations.add(all, configure(shape, *world_.tapes, all));
  }

  void mark(const EquationInstance& equation) {
    if (equation.watch != kNone) world_.object(equation.object).watches[equation.watch].in_cluster = true;
    if (equation.link != kNone) world_.links[equation.link].in_cluster = true;
  }

  World& world_;
  const model::Model& model_;
  diag::Sink& sink_;
  Scalariser scalariser_;
  std::vector<ScalarEquation> found_;
  std::vector<EquationInstance> equations_;
  std::vector<ConditionInstance> conditions_;
  std::unordered_map<Place, std::vector<std::uint32_t>, PlaceHash> readers_;
  std::unordered_map<Place, bool, PlaceHash> varying_;
};

}  // namespace

bool gather_clusters(World& world, Programs& programs, diag::Sink& sink) {
  return Gatherer(world, programs, sink).gather();
}

}  // namespace hyla::engine
