// Instructions as the scalar interpreter reads them: words of 32 bits, the operation, the result, the operands. The
// last word is Constant, which stands for the end.
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

/// The first word of a pair: of the first operation (Add, Subtract, Multiply: 0 to 2) and what follows (t + c, t - c,
/// c - t, t * c: 0 to 3).
inline constexpr std::uint32_t kFirstPair = static_cast<std::uint32_t>(NodeOp::Select) + 1;

/// `temporaries`: places whose values nobody needs after the instructions, and that are written before they are read.
std::vector<std::uint32_t> pack(std::span<const TapeInstruction> instructions,
                                std::span<const std::uint32_t> temporaries);

}  // namespace hyla::code
