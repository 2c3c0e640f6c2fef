#include "engine/aliases.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "engine/island.h"

namespace hyla::engine {
namespace {

bool can_restructure(const model::Model& model) {
  const auto changes = [](const model::Action& action) {
    return action.kind == model::ActionKind::New || action.kind == model::ActionKind::Delete ||
           action.kind == model::ActionKind::Connect || action.kind == model::ActionKind::Disconnect;
  };
  const auto varies = [](const model::Part& part) { return part.kind != model::PartKind::Object; };
  return std::any_of(model.actions.begin(), model.actions.end(), changes) ||
         std::any_of(model.parts.begin(), model.parts.end(), varies);
}

/// Neither an object made by an action nor one whose place another one can take, or inside such.
bool is_permanent(const World& world, ObjectRef ref) {
  for (; world.object(ref).parent; ref = world.object(ref).parent) {
    const model::PartId part = world.object(ref).part;
    if (!part || world.model.parts[part].kind != model::PartKind::Object) return false;
  }
  return true;
}

/// Places that are known to be the same, each with its sign, as trees (union-find).
class Sameness {
 public:
  struct Root {
    std::uint32_t number = 0;
    bool is_negated = false;
  };

  std::uint32_t number_of(const Place& place) {
    const auto [found, is_new] = numbers_.try_emplace(place, static_cast<std::uint32_t>(up_.size()));
    if (is_new) up_.push_back({found->second, false});
    return found->second;
  }
  Root root(std::uint32_t number) {
    Root at = {number, false};
    while (up_[at.number].number != at.number) at = {up_[at.number].number, at.is_negated != up_[at.number].is_negated};
    up_[number] = at;
    return at;
  }
  void join(const Place& a, const Place& b, bool is_negated) {
    const Root first = root(number_of(a)), second = root(number_of(b));
    if (first.number == second.number) return;  // two equations say so, or that both are zero
    up_[second.number] = {first.number, (first.is_negated != second.is_negated) != is_negated};
  }

 private:
  std::unordered_map<Place, std::uint32_t, PlaceHash> numbers_;
  std::vector<Root> up_;
};

/// The operands of a term that says that one is the other, or its negation.
struct Pair {
  std::optional<std::uint32_t> a, b;  ///< none: the subject of the equation
  bool is_negated = false;
};

std::optional<Pair> find_pair(const Term& term, bool is_formula) {
  const auto operand = [&](code::NodeId node) -> std::optional<std::uint32_t> {
    if (node == code::kNoNode || term.graph[node].op != code::NodeOp::Operand) return {};
    return term.graph[node].operand;
  };
  const code::Node& value = term.graph[term.value];
  if (is_formula) {
    const bool is_negated = value.op == code::NodeOp::Negate;
    const auto other = operand(is_negated ? value.a : term.value);
    if (!other) return {};
    return Pair{std::nullopt, other, is_negated};
  }
  if (value.op != code::NodeOp::Subtract && value.op != code::NodeOp::Add) return {};
  const auto a = operand(value.a), b = operand(value.b);
  if (!a || !b) return {};
  return Pair{a, b, value.op == code::NodeOp::Add};
}

/// The variables of a shape by the places of their values.
std::unordered_map<At, std::uint32_t> variables_of(const Shape& shape) {
  std::unordered_map<At, std::uint32_t> variables;
  for (std::uint32_t i = 0; i < shape.variables.size(); ++i) {
    const ShapeVariable& variable = shape.variables[i];
    if (variable.value != kNowhere && variable.derivative_of == kNone) variables.emplace(variable.value, i);
  }
  return variables;
}

struct ShapePair {
  std::uint32_t a = 0, b = 0;  ///< variables
  bool is_negated = false;
};

std::vector<ShapePair> pairs_of(const Shape& shape, const Terms& terms) {
  std::vector<ShapePair> pairs;
  const std::unordered_map<At, std::uint32_t> variables = variables_of(shape);
  for (const ShapeEquation& equation : shape.equations) {
    const bool is_formula = equation.form == model::EquationForm::Formula;
    if (equation.activity != kNone || equation.use != EquationUse::Run || equation.hold ||
        (!is_formula && equation.form != model::EquationForm::Implicit)) {
      continue;
    }
    const std::optional<Pair> pair = find_pair(terms[equation.term], is_formula);
    if (!pair) continue;
    const auto variable = [&](std::optional<std::uint32_t> operand) -> std::uint32_t {
      if (!operand) return equation.subject;
      const auto found = variables.find(equation.operands[*operand]);
      return found == variables.end() ? kNone : found->second;
    };
    const std::uint32_t a = variable(pair->a), b = variable(pair->b);
    if (a != kNone && b != kNone && a != b) pairs.push_back({a, b, pair->is_negated});
  }
  return pairs;
}

}  // namespace

std::vector<Alias> find_aliases(const World& world, std::span<const RecordedPlace> places) {
  const bool only_inside = can_restructure(world.model);
  Sameness same;
  std::unordered_map<const Shape*, std::vector<ShapePair>> known;
  for (const std::unique_ptr<Cluster>& cluster : world.clusters) {
    if (!cluster) continue;
    const auto [pairs, is_new] = known.try_emplace(cluster->shape);
    if (is_new) pairs->second = pairs_of(*cluster->shape, world.terms);
    for (const ShapePair& pair : pairs->second) {
      const ShapeVariable& a = cluster->shape->variables[pair.a];
      const ShapeVariable& b = cluster->shape->variables[pair.b];
      if (only_inside && (a.object != b.object || !is_permanent(world, cluster->objects[a.object]))) continue;
      same.join({cluster->objects[a.object], a.slot, a.element}, {cluster->objects[b.object], b.slot, b.element},
                pair.is_negated);
    }
  }
  std::vector<Alias> aliases(places.size());
  std::unordered_map<std::uint32_t, Alias> first;  // by root
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::uint32_t element = places[i].element == RecordedPlace::kScalar ? kNone : places[i].element;
    const Sameness::Root root = same.root(same.number_of({places[i].object, places[i].slot, element}));
    const Alias& base = first.try_emplace(root.number, Alias{i, root.is_negated}).first->second;
    aliases[i] = {base.of, base.is_negated != root.is_negated};
  }
  return aliases;
}

}  // namespace hyla::engine
