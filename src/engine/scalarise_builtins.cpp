// Built-in functions of numbers. Those with a corner or a jump are held in an equation: their relations become modes.
#include <utility>

#include "engine/scalarise_writer.h"

namespace hyla::engine {

using code::NodeId;
using code::NodeOp;
using model::Builtin;
using model::Expr;
using model::ExprId;
using model::TypeKind;

namespace {

/// The node that computes a smooth function; Constant if there is none.
NodeOp smooth(Builtin which) {
  switch (which) {
    case Builtin::Sqrt:
      return NodeOp::Sqrt;
    case Builtin::Cbrt:
      return NodeOp::Cbrt;
    case Builtin::Exp:
      return NodeOp::Exp;
    case Builtin::Expm1:
      return NodeOp::Expm1;
    case Builtin::Log:
      return NodeOp::Log;
    case Builtin::Log2:
      return NodeOp::Log2;
    case Builtin::Log10:
      return NodeOp::Log10;
    case Builtin::Log1p:
      return NodeOp::Log1p;
    case Builtin::Pow:
      return NodeOp::Power;
    case Builtin::Sin:
      return NodeOp::Sin;
    case Builtin::Cos:
      return NodeOp::Cos;
    case Builtin::Tan:
      return NodeOp::Tan;
    case Builtin::Asin:
      return NodeOp::Asin;
    case Builtin::Acos:
      return NodeOp::Acos;
    case Builtin::Atan:
      return NodeOp::Atan;
    case Builtin::Atan2:
      return NodeOp::Atan2;
    case Builtin::Sinh:
      return NodeOp::Sinh;
    case Builtin::Cosh:
      return NodeOp::Cosh;
    case Builtin::Tanh:
      return NodeOp::Tanh;
    case Builtin::Asinh:
      return NodeOp::Asinh;
    case Builtin::Acosh:
      return NodeOp::Acosh;
    case Builtin::Atanh:
      return NodeOp::Atanh;
    case Builtin::Hypot:
      return NodeOp::Hypot;
    case Builtin::Erf:
      return NodeOp::Erf;
    case Builtin::Erfc:
      return NodeOp::Erfc;
    case Builtin::TGamma:
      return NodeOp::TGamma;
    case Builtin::LGamma:
      return NodeOp::LGamma;
    default:
      return NodeOp::Constant;
  }
}

/// The same for functions with corners and jumps, taken as they are.
NodeOp raw(Builtin which) {
  switch (which) {
    case Builtin::Abs:
      return NodeOp::Abs;
    case Builtin::Sign:
      return NodeOp::Sign;
    case Builtin::Floor:
      return NodeOp::Floor;
    case Builtin::Ceil:
      return NodeOp::Ceil;
    case Builtin::Round:
      return NodeOp::Round;
    case Builtin::ToInteger:
      return NodeOp::Truncate;
    case Builtin::Mod:
      return NodeOp::Mod;
    case Builtin::Min:
      return NodeOp::Min;
    case Builtin::Max:
      return NodeOp::Max;
    default:
      return NodeOp::Constant;
  }
}

}  // namespace

NodeId TermWriter::builtin(ExprId id, const Expr& expr) {
  const auto operands = model_.operands_of(expr);
  switch (expr.builtin) {
    case Builtin::NoEvent: {
      const Relations around = std::exchange(relations_, Relations::Raw);
      const NodeId result = number(operands[0]);
      relations_ = around;
      return result;
    }
    case Builtin::Homotopy:
      if (mixes) return mixture(number(operands[0]), number(operands[1]));
      return number(operands[0]);
    case Builtin::Crosses:
    case Builtin::Rises:
    case Builtin::Falls:
      return crossing(expr);
    case Builtin::Delay:
    case Builtin::Table:
      refuse(expr.span, "`" + std::string(model::info(expr.builtin).name) + "`");
      return zero();
    case Builtin::Size:
      return size(id, expr);
    case Builtin::Min:
    case Builtin::Max: {
      if (model_.exprs[operands[0]].type.rank > 0) return reduce_array(expr.builtin, value(operands[0]));
      NodeId best = number(operands[0]);
      for (const ExprId operand : operands.subspan(1)) best = extreme(expr.builtin, best, number(operand));
      return best;
    }
    case Builtin::Sum:
    case Builtin::Product:
    case Builtin::All:
    case Builtin::Any:
      return reduce_array(expr.builtin, value(operands[0]));
    case Builtin::Dot: {
      const Symbolic a = value(operands[0]);
      return products(a, value(operands[1]), expr.span);
    }
    case Builtin::Norm: {
      const Symbolic a = value(operands[0]);
      return graph.make(NodeOp::Sqrt, products(a, a, expr.span));
    }
    default:
      break;
  }
  return plain_function(id, expr);
}

/// A function of one or two numbers.
NodeId TermWriter::plain_function(ExprId id, const Expr& expr) {
  const auto operands = model_.operands_of(expr);
  if (smooth(expr.builtin) == NodeOp::Constant && raw(expr.builtin) == NodeOp::Constant &&
      expr.builtin != Builtin::Div) {
    return opaque(id);
  }
  const model::Type first = model_.exprs[operands[0]].type;
  const bool whole =
      first.kind != TypeKind::Real && (operands.size() < 2 || model_.exprs[operands[1]].type.kind != TypeKind::Real);
  const NodeId a = number(operands[0]);
  return function_of(expr.builtin, a, operands.size() > 1 ? number(operands[1]) : code::kNoNode, whole);
}

NodeId TermWriter::size(ExprId id, const Expr& expr) {
  if (const std::optional<double> size = known(id)) return graph.constant(*size);
  const Symbolic array = value(model_.operand(expr, 0));
  if (expr.operand_count == 1) return graph.constant(static_cast<double>(product_of(array.sizes)));
  std::int64_t which = 0;
  if (!whole_now(model_.operand(expr, 1), which)) return zero();
  if (which >= 1 && which <= static_cast<std::int64_t>(array.sizes.size())) {
    return graph.constant(static_cast<double>(array.sizes[static_cast<std::size_t>(which - 1)]));
  }
  fail(expr.span, "there is no such dimension");
  return zero();
}

/// `whole`: the arguments are Integers.
NodeId TermWriter::function_of(Builtin which, NodeId a, NodeId b, bool whole) {
  if (const NodeOp op = smooth(which); op != NodeOp::Constant) {
    return b == code::kNoNode ? graph.make(op, a) : graph.make(op, a, b);
  }
  const bool rounds =
      which == Builtin::Floor || which == Builtin::Ceil || which == Builtin::Round || which == Builtin::ToInteger;
  if (rounds && whole) return a;
  if (is_held(a) || (b != code::kNoNode && is_held(b))) return held_function(which, a, b);
  if (which == Builtin::Min || which == Builtin::Max) return extreme(which, a, b);
  if (which == Builtin::Div) return graph.make(NodeOp::Truncate, graph.make(NodeOp::Divide, a, b));
  return b == code::kNoNode ? graph.make(raw(which), a) : graph.make(raw(which), a, b);
}

/// Each choice is the machine's, also where both sides are equal.
NodeId TermWriter::held_function(Builtin which, NodeId a, NodeId b) {
  switch (which) {
    case Builtin::Abs:
      return select(mode(ModeKind::NotNegative, a), a, graph.make(NodeOp::Negate, a));
    case Builtin::Sign: {
      const NodeId negative = mode(ModeKind::Positive, graph.make(NodeOp::Negate, a));
      const NodeId rest = select(negative, graph.constant(-1), zero());
      return select(mode(ModeKind::Positive, a), one(), rest);
    }
    case Builtin::Floor:
      return mode(ModeKind::Floor, a);
    case Builtin::Ceil:
      return mode(ModeKind::Ceil, a);
    case Builtin::Round:
      return mode(ModeKind::Round, a);
    case Builtin::ToInteger:
      return mode(ModeKind::Truncate, a);
    case Builtin::Div:
      return mode(ModeKind::Truncate, graph.make(NodeOp::Divide, a, b));
    case Builtin::Mod: {
      const NodeId turns = mode(ModeKind::Floor, graph.make(NodeOp::Divide, a, b));
      return graph.make(NodeOp::Subtract, a, graph.make(NodeOp::Multiply, turns, b));
    }
    default:
      return extreme(which, a, b);
  }
}

NodeId TermWriter::extreme(Builtin which, NodeId a, NodeId b) {
  if (a == b) return a;
  if (!is_held(a) && !is_held(b)) return graph.make(which == Builtin::Min ? NodeOp::Min : NodeOp::Max, a, b);
  return select(relation(which == Builtin::Min ? model::Op::Less : model::Op::Greater, b, a), b, a);
}

NodeId TermWriter::crossing(const Expr& expr) {
  const Relations around = std::exchange(relations_, Relations::Held);
  const NodeId g = number(model_.operand(expr, 0));
  relations_ = around;
  return mode(expr.builtin == Builtin::Crosses ? ModeKind::Crosses
              : expr.builtin == Builtin::Rises ? ModeKind::Rises
                                               : ModeKind::Falls,
              g);
}

}  // namespace hyla::engine
