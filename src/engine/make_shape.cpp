#include "engine/make_shape.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_set>

#include <fmt/format.h>

#include "engine/attribute_values.h"
#include "engine/compiled_model.h"
#include "engine/configure.h"
#include "engine/island.h"

namespace hyla::engine {
namespace {

void collect_variables(const World& world, model::BodyId id, std::vector<model::VariableId>& by_slot) {
  const model::Model& model = world.model;
  const model::Body& body = model.bodies[id];
  for (const model::VariableId variable : body.variables) {
    const std::uint32_t slot = world.layout.variables[variable.index];
    if (slot < by_slot.size()) by_slot[slot] = variable;
  }
  for (const model::ChartId chart : body.charts) {
    for (const model::StateId state : model.charts[chart].states) {
      if (model.states[state].body) collect_variables(world, model.states[state].body, by_slot);
    }
  }
  for (const model::Family& family : body.families) collect_variables(world, family.body, by_slot);
  for (const model::Conditional& conditional : body.conditionals) {
    if (conditional.then_body) collect_variables(world, conditional.then_body, by_slot);
    if (conditional.else_body) collect_variables(world, conditional.else_body, by_slot);
  }
}

/// So many variables are worth an order.
constexpr std::size_t kMany = 64;

/// Builds the shape of one cluster; its text decides whether it is known already.
class ShapeMaker {
 public:
  ShapeMaker(World& world, const ClusterParts& parts, diag::Sink& sink)
      : world_(world), parts_(parts), sink_(sink), shape_(std::make_unique<Shape>()) {}

  std::unique_ptr<Cluster> make() {
    auto cluster = std::make_unique<Cluster>();
    for (const ObjectRef object : parts_.objects) object_number(object);
    for (const EquationInstance* equation : parts_.equations) add(*equation);
    for (const ConditionInstance* condition : parts_.conditions) add(*condition);
    if (shape_->variables.size() >= kMany) arrange_variables();
    give_places();
    std::sort(shape_->varying.begin(), shape_->varying.end());
    cluster->objects = std::move(objects_);
    const auto [entry, added] = world_.compiled->shapes.try_emplace(std::move(text_), nullptr);
    if (added) entry->second = std::move(shape_);
    cluster->shape = entry->second.get();
    cluster->tapes = &world_.tapes;
    return cluster;
  }

 private:
  // Places are not known before everything has been seen: until then an operand is a reference of these kinds.
  enum class Ref : std::uint8_t { Time, Value, Derivative, Mode, Constant, Opaque, Continuation };

  template <class T>
  void put(const T& value) {
    const auto* bytes = reinterpret_cast<const char*>(&value);
    text_.append(bytes, sizeof(T));
  }

  std::uint32_t object_number(ObjectRef object) {
    const auto [entry, added] = object_numbers_.try_emplace(object.index, static_cast<std::uint32_t>(objects_.size()));
    if (added) {
      objects_.push_back(object);
      const Plan* plan = world_.object(object).plan;
      shape_->plans.push_back(plan);
      put(plan);
    }
    return entry->second;
  }

  std::uint32_t variable_number(const Place& place) {
    const std::uint32_t object = object_number(place.object);
    const std::uint64_t key = std::uint64_t{object} << 32 | place.slot;
    const auto [entry, added] = variable_numbers_.try_emplace({key, place.element}, shape_->variables.size());
    if (added) {
      ShapeVariable variable;
      variable.object = object;
      variable.slot = place.slot;
      variable.element = place.element;
      variable.id = variable_at(world_, world_.object(place.object).object_class, place.slot);
      if (variable.id) variable.type = world_.model.variables[variable.id].type.element().kind;
      variable.fixed = !can_be_unknown(world_, place);
      const bool varies = parts_.varies(place);
      if (varies) shape_->varying.push_back(key);
      variable.open = !variable.fixed && !world_.model.variables[variable.id].initial &&
                      !has_formula_outside(place.object, place.slot);
      variable.of_plug = variable.id && world_.model.variables[variable.id].plug;
      variable.start = start_role(world_, place, variable.id);
      if (const StartChoice* choice = world_.starts->derivative(place)) variable.start_derivative = choice->role;
      variable.has_guess = has_guess(place, variable.id);
      variable.nominal = nominal_of(place.object, variable.id);
      put(variable.nominal);
      put(object);
      put(place.slot);
      put(place.element);
      put(variable.fixed);
      put(variable.open);
      put(varies);
      put(variable.start);
      put(variable.start_derivative);
      put(variable.has_guess);
      shape_->variables.push_back(variable);
    }
    return static_cast<std::uint32_t>(entry->second);
  }

  bool has_guess(const Place& place, model::VariableId id) const {
    if (!id) return false;
    const model::Variable& record = world_.model.variables[id];
    const StartChoice* choice = world_.starts->value(place);
    return record.initial || record.attributes.guess || world_.starts->is_written(place) ||
           (choice != nullptr && choice->guess);
  }

  /// What a variable declares for an object; 1 if that is nothing.
  double nominal_of(ObjectRef object, model::VariableId id) {
    const model::ExprId expr = id ? world_.model.variables[id].attributes.nominal : model::ExprId();
    if (!expr) return 1;
    code::Failure reason;
    const std::optional<double> value = attribute_value(world_, object, expr, reason);
    if (!value || !std::isfinite(*value)) {
      const std::string name(world_.model.name(world_.model.variables[id].name));
      auto entry =
          sink_.report(diag::Kind::CannotBuild, value ? world_.model.exprs[expr].span : reason.span,
                       value ? fmt::format("the nominal size of `{}` is no finite number", name)
                             : fmt::format("the nominal size of `{}` cannot be computed: {}", name, reason.message));
      entry.text(fmt::format("in `{}`", world_.path(object)));
      if (!value && !reason.hint.empty()) entry.hint(reason.hint);
      return 1;
    }
    return *value == 0 ? 1 : std::fabs(*value);
  }

  /// Formulas that cannot vary stay with the watches: what they define is no unknown of the cluster.
  bool has_formula_outside(ObjectRef ref, std::uint32_t slot) {
    const auto [entry, added] = formulas_outside_.try_emplace(ref.index);
    if (added) {
      const Object& object = world_.object(ref);
      for (Index i = 0; i < object.plan->watches.size(); ++i) {
        const PlanWatch& watch = object.plan->watches[i];
        if (watch.kind != PlanWatch::Kind::Formula || object.watches[i].in_cluster) continue;
        entry->second.insert(object.plan->formulas[watch.owner].slot);
      }
    }
    return entry->second.contains(slot);
  }

  std::uint64_t reference(const Leaf& leaf, std::uint32_t first_mode) {
    const auto make = [](Ref kind, std::uint64_t number) { return static_cast<std::uint64_t>(kind) << 32 | number; };
    switch (leaf.kind) {
      case Leaf::Kind::Value: {
        const std::uint32_t number = variable_number(leaf.place);
        if (!shape_->variables[number].id) shape_->variables[number].type = leaf.type;
        return make(Ref::Value, number);
      }
      case Leaf::Kind::Derivative: {
        const std::uint32_t number = variable_number(leaf.place);
        shape_->variables[number].derivative = 0;
        return make(Ref::Derivative, number);
      }
      case Leaf::Kind::Time:
        return make(Ref::Time, 0);
      case Leaf::Kind::Constant:
        put(leaf.number);
        shape_->constants.emplace_back(kNowhere, leaf.number);
        return make(Ref::Constant, shape_->constants.size() - 1);
      case Leaf::Kind::Opaque: {
        const Opaque& opaque = world_.opaques[leaf.index];
        put(opaque.program);
        for (const Slot input : opaque.inputs) put(input.integer);
        shape_->opaques.push_back({object_number(opaque.object), opaque.program, opaque.type, opaque.inputs, kNowhere});
        return make(Ref::Opaque, shape_->opaques.size() - 1);
      }
      case Leaf::Kind::Mode:
        return make(Ref::Mode, first_mode + leaf.index);
      case Leaf::Kind::Continuation:
        if (shape_->continuation == kNowhere) {
          shape_->continuation = static_cast<At>(shape_->constants.size());
          shape_->constants.emplace_back(kNowhere, 1.0);
        }
        return make(Ref::Continuation, 0);
    }
    return 0;
  }

  template <class Operands>
  std::vector<std::uint64_t> references(const Operands& operands, std::uint32_t first_mode) {
    std::vector<std::uint64_t> result;
    result.reserve(operands.size());
    for (const Leaf& leaf : operands) {
      result.push_back(reference(leaf, first_mode));
      put(result.back());
    }
    return result;
  }

  void add_modes(const Term& term, TermId id, std::uint32_t equation, std::uint32_t condition) {
    for (const Mode& mode : term.modes) {
      const bool inner = std::any_of(term.modes.begin(), term.modes.end(),
                                     [&](const Mode& other) { return term.graph.depends_on(other.g, mode.operand); });
      shape_->modes.push_back({mode.kind, id, mode.g, equation, condition, kNowhere, inner});
    }
  }

  void add(const EquationInstance& instance) {
    ShapeEquation equation;
    equation.form = instance.scalar.form;
    equation.term = instance.scalar.term;
    equation.object = object_number(instance.object);
    equation.hold = instance.hold;
    equation.rule = instance.rule;
    equation.use = instance.use;
    equation.span = instance.span;
    equation.first_mode = static_cast<std::uint32_t>(shape_->modes.size());
    put(equation.form);
    put(equation.hold);
    put(equation.use);
    put(equation.term);
    put(equation.object);
    put(instance.state);
    put(can_vanish(instance.object));
    if (equation.form != model::EquationForm::Implicit) {
      equation.subject = variable_number(instance.scalar.subject);
      put(equation.subject);
      if (equation.form == model::EquationForm::Derivative) shape_->variables[equation.subject].derivative = 0;
    }
    if (instance.state != kNone || can_vanish(instance.object)) {
      equation.activity = activity(equation.object, instance.state);
    }
    const Term& term = world_.terms[equation.term];
    add_modes(term, equation.term, static_cast<std::uint32_t>(shape_->equations.size()), kNone);
    equation.modes = static_cast<std::uint32_t>(term.modes.size());
    equation_references_.push_back(references(instance.scalar.operands, equation.first_mode));
    equation.solvable = solvable_operands(world_, instance.scalar, world_.tapes.linear(equation.term));
    text_.append(equation.solvable.begin(), equation.solvable.end());
    shape_->equations.push_back(std::move(equation));
  }

  void add(const ConditionInstance& instance) {
    ShapeCondition condition;
    condition.object = object_number(instance.object);
    condition.watch = instance.watch;
    condition.term = instance.scalar.term;
    condition.first_mode = static_cast<std::uint32_t>(shape_->modes.size());
    put(condition.object);
    put(condition.watch);
    put(condition.term);
    const Term& term = world_.terms[condition.term];
    add_modes(term, condition.term, kNone, static_cast<std::uint32_t>(shape_->conditions.size()));
    condition.modes = static_cast<std::uint32_t>(term.modes.size());
    condition_references_.push_back(references(instance.scalar.operands, condition.first_mode));
    shape_->conditions.push_back(std::move(condition));
  }

  /// Whether the object, or one around it, is declared in a state.
  bool can_vanish(ObjectRef object) const {
    for (; object; object = world_.object(object).parent) {
      if (world_.object(object).host_state != kNone) return true;
    }
    return false;
  }

  std::uint32_t activity(std::uint32_t object, Index state) {
    const std::uint64_t key = std::uint64_t{object} << 32 | state;
    const auto [entry, added] = activities_.try_emplace(key, static_cast<std::uint32_t>(shape_->activities.size()));
    if (added) shape_->activities.push_back({object, state});
    return entry->second;
  }

  /// Variables come as equations mention them. Elements of an array and the same variable of all objects with one plan
  /// are put in a row, so that equal equations find their operands evenly spaced.
  void arrange_variables() {
    std::unordered_map<const Plan*, std::size_t> numbers;  // of plans, as they come
    for (const Plan* plan : shape_->plans) numbers.try_emplace(plan, numbers.size());
    const std::vector<ShapeVariable> before = std::move(shape_->variables);
    const auto rank = [&](std::uint32_t number) {
      const ShapeVariable& variable = before[number];
      return std::tuple(numbers.at(shape_->plans[variable.object]), variable.slot, variable.object, variable.element);
    };
    std::vector<std::uint32_t> order(before.size()), place_in_order(before.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return rank(a) < rank(b); });
    shape_->variables.clear();
    for (const std::uint32_t number : order) {
      place_in_order[number] = static_cast<std::uint32_t>(shape_->variables.size());
      shape_->variables.push_back(before[number]);
    }
    for (ShapeEquation& equation : shape_->equations) {
      if (equation.subject != kNone) equation.subject = place_in_order[equation.subject];
    }
    for (auto* references : {&equation_references_, &condition_references_}) {
      for (std::vector<std::uint64_t>& operands : *references) {
        for (std::uint64_t& operand : operands) {
          const auto kind = static_cast<Ref>(operand >> 32);
          if (kind != Ref::Value && kind != Ref::Derivative) continue;
          operand = static_cast<std::uint64_t>(kind) << 32 | place_in_order[static_cast<std::uint32_t>(operand)];
        }
      }
    }
  }

  void give_places() {
    At next = kTime + 1;
    // What can be differentiated lies together, so that states can be copied in one piece.
    for (ShapeVariable& variable : shape_->variables) {
      if (variable.derivative != kNowhere) variable.value = next++;
    }
    for (ShapeVariable& variable : shape_->variables) {
      if (variable.derivative == kNowhere) variable.value = next++;
    }
    for (ShapeVariable& variable : shape_->variables) {
      if (variable.derivative != kNowhere) variable.derivative = next++;
    }
    for (ShapeMode& mode : shape_->modes) mode.value = next++;
    for (ShapeCondition& condition : shape_->conditions) condition.value = next++;
    for (ShapeOpaque& opaque : shape_->opaques) opaque.value = next++;
    for (auto& constant : shape_->constants) constant.first = next++;
    if (shape_->continuation != kNowhere) shape_->continuation = shape_->constants[shape_->continuation].first;
    shape_->size = next;
    for (std::size_t i = 0; i < shape_->equations.size(); ++i) {
      shape_->equations[i].operands = places(equation_references_[i]);
    }
    for (std::size_t i = 0; i < shape_->conditions.size(); ++i) {
      shape_->conditions[i].operands = places(condition_references_[i]);
    }
  }

  std::vector<At> places(const std::vector<std::uint64_t>& operands) const {
    std::vector<At> result;
    result.reserve(operands.size());
    for (const std::uint64_t operand : operands) {
      const auto number = static_cast<std::uint32_t>(operand);
      switch (static_cast<Ref>(operand >> 32)) {
        case Ref::Time:
          result.push_back(kTime);
          break;
        case Ref::Value:
          result.push_back(shape_->variables[number].value);
          break;
        case Ref::Derivative:
          result.push_back(shape_->variables[number].derivative);
          break;
        case Ref::Mode:
          result.push_back(shape_->modes[number].value);
          break;
        case Ref::Constant:
          result.push_back(shape_->constants[number].first);
          break;
        case Ref::Opaque:
          result.push_back(shape_->opaques[number].value);
          break;
        case Ref::Continuation:
          result.push_back(shape_->continuation);
          break;
      }
    }
    return result;
  }

  World& world_;
  const ClusterParts& parts_;
  diag::Sink& sink_;
  std::unique_ptr<Shape> shape_;
  std::string text_;
  std::vector<ObjectRef> objects_;
  std::unordered_map<std::uint32_t, std::uint32_t> object_numbers_;
  std::unordered_map<std::uint32_t, std::unordered_set<std::uint32_t>> formulas_outside_;  ///< slots by object
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::size_t> variable_numbers_;
  std::unordered_map<std::uint64_t, std::uint32_t> activities_;
  std::vector<std::vector<std::uint64_t>> equation_references_, condition_references_;
};

}  // namespace

model::VariableId variable_at(World& world, model::ClassId object_class, std::uint32_t slot) {
  std::vector<model::VariableId>& by_slot = world.compiled->variables_by_slot[object_class.index];
  if (by_slot.empty()) {
    by_slot.resize(world.layout.classes[object_class.index].slots.size() + 1);
    collect_variables(world, world.model.classes[object_class].body, by_slot);
  }
  return by_slot[slot];
}

bool can_be_unknown(World& world, const Place& place) {
  const model::VariableId id = variable_at(world, world.object(place.object).object_class, place.slot);
  if (!id) return false;
  const model::Variable& variable = world.model.variables[id];
  if (variable.type.element().kind != model::TypeKind::Real) return false;
  return variable.kind == model::VariableKind::Var || variable.kind == model::VariableKind::Output;
}

bool is_parameter(World& world, const Place& place) {
  const model::VariableId id = variable_at(world, world.object(place.object).object_class, place.slot);
  return id && world.model.variables[id].is_fixed();
}

bool is_structural(World& world, ObjectRef object, std::uint32_t slot) {
  if (slot == code::Layout::kNoSlot) return true;  // whether the object is there
  const model::ClassId object_class = world.object(object).object_class;
  if (const model::VariableId id = variable_at(world, object_class, slot)) {
    const model::Variable& variable = world.model.variables[id];
    return !variable.is_fixed() && variable.type.kind == model::TypeKind::Object;
  }
  const code::Layout& layout = world.layout;
  for (std::uint32_t i = 0; i < layout.parts.size(); ++i) {
    const model::Part& part = world.model.parts[model::PartId(i)];
    if (layout.parts[i] != slot || part.kind == model::PartKind::Object) continue;
    if (world.model.bodies[part.body].object_class == object_class) return true;
  }
  return false;
}

std::unique_ptr<Cluster> make_cluster(World& world, const ClusterParts& parts, diag::Sink& sink) {
  return ShapeMaker(world, parts, sink).make();
}

}  // namespace hyla::engine
