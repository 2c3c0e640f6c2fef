// Simplifications that keep every bit of a result, for all numbers, both zeros and infinities.
//
// x + 0 is not x (it makes 0 of -0), but x - 0 and x + (-0) are. x * 0 is not 0 (infinity), x - x is not 0, and not (a
// < b) is not b <= a (NaN). A quotient by a power of two is a product: both round the same exact number.
#include <cmath>

#include "code/graph.h"

namespace hyla::code {
namespace {

/// Its values are 0 and 1 only.
bool is_truth(NodeOp op) { return op >= NodeOp::Less && op <= NodeOp::Not; }

/// Whether x / divisor and x * (1 / divisor) are the same for all x.
bool has_exact_reciprocal(double divisor) {
  int exponent = 0;
  return std::isnormal(divisor) && std::abs(std::frexp(divisor, &exponent)) == 0.5 && std::isnormal(1 / divisor);
}

}  // namespace

NodeId Graph::simplify(NodeOp op, NodeId a, NodeId b, NodeId c) {
  const NodeOp of_a = nodes_[a].op;
  switch (op) {
    case NodeOp::Negate:
      return of_a == NodeOp::Negate ? nodes_[a].a : kNoNode;
    case NodeOp::Abs:
      if (of_a == NodeOp::Negate) return make(NodeOp::Abs, nodes_[a].a);
      return of_a == NodeOp::Abs || of_a == NodeOp::Square ? a : kNoNode;
    case NodeOp::Square:
      return of_a == NodeOp::Negate || of_a == NodeOp::Abs ? make(NodeOp::Square, nodes_[a].a) : kNoNode;
    case NodeOp::Add:
    case NodeOp::Subtract:
      return simplify_sum(op, a, b);
    case NodeOp::Multiply:
    case NodeOp::Divide:
      return simplify_product(op, a, b);
    case NodeOp::Power:
      return simplify_power(a, b);
    case NodeOp::Min:
    case NodeOp::Max:
      return a == b ? a : kNoNode;
    case NodeOp::And:
    case NodeOp::Or:
    case NodeOp::Not:
    case NodeOp::Select:
      return simplify_logic(op, a, b, c);
    default:
      return kNoNode;
  }
}

NodeId Graph::simplify_sum(NodeOp op, NodeId a, NodeId b) {
  const bool is_sum = op == NodeOp::Add;
  if (is_constant(b, is_sum ? -0.0 : 0.0)) return a;
  if (is_sum && is_constant(a, -0.0)) return b;
  if (nodes_[b].op == NodeOp::Negate) return make(is_sum ? NodeOp::Subtract : NodeOp::Add, a, nodes_[b].a);
  if (is_sum && nodes_[a].op == NodeOp::Negate) return make(NodeOp::Subtract, b, nodes_[a].a);
  if (!is_sum && is_constant(a, -0.0)) return make(NodeOp::Negate, b);
  return kNoNode;
}

NodeId Graph::simplify_product(NodeOp op, NodeId a, NodeId b) {
  const bool is_product = op == NodeOp::Multiply;
  if (is_constant(b, 1)) return a;
  if (is_constant(b, -1)) return make(NodeOp::Negate, a);
  if (is_product && is_constant(a, 1)) return b;
  if (is_product && is_constant(a, -1)) return make(NodeOp::Negate, b);
  if (is_product && a == b) return make(NodeOp::Square, a);
  if (nodes_[a].op == NodeOp::Negate && nodes_[b].op == NodeOp::Negate) return make(op, nodes_[a].a, nodes_[b].a);
  if (!is_product && nodes_[b].op == NodeOp::Constant && has_exact_reciprocal(nodes_[b].number)) {
    return make(NodeOp::Multiply, a, constant(1 / nodes_[b].number));
  }
  return kNoNode;
}

/// Follows `power`.
NodeId Graph::simplify_power(NodeId a, NodeId b) {
  if (nodes_[b].op != NodeOp::Constant) return kNoNode;
  const double exponent = nodes_[b].number;
  if (exponent == 0) return constant(1);
  if (exponent == 1) return a;
  if (exponent == 2) return make(NodeOp::Square, a);
  if (exponent == 3) return make(NodeOp::Multiply, make(NodeOp::Square, a), a);
  if (exponent == 4) return make(NodeOp::Square, make(NodeOp::Square, a));
  if (exponent == -1) return make(NodeOp::Divide, constant(1), a);
  return kNoNode;
}

NodeId Graph::simplify_logic(NodeOp op, NodeId a, NodeId b, NodeId c) {
  const Node first = nodes_[a];
  if (op == NodeOp::Select) {
    if (first.op == NodeOp::Constant) return first.number != 0 ? b : c;
    if (b == c) return b;
    return first.op == NodeOp::Not ? make(op, first.a, c, b) : kNoNode;
  }
  if (op == NodeOp::Not) {
    if (first.op == NodeOp::Equal) return make(NodeOp::NotEqual, first.a, first.b);
    if (first.op == NodeOp::NotEqual) return make(NodeOp::Equal, first.a, first.b);
    return first.op == NodeOp::Not && is_truth(nodes_[first.a].op) ? first.a : kNoNode;
  }
  if (first.op != NodeOp::Constant && nodes_[b].op != NodeOp::Constant) {
    return a == b && is_truth(first.op) ? a : kNoNode;
  }
  const NodeId other = first.op == NodeOp::Constant ? b : a;
  const bool known = nodes_[first.op == NodeOp::Constant ? a : b].number != 0;
  if (known != (op == NodeOp::And)) return constant(known ? 1 : 0);
  return is_truth(nodes_[other].op) ? other : make(NodeOp::NotEqual, other, constant(0));
}

}  // namespace hyla::code
