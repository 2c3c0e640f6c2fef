#include "code/evaluator.h"
#include "code/graph_apply.h"

namespace hyla::code {

namespace {

template <NodeOp op>
double unary(double a) {
  return apply_inline(op, a, 0, 0);
}

template <NodeOp op>
double binary(double a, double b) {
  return apply_inline(op, a, b, 0);
}

NativeFunctions make_functions() {
  NativeFunctions functions;
#define HYLA_NODE(op, operands)                                                  \
  if constexpr (static_cast<std::size_t>(NodeOp::op) < kNodeOps) {               \
    functions.unary[static_cast<std::size_t>(NodeOp::op)] = unary<NodeOp::op>;   \
    functions.binary[static_cast<std::size_t>(NodeOp::op)] = binary<NodeOp::op>; \
  }
#include "code/graph_ops.def"
#undef HYLA_NODE
  return functions;
}

}  // namespace

const NativeFunctions& native_functions() {
  static const NativeFunctions functions = make_functions();
  return functions;
}

}  // namespace hyla::code
