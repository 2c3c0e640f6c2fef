// What is known while terms are written: indices, sizes, bounds of loops, conditions over parameters.
#include <cmath>

#include "code/heap.h"
#include "engine/make_shape.h"
#include "engine/scalarise_writer.h"

namespace hyla::engine {

using code::NodeId;
using code::NodeOp;
using model::Builtin;
using model::EntityKind;
using model::Expr;
using model::ExprId;
using model::Op;
using model::TypeKind;

namespace {

/// Whole numbers up to here are exact in a double.
constexpr double kExact = 9007199254740992.0;
constexpr double kMostTurns = 1e7;

bool is_plain(model::Type type) {
  return type.rank == 0 && (type.is_number() || type.kind == TypeKind::Boolean || type.kind == TypeKind::Enum);
}

}  // namespace

/// Tells the locals apart: indices of families, of reductions over what is known, and all others.
void TermWriter::find_locals() {
  for (const Expr& expr : model_.exprs) {
    if (expr.op != Op::Reduce) continue;
    const Expr& over = model_.exprs[model_.operand(expr, 1)];
    const bool known =
        over.op == Op::Range || over.type.kind == TypeKind::Object || over.type.kind == TypeKind::Population;
    local_dependences_[expr.ref] = known ? kTurn : kContinuous;
  }
  const auto others = [&](const std::vector<model::LocalId>& locals) {
    for (const model::LocalId id : locals) {
      if (id) local_dependences_[id.index] = kContinuous;
    }
  };
  for (const model::Action& action : model_.actions) others(action.locals);
  for (const model::Body& body : model_.bodies) {
    for (const model::BlockId block : body.initial_blocks) find_indices(block);
  }
  for (const model::Function& function : model_.functions) others(function.parameters);
}

/// Indices of loops in `initial` are like those of families.
void TermWriter::find_indices(model::BlockId block) {
  for (const model::ActionId id : model_.blocks[block].actions) {
    const model::Action& action = model_.actions[id];
    if (action.kind == model::ActionKind::For) local_dependences_[action.locals[0].index] = kFamily;
    for (const model::BlockId inner : action.blocks) find_indices(inner);
  }
}

std::uint8_t TermWriter::dependence(ExprId id) {
  if (!id) return 0;
  std::uint8_t& known = dependences_[id.index];
  if (known == kUnknown) {
    const std::uint8_t found = dependence_of(model_.exprs[id]);
    dependences_[id.index] = found;
    return found;
  }
  return known;
}

std::uint8_t TermWriter::dependence_of(const Expr& expr) {
  if (expr.known == model::Known::Always) return 0;
  std::uint8_t result = 0;
  switch (expr.op) {
    case Op::Time:
    case Op::Der:
      return kContinuous;
    case Op::Entity:
      return dependence_of_entity(expr);
    case Op::Property:
    case Op::Method:
    case Op::InState:
    case Op::IsMessage:
      result = kDiscrete;
      break;
    case Op::Builtin:
      if (model::info(expr.builtin).group != model::BuiltinClass::Function) result = kDiscrete;
      if (expr.builtin == Builtin::Delay || expr.builtin == Builtin::Table) result = kContinuous;
      if (expr.builtin == Builtin::Size) {  // sizes of arrays do not change
        const Expr& array = model_.exprs[model_.operand(expr, 0)];
        if (array.op == Op::Entity && array.entity == EntityKind::Variable) {
          result = kParameter;
          for (const ExprId operand : model_.operands_of(array)) result |= dependence(operand);
          if (expr.operand_count > 1) result |= dependence(model_.operand(expr, 1));
          return result;
        }
      }
      break;
    default:
      break;
  }
  for (const ExprId operand : model_.operands_of(expr)) result |= dependence(operand);
  return result;
}

std::uint8_t TermWriter::dependence_of_entity(const Expr& expr) {
  std::uint8_t result = 0;
  if (expr.entity == EntityKind::Local) return local_dependences_[expr.ref];
  for (const ExprId operand : model_.operands_of(expr)) result |= dependence(operand);
  if (expr.entity == EntityKind::Part) return result;
  if (expr.entity != EntityKind::Variable) return result | kDiscrete;
  if (code::slot_of(world_.layout, expr) == code::Layout::kNoSlot) return result;
  const model::Variable& variable = model_.variables[model::VariableId(expr.ref)];
  if (variable.is_fixed() && !world_.is_freed(model::VariableId(expr.ref))) return result | kParameter;
  // A reference is followed now: another one means other equations.
  if (variable.type.kind == TypeKind::Object) return result | kParameter;
  return result | (variable.is_discrete() || variable.is_fixed() ? kDiscrete : kContinuous);
}

const TermWriter::KnownLocal* TermWriter::known_local(model::LocalId id) const {
  for (const KnownLocal& local : locals_) {
    if (local.id == id) return &local;
  }
  return nullptr;
}

/// The value of a scalar outside functions that depends on parameters and indices only.
std::optional<double> TermWriter::known(ExprId id) {
  const Expr& expr = model_.exprs[id];
  if (expr.known == model::Known::Always && is_plain(expr.type)) return expr.number;
  if (course_ != nullptr) return std::nullopt;
  const std::uint8_t depends = dependence(id);
  if ((depends & (kDiscrete | kContinuous)) != 0) return std::nullopt;
  double result = 0;
  if (!evaluate(id, result)) return std::nullopt;
  if (guarded && (depends & kParameter) != 0) {
    Guard guard;
    guard.expr = id;
    guard.value = result;
    note(std::move(guard));
    if ((depends & kTurn) != 0) own_ = false;  // the guard could not be looked at again
  }
  return result;
}

/// The common cases are computed here, everything else by the machine.
bool TermWriter::evaluate(ExprId id, double& result) {
  const Expr& expr = model_.exprs[id];
  if (expr.known == model::Known::Always && is_plain(expr.type)) {
    result = expr.number;
    return true;
  }
  const auto number = [&](Slot slot) {
    result = expr.type.kind == TypeKind::Real ? slot.real : static_cast<double>(slot.integer);
    return true;
  };
  if (expr.op == Op::Entity && is_plain(expr.type)) {
    if (expr.entity == EntityKind::Local) {
      if (const KnownLocal* local = known_local(model::LocalId(expr.ref))) return number(local->value);
    }
    const std::uint32_t slot = code::slot_of(world_.layout, expr);
    if (slot != code::Layout::kNoSlot && expr.operand_count == 0) {
      return number(world_.object(scope_->object).slots[slot]);
    }
  }
  if (evaluate_operator(expr, result)) return true;
  Slot slot;
  if (!good_ || !run(id, slot)) return false;
  return number(slot);
}

/// Sums, differences, products and comparisons of whole numbers.
bool TermWriter::evaluate_operator(const Expr& expr, double& result) {
  const bool arithmetic = expr.op == Op::Add || expr.op == Op::Subtract || expr.op == Op::Multiply;
  const bool comparison = expr.op >= Op::Less && expr.op <= Op::NotEqual;
  if (!arithmetic && !comparison) return false;
  const ExprId left = model_.operand(expr, 0), right = model_.operand(expr, 1);
  const auto is_whole = [&](ExprId id) { return model_.exprs[id].type.is_scalar(TypeKind::Integer); };
  if (!is_whole(left) || !is_whole(right)) return false;
  double a = 0, b = 0;
  if (!evaluate(left, a) || !evaluate(right, b)) return false;
  switch (expr.op) {
    case Op::Add:
      result = a + b;
      break;
    case Op::Subtract:
      result = a - b;
      break;
    case Op::Multiply:
      result = a * b;
      break;
    case Op::Less:
      result = a < b ? 1 : 0;
      break;
    case Op::LessEqual:
      result = a <= b ? 1 : 0;
      break;
    case Op::Greater:
      result = a > b ? 1 : 0;
      break;
    case Op::GreaterEqual:
      result = a >= b ? 1 : 0;
      break;
    case Op::Equal:
      result = a == b ? 1 : 0;
      break;
    default:
      result = a != b ? 1 : 0;
      break;
  }
  return std::abs(result) < kExact;
}

/// Runs a text now; a box in the result belongs to the caller.
bool TermWriter::run(ExprId id, Slot& result) {
  TextUnit unit{scope_->object_class, {}, nullptr, "", true, false};
  Inputs inputs;
  for (const KnownLocal& local : locals_) {
    unit.inputs.push_back(local.id);
    inputs.push_back(local.value);
  }
  const std::size_t unsupported = programs_.unsupported().size();
  const code::Program* program = programs_.expression(id, unit);
  if (programs_.unsupported().size() > unsupported) return refuse(programs_.unsupported().back());
  Slot* const slots = scope_->object ? world_.object(scope_->object).slots : nullptr;
  host_.reads.clear();
  const code::Status status = machine_.run(*program, scope_->object, slots, inputs, &result);
  for (const auto& [object, slot] : host_.reads) {
    if (is_structural(world_, object, slot)) note_structural(object, slot);
  }
  if (status == code::Status::Finished) return true;
  return fail(machine_.failure().span, machine_.failure().message);
}

std::optional<double> TermWriter::settled(NodeId node) {
  const Facts found = facts(node);
  if (!found.fixed) return std::nullopt;
  if (graph[node].op == NodeOp::Constant || !guarded) return found.value;
  for (const std::uint32_t operand : graph.operands_of_node(node)) {
    if (leaves[operand].kind != Leaf::Kind::Value) continue;
    Guard guard;
    guard.leaf = leaves[operand];
    guard.value = leaf_facts_[operand].value;
    note(std::move(guard));
  }
  return found.value;
}

std::optional<bool> TermWriter::decide(ExprId id, NodeId& node, bool negated) {
  if (const std::optional<double> value = known(id)) return *value != 0;
  node = truth(id, negated);
  if (const std::optional<double> value = settled(node)) return (*value != 0) != negated;
  return std::nullopt;
}

/// Notes what was decided, unless that has just been done.
void TermWriter::note(Guard guard) {
  constexpr std::size_t kLookBack = 8;
  for (std::size_t i = guards.size(); i-- > 0 && guards.size() - i <= kLookBack;) {
    const Guard& known = guards[i];
    if (known.expr == guard.expr && known.leaf.place == guard.leaf.place && known.sizes == guard.sizes) return;
  }
  guards.push_back(std::move(guard));
}

std::optional<std::int64_t> TermWriter::whole(ExprId id, NodeId& node) {
  std::optional<double> value = known(id);
  if (!value) {
    node = number(id);
    value = settled(node);
  }
  if (!value) return std::nullopt;
  if (!(std::abs(*value) < kExact)) {
    fail(model_.exprs[id].span, "this number is too large here");
    return 0;
  }
  return static_cast<std::int64_t>(*value);
}

bool TermWriter::whole_now(ExprId id, std::int64_t& result) {
  NodeId node = code::kNoNode;
  const std::optional<std::int64_t> value = whole(id, node);
  if (!value) return refuse(model_.exprs[id].span, "a size or range that changes, in an equation,");
  result = *value;
  return good_;
}

/// The members of a range, as the machine counts them.
bool TermWriter::range(const Expr& expr, std::vector<double>& members) {
  const auto operands = model_.operands_of(expr);
  double bounds[3] = {0, 0, 1};
  const bool reals = expr.type.kind == TypeKind::Real;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (!operands[i]) continue;
    std::optional<double> value = known(operands[i]);
    if (!value) value = settled(number(operands[i]));
    if (!good_) return false;
    if (!value) return refuse(model_.exprs[operands[i]].span, "a range that changes, in an equation,");
    bounds[i] = *value;
  }
  if (bounds[2] == 0) return fail(expr.span, "the step of a range is 0");
  const double exact = (bounds[1] - bounds[0]) / bounds[2];
  const double turns = std::floor(reals ? exact * (1 + 1e-12) : exact) + 1;
  if (!(turns <= kMostTurns)) return fail(expr.span, "this range has too many members");
  for (double i = 0; i < turns; ++i) members.push_back(bounds[0] + i * bounds[2]);
  return true;
}

bool TermWriter::decide_now(ExprId id, bool& holds) {
  NodeId node = code::kNoNode;
  const std::optional<bool> found = decide(id, node);
  if (!good_) return false;
  if (!found) return refuse(model_.exprs[id].span, "an equation in `initial` under a condition that is no parameter");
  holds = *found;
  return true;
}

bool TermWriter::range_now(ExprId id, std::vector<double>& members) {
  const Expr& expr = model_.exprs[id];
  if (expr.op != Op::Range) return refuse(expr.span, "an equation in `initial` over something else than a range");
  return range(expr, members);
}

bool TermWriter::holds(const Guard& guard) {
  if (guard.expr) {
    double value = 0;
    return evaluate(guard.expr, value) && value == guard.value;
  }
  const Leaf& leaf = guard.leaf;
  Slot slot = world_.object(scope_->object).slots[leaf.place.slot];
  if (!guard.sizes.empty()) {
    if (slot.box == nullptr || slot.box->rank != guard.sizes.size()) return false;
    for (std::size_t i = 0; i < guard.sizes.size(); ++i) {
      if (code::dimension(slot.box, i) != guard.sizes[i]) return false;
    }
    return true;
  }
  if (leaf.place.element != kNone) slot = slot.box->slots()[leaf.place.element];
  return (leaf.type == TypeKind::Real ? slot.real : static_cast<double>(slot.integer)) == guard.value;
}

}  // namespace hyla::engine
