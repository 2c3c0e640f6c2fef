// Instructions as the scalar interpreter reads them: words of 32 bits, the operation, the result, the operands. The
// last word is Constant, which stands for the end.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "code/tape.h"

namespace hyla::code {

std::vector<std::uint32_t> pack(std::span<const TapeInstruction> instructions);

}  // namespace hyla::code
