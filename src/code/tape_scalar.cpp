// The scalar interpreter. Each instruction ends by jumping to the code of the next, so that the processor predicts each
// jump by itself.
#include "code/graph_apply.h"
#include "code/tape.h"
#include "code/tape_words.h"

namespace hyla::code {

std::vector<std::uint32_t> pack(std::span<const TapeInstruction> instructions) {
  std::vector<std::uint32_t> words;
  for (const TapeInstruction& each : instructions) {
    const int operands = each.op == NodeOp::Operand ? 1 : operands_of(each.op);
    words.insert(words.end(), {static_cast<std::uint32_t>(each.op), each.out, each.a});
    if (operands > 1) words.push_back(each.b);
    if (operands > 2) words.push_back(each.c);
  }
  words.push_back(static_cast<std::uint32_t>(NodeOp::Constant));
  return words;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"

void run(const Code& code, double* values) {
  static const void* const kLabels[] = {
#define HYLA_NODE(op, operands) &&label_##op,
#include "code/graph_ops.def"
#undef HYLA_NODE
  };
  const std::uint32_t* i = code.words.data();
  if (i == nullptr) return;
  goto* kLabels[*i];

  // Constants and operands have no operands; their code is below.
#define HYLA_NODE(op, operands)                                                                                        \
  label_##op : if constexpr ((operands) == 0 && NodeOp::op == NodeOp::Constant) { return; }                            \
  else {                                                                                                               \
    constexpr int kRead = NodeOp::op == NodeOp::Operand ? 1 : (operands);                                              \
    values[i[1]] = apply_inline(NodeOp::op, values[i[2]], values[i[kRead > 1 ? 3 : 2]], values[i[kRead > 2 ? 4 : 2]]); \
    i += 2 + kRead;                                                                                                    \
    goto* kLabels[*i];                                                                                                 \
  }
#include "code/graph_ops.def"
#undef HYLA_NODE
}

#pragma GCC diagnostic pop

}  // namespace hyla::code
