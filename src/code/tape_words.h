// Instructions as the interpreters of scalars and lanes read them: words of 32 bits, the operation, the result, the
// operands. The last word is Constant, which stands for the end.
//
// Two sums, differences or products that follow each other are fused if the first result is used by the second alone.
// Each is rounded as before; only the way to the second operation is saved. Measured on right-hand sides that are
// mostly sums and products (bench/tape_bench.cpp), a quarter of the time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "code/tape.h"

namespace hyla::code {

/// Every fused pair: HYLA_PAIR(name, t, result), with t made from a and b, and the result from t and c.
#define HYLA_PAIRS                          \
  HYLA_PAIR(AddAdd, a + b, t + c)           \
  HYLA_PAIR(AddSubtract, a + b, t - c)      \
  HYLA_PAIR(AddFrom, a + b, c - t)          \
  HYLA_PAIR(AddMultiply, a + b, t * c)      \
  HYLA_PAIR(SubtractAdd, a - b, t + c)      \
  HYLA_PAIR(SubtractSubtract, a - b, t - c) \
  HYLA_PAIR(SubtractFrom, a - b, c - t)     \
  HYLA_PAIR(SubtractMultiply, a - b, t * c) \
  HYLA_PAIR(MultiplyAdd, a* b, t + c)       \
  HYLA_PAIR(MultiplySubtract, a* b, t - c)  \
  HYLA_PAIR(MultiplyFrom, a* b, c - t)      \
  HYLA_PAIR(MultiplyMultiply, a* b, t* c)

/// In the order of the first operation (Add, Subtract, Multiply), then of what follows (t + c, t - c, c - t, t * c).
enum class PairOp : std::uint32_t {
  Before = static_cast<std::uint32_t>(NodeOp::Call),  ///< words go on where those of single operations end
#define HYLA_PAIR(name, first, second) name,
  HYLA_PAIRS
#undef HYLA_PAIR
};

/// Operands that an instruction reads; a copy is written as Operand and reads one.
constexpr std::size_t reads(NodeOp op, int operands) {
  return op == NodeOp::Operand ? 1 : static_cast<std::size_t>(operands);
}

/// `temporaries`: places whose values nobody needs after the instructions, and that are written before they are read.
std::vector<std::uint32_t> pack(std::span<const TapeInstruction> instructions, std::span<const TapeCall> calls,
                                std::span<const std::uint32_t> temporaries);

}  // namespace hyla::code
