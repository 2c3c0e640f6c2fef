#include "code/program.h"

#include <fmt/format.h>

namespace hyla::code {

std::string dump(const Program& program) {
  static constexpr const char* kNames[] = {
#define HYLA_OPCODE(opcode, operands) #opcode,
#define HYLA_RARE_OPCODE(opcode, operands) #opcode,
#include "code/opcodes.def"
#undef HYLA_OPCODE
#undef HYLA_RARE_OPCODE
  };
  std::string text;
  for (std::size_t i = 0; i < program.instructions.size(); ++i) {
    const Instruction& instruction = program.instructions[i];
    text += fmt::format("{:4} {} {} {} {} {}\n", i, kNames[static_cast<std::size_t>(instruction.opcode)], instruction.a,
                        instruction.b, instruction.c, instruction.immediate.integer);
  }
  return text;
}

}  // namespace hyla::code
