// Scalars: operators, relations, conditions. Names are in scalarise_members.cpp, built-in functions in
// scalarise_builtins.cpp, arrays in scalarise_arrays.cpp, functions in scalarise_functions.cpp.
#include <cmath>
#include <utility>

#include "engine/scalarise_writer.h"

namespace hyla::engine {

using code::NodeId;
using code::NodeOp;
using model::EntityKind;
using model::Expr;
using model::ExprId;
using model::Op;
using model::TypeKind;

namespace {

bool is_plain(model::Type type) {
  return type.rank == 0 && (type.is_number() || type.kind == TypeKind::Boolean || type.kind == TypeKind::Enum);
}

bool is_relation(Op op) { return op >= Op::Less && op <= Op::NotEqual; }

Op contrary(Op op) {
  switch (op) {
    case Op::Less:
      return Op::GreaterEqual;
    case Op::LessEqual:
      return Op::Greater;
    case Op::Greater:
      return Op::LessEqual;
    case Op::GreaterEqual:
      return Op::Less;
    case Op::Equal:
      return Op::NotEqual;
    default:
      return Op::Equal;
  }
}

}  // namespace

NodeId TermWriter::number(ExprId id) {
  if (!good_) return zero();
  const Expr& expr = model_.exprs[id];
  if (!is_plain(expr.type)) {
    refuse(expr.span, "such a value in an equation");
    return zero();
  }
  if (expr.known == model::Known::Always && !std::isnan(expr.number)) return graph.constant(expr.number);
  if (course_ == nullptr && expr.op != Op::Entity && dependence(id) == kFamily) return folded(id);
  return operation(id, expr);
}

NodeId TermWriter::operation(ExprId id, const Expr& expr) {
  switch (expr.op) {
    case Op::Real:
    case Op::Integer:
    case Op::Boolean:
      return graph.constant(expr.number);
    case Op::EnumValue:
      return graph.constant(expr.ref);
    case Op::Time:
      return time_leaf();
    case Op::Entity:
      return entity(id, expr);
    case Op::Field:
      return field(id, expr);
    case Op::Index:
      return element(id, expr);
    case Op::Negate:
      return graph.make(NodeOp::Negate, number(model_.operand(expr, 0)));
    case Op::Add:
    case Op::Subtract:
    case Op::Multiply:
    case Op::Divide:
    case Op::Power: {
      const NodeId a = number(model_.operand(expr, 0));
      return arithmetic(expr.op, a, number(model_.operand(expr, 1)));
    }
    case Op::Less:
    case Op::LessEqual:
    case Op::Greater:
    case Op::GreaterEqual:
    case Op::Equal:
    case Op::NotEqual:
    case Op::And:
    case Op::Or:
    case Op::Not:
      return truth(id);
    case Op::MatrixProduct: {
      const Symbolic a = value(model_.operand(expr, 0));
      const Symbolic result = matrix_product(a, value(model_.operand(expr, 1)), expr.span);
      return result.nodes.empty() ? zero() : result.nodes[0];
    }
    case Op::If:
      return conditional(expr);
    case Op::Der:
      return derivative(expr);
    case Op::InState:
      return in_state(id, expr);
    case Op::Call: {
      const std::vector<Symbolic> results = call(expr);
      return results.empty() || results[0].nodes.empty() ? zero() : results[0].nodes[0];
    }
    case Op::Builtin:
      return builtin(id, expr);
    case Op::Reduce:
      return reduce(id, expr);
    default:
      return opaque(id);
  }
}

NodeId TermWriter::arithmetic(Op op, NodeId a, NodeId b) {
  switch (op) {
    case Op::Add:
      return graph.make(NodeOp::Add, a, b);
    case Op::Subtract:
      return graph.make(NodeOp::Subtract, a, b);
    case Op::Multiply:
      return graph.make(NodeOp::Multiply, a, b);
    case Op::Divide:
      return graph.make(NodeOp::Divide, a, b);
    default:
      return graph.make(NodeOp::Power, a, b);
  }
}

NodeId TermWriter::truth(ExprId id, bool negated) {
  if (!good_) return zero();
  const Expr& expr = model_.exprs[id];
  if (expr.op == Op::And || expr.op == Op::Or || expr.op == Op::Not) return logic(expr, negated);
  if (is_relation(expr.op)) return comparison(id, expr, negated);
  NodeId result = number(id);
  if (relations_ == Relations::Condition && facts(result).varies) {
    // What hides its relations (a function with more than a `return`, `noevent`) can only be sampled.
    result = mode(ModeKind::Positive, graph.make(NodeOp::Subtract, result, graph.constant(0.5)));
  }
  return negated ? negation(result) : result;
}

/// `and` and `or` look at their second side only if the first does not decide, as far as it is known now.
NodeId TermWriter::logic(const Expr& expr, bool negated) {
  if (expr.op == Op::Not) {
    if (relations_ != Relations::Raw) return truth(model_.operand(expr, 0), !negated);
    const NodeId inner = truth(model_.operand(expr, 0));
    return negated ? inner : negation(inner);
  }
  const bool is_or = expr.op == Op::Or;
  NodeId a = code::kNoNode;
  const ExprId first = model_.operand(expr, 0), second = model_.operand(expr, 1);
  const bool pushed = negated && relations_ != Relations::Raw;
  if (const std::optional<bool> left = decide(first, a, pushed)) {
    if (*left == is_or) return is_or != negated ? one() : zero();
    return truth(second, negated);
  }
  if (relations_ == Relations::Raw) {
    const NodeId result = is_or ? either(a, truth(second)) : both(a, truth(second));
    return negated ? negation(result) : result;
  }
  const NodeId b = truth(second, negated);
  return is_or != negated ? either(a, b) : both(a, b);
}

NodeId TermWriter::comparison(ExprId id, const Expr& expr, bool negated) {
  const ExprId left = model_.operand(expr, 0), right = model_.operand(expr, 1);
  const model::Type type = model_.exprs[left].type;
  if (!is_plain(type) || !is_plain(model_.exprs[right].type)) {
    const NodeId result = opaque(id);
    return negated ? negation(result) : result;
  }
  const Relations around = relations_;
  if (around == Relations::Condition && type.kind != TypeKind::Boolean) relations_ = Relations::Held;
  const NodeId a = number(left), b = number(right);
  relations_ = around;
  if (around == Relations::Raw) {
    const NodeId result = relation(expr.op, a, b);
    return negated ? negation(result) : result;
  }
  return relation(negated ? contrary(expr.op) : expr.op, a, b);
}

NodeId TermWriter::conditional(const Expr& expr) {
  NodeId condition = code::kNoNode;
  if (const std::optional<bool> decided = decide(model_.operand(expr, 0), condition)) {
    return number(model_.operand(expr, *decided ? 1 : 2));
  }
  ++open_branches_;
  const NodeId yes = number(model_.operand(expr, 1)), no = number(model_.operand(expr, 2));
  --open_branches_;
  return select(condition, yes, no);
}

}  // namespace hyla::engine
