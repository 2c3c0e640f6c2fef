// Exact derivatives, by the rules of calculus, node by node.
//
// Zeros and ones in a derivative are structural: they say that something does not occur, not that it happens to be 0.
// So 0 * x is 0 and x + 0 is x here, although bits could differ if x were infinite.
#include <array>

#include "code/callee.h"
#include "code/graph.h"

namespace hyla::code {
namespace {

constexpr double kLn2 = 0.69314718055994530942;
constexpr double kLn10 = 2.30258509299404568402;
constexpr double kTwoOverRootPi = 1.12837916709551257390;

/// Makes the derivative of one node from those of its operands.
class Rules {
 public:
  Rules(Graph& graph, NodeId zero) : graph_(graph), zero_(zero) {}

  /// `y` is the node, `of` itself; `da`, `db`, `dc` are the derivatives of its operands.
  NodeId derivative(NodeId y, const Node& of, NodeId da, NodeId db, NodeId dc);

 private:
  NodeId binary(NodeId y, const Node& of, NodeId da, NodeId db);
  NodeId general_power(NodeId y, const Node& of, NodeId da, NodeId db);
  NodeId remainder(NodeId y, const Node& of, NodeId da, NodeId db);
  NodeId trigonometric(NodeId y, const Node& of, NodeId da);
  NodeId hyperbolic(NodeId y, const Node& of, NodeId da);
  NodeId exponential(NodeId y, const Node& of, NodeId da);

  bool is_zero(NodeId id) const { return graph_.is_constant(id, 0) || graph_.is_constant(id, -0.0); }
  NodeId constant(double value) { return graph_.constant(value); }
  NodeId plus(NodeId a, NodeId b) { return is_zero(a) ? b : is_zero(b) ? a : graph_.make(NodeOp::Add, a, b); }
  NodeId minus(NodeId a, NodeId b) {
    return is_zero(b) ? a : is_zero(a) ? negative(b) : graph_.make(NodeOp::Subtract, a, b);
  }
  NodeId negative(NodeId a) { return is_zero(a) ? zero_ : graph_.make(NodeOp::Negate, a); }
  NodeId times(NodeId a, NodeId b) { return is_zero(a) || is_zero(b) ? zero_ : graph_.make(NodeOp::Multiply, a, b); }
  NodeId over(NodeId a, NodeId b) { return is_zero(a) ? zero_ : graph_.make(NodeOp::Divide, a, b); }
  NodeId square(NodeId a) { return graph_.make(NodeOp::Square, a); }
  /// 1 + a^2 and (1 - a) (1 + a), which is exact where 1 - a^2 cancels.
  NodeId one_plus_square(NodeId a) { return plus(constant(1), square(a)); }
  NodeId one_minus_square(NodeId a) { return times(minus(constant(1), a), plus(constant(1), a)); }
  NodeId select(NodeOp relation, NodeId left, NodeId right, NodeId then, NodeId otherwise) {
    return graph_.make(NodeOp::Select, graph_.make(relation, left, right), then, otherwise);
  }

  Graph& graph_;
  NodeId zero_;
};

NodeId Rules::derivative(NodeId y, const Node& of, NodeId da, NodeId db, NodeId dc) {
  switch (of.op) {
    case NodeOp::Negate:
      return negative(da);
    case NodeOp::Square:
      return times(times(constant(2), of.a), da);
    case NodeOp::Abs:
      return select(NodeOp::Less, of.a, zero_, negative(da), da);
    case NodeOp::Sqrt:
      return over(da, times(constant(2), y));
    case NodeOp::Cbrt:
      return over(da, times(constant(3), square(y)));
    case NodeOp::Select:
      return graph_.make(NodeOp::Select, of.a, db, dc);
    case NodeOp::Sin:
    case NodeOp::Cos:
    case NodeOp::Tan:
    case NodeOp::Asin:
    case NodeOp::Acos:
    case NodeOp::Atan:
      return trigonometric(y, of, da);
    case NodeOp::Sinh:
    case NodeOp::Cosh:
    case NodeOp::Tanh:
    case NodeOp::Asinh:
    case NodeOp::Acosh:
    case NodeOp::Atanh:
      return hyperbolic(y, of, da);
    default:
      return operands_of(of.op) == 2 ? binary(y, of, da, db) : exponential(y, of, da);
  }
}

/// Relations and other truth values are constant between their jumps, so they fall through to zero.
NodeId Rules::binary(NodeId y, const Node& of, NodeId da, NodeId db) {
  switch (of.op) {
    case NodeOp::Add:
      return plus(da, db);
    case NodeOp::Subtract:
      return minus(da, db);
    case NodeOp::Multiply:
      return plus(times(da, of.b), times(of.a, db));
    case NodeOp::Divide:
      return over(minus(da, times(y, db)), of.b);
    case NodeOp::Power:
      return general_power(y, of, da, db);
    case NodeOp::Atan2:
      return over(minus(times(da, of.b), times(of.a, db)), plus(square(of.a), square(of.b)));
    case NodeOp::Hypot:
      return over(plus(times(of.a, da), times(of.b, db)), y);
    case NodeOp::Polygamma:
      return times(graph_.make(NodeOp::Polygamma, plus(of.a, constant(1)), of.b), db);
    case NodeOp::Mod:
      return remainder(y, of, da, db);
    case NodeOp::Min:
      return select(NodeOp::Less, of.b, of.a, db, da);
    case NodeOp::Max:
      return select(NodeOp::Less, of.a, of.b, db, da);
    default:
      return zero_;
  }
}

/// b a^(b - 1) a' + a^b log(a) b'. The second part is 0 where a^b is, also at a = 0.
NodeId Rules::general_power(NodeId y, const Node& of, NodeId da, NodeId db) {
  const NodeId lower = graph_.make(NodeOp::Power, of.a, graph_.make(NodeOp::Subtract, of.b, constant(1)));
  const NodeId of_base = times(times(of.b, lower), da);
  if (is_zero(db)) return of_base;
  const NodeId logarithmic = times(y, graph_.make(NodeOp::Log, of.a));
  return plus(of_base, times(select(NodeOp::Equal, y, zero_, zero_, logarithmic), db));
}

/// The whole number of times that b has been taken away from a is constant between jumps.
NodeId Rules::remainder(NodeId y, const Node& of, NodeId da, NodeId db) {
  if (is_zero(db)) return da;
  const NodeId turns = graph_.make(NodeOp::Round, over(graph_.make(NodeOp::Subtract, of.a, y), of.b));
  return minus(da, times(turns, db));
}

NodeId Rules::trigonometric(NodeId y, const Node& of, NodeId da) {
  switch (of.op) {
    case NodeOp::Sin:
      return times(graph_.make(NodeOp::Cos, of.a), da);
    case NodeOp::Cos:
      return negative(times(graph_.make(NodeOp::Sin, of.a), da));
    case NodeOp::Tan:
      return times(one_plus_square(y), da);
    case NodeOp::Asin:
      return over(da, graph_.make(NodeOp::Sqrt, one_minus_square(of.a)));
    case NodeOp::Acos:
      return negative(over(da, graph_.make(NodeOp::Sqrt, one_minus_square(of.a))));
    default:
      return over(da, one_plus_square(of.a));  // of atan
  }
}

NodeId Rules::hyperbolic(NodeId y, const Node& of, NodeId da) {
  switch (of.op) {
    case NodeOp::Sinh:
      return times(graph_.make(NodeOp::Cosh, of.a), da);
    case NodeOp::Cosh:
      return times(graph_.make(NodeOp::Sinh, of.a), da);
    case NodeOp::Tanh:
      return times(one_minus_square(y), da);
    case NodeOp::Asinh:
      return over(da, graph_.make(NodeOp::Sqrt, one_plus_square(of.a)));
    case NodeOp::Acosh: {
      const NodeId product = times(minus(of.a, constant(1)), plus(of.a, constant(1)));
      return over(da, graph_.make(NodeOp::Sqrt, product));
    }
    default:
      return over(da, one_minus_square(of.a));  // of atanh
  }
}

/// Also what is constant between jumps (sign, roundings, negation of truth): zero.
NodeId Rules::exponential(NodeId y, const Node& of, NodeId da) {
  const auto bell = [&] {
    const NodeId exponent = negative(square(of.a));
    return times(times(constant(kTwoOverRootPi), graph_.make(NodeOp::Exp, exponent)), da);
  };
  switch (of.op) {
    case NodeOp::Exp:
      return times(y, da);
    case NodeOp::Expm1:
      return times(graph_.make(NodeOp::Exp, of.a), da);
    case NodeOp::Log:
      return over(da, of.a);
    case NodeOp::Log2:
      return over(da, times(of.a, constant(kLn2)));
    case NodeOp::Log10:
      return over(da, times(of.a, constant(kLn10)));
    case NodeOp::Log1p:
      return over(da, plus(of.a, constant(1)));
    case NodeOp::Erf:
      return bell();
    case NodeOp::Erfc:
      return negative(bell());
    case NodeOp::TGamma:
      return times(times(y, graph_.make(NodeOp::Polygamma, zero_, of.a)), da);
    case NodeOp::LGamma:
      return times(graph_.make(NodeOp::Polygamma, zero_, of.a), da);
    default:
      return zero_;
  }
}

}  // namespace

/// Each node is met once per operand; later calls for the same operand find what earlier ones have made.
NodeId Graph::derivative(NodeId node, std::uint32_t operand) {
  const NodeId zero = constant(0), one = constant(1);
  const auto key_of = [&](NodeId id) { return (std::uint64_t{id} << 32) | operand; };
  const auto known = [&](NodeId id) {
    const Node& at = nodes_[id];
    if (at.op == NodeOp::Constant) return zero;
    if (at.op == NodeOp::Operand) return at.operand == operand ? one : zero;
    const NodeId* const found = derivatives_.find(key_of(id));
    return found == nullptr ? kNoNode : *found;
  };
  std::vector<NodeId> path = {node};
  Rules rules(*this, zero);
  while (!path.empty()) {
    const NodeId id = path.back();
    if (known(id) != kNoNode) {
      path.pop_back();
      continue;
    }
    const Node at = nodes_[id];  // a copy, because the graph grows
    const std::array<NodeId, 3> operands = {at.a, at.b, at.c};
    std::array<NodeId, 3> derivatives = {zero, zero, zero};
    bool is_open = false, is_constant = true;
    for (std::size_t k = 0; k < 3 && operands[k] != kNoNode; ++k) {
      derivatives[k] = known(operands[k]);
      if (derivatives[k] == kNoNode) {
        path.push_back(operands[k]);
        is_open = true;
      }
      if (derivatives[k] != zero) is_constant = false;
    }
    if (is_open) continue;
    path.pop_back();
    NodeId made = zero;
    if (is_constant) {
      // nothing in it depends on the operand
    } else if (at.op == NodeOp::Argument) {
      made = one;  // says so much: something in the list does
    } else if (at.op == NodeOp::Call) {
      std::vector<NodeId> arguments = arguments_of(id);
      const std::size_t count = arguments.size();
      for (std::size_t k = 0; k < count; ++k) arguments.push_back(known(arguments[k]));
      made = call(at.callee->derivative(), arguments, at.operand);
    } else {
      made = rules.derivative(id, at, derivatives[0], derivatives[1], derivatives[2]);
    }
    derivatives_.insert(key_of(id), made);
  }
  return known(node);
}

}  // namespace hyla::code
