// The scalar interpreter. Each instruction ends by jumping to the code of the next, so that the processor predicts each
// jump by itself.
#include "code/graph_apply.h"
#include "code/tape.h"
#include "code/tape_words.h"

namespace hyla::code {

// clang-format off
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"

void run(const Code& code, double* values) {
  static const void* const kLabels[] = {
#define HYLA_NODE(op, operands) &&label_##op,
#include "code/graph_ops.def"
#undef HYLA_NODE
#define HYLA_PAIR(name, first, second) &&label_##name,
    HYLA_PAIRS
#undef HYLA_PAIR
  };
  const std::uint32_t* i = code.words.data();
  if (i == nullptr) return;
  goto* kLabels[*i];

// The number of operands is known, so of the three reads those that are not needed repeat the first and vanish.
#define HYLA_NODE(op, operands)                                                                \
  label_##op:                                                                                  \
  if constexpr (NodeOp::op == NodeOp::Constant) {                                              \
    return;                                                                                    \
  } else if constexpr (NodeOp::op == NodeOp::Call) {                                           \
    values[i[1]] = run_call(code.calls[i[2]], values, 1);                                      \
    i += 3;                                                                                    \
    goto* kLabels[*i];                                                                         \
  } else {                                                                                     \
    constexpr std::size_t kReads = reads(NodeOp::op, operands);                                \
    const double a = values[i[2]], b = values[i[kReads > 1 ? 3 : 2]], c = values[i[kReads > 2 ? 4 : 2]]; \
    values[i[1]] = apply_inline(NodeOp::op, a, b, c);                                          \
    i += 2 + kReads;                                                                           \
    goto* kLabels[*i];                                                                         \
  }
#include "code/graph_ops.def"
#undef HYLA_NODE

#define HYLA_PAIR(name, first, second)                                     \
  label_##name: {                                                          \
    const double a = values[i[2]], b = values[i[3]], c = values[i[4]];     \
    const double t = first;                                                \
    values[i[1]] = second;                                                 \
    i += 5;                                                                \
    goto* kLabels[*i];                                                     \
  }
  HYLA_PAIRS
#undef HYLA_PAIR
}

#pragma GCC diagnostic pop
// clang-format on

}  // namespace hyla::code
