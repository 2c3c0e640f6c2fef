#include "code/program.h"

#include <fmt/format.h>

#include "code/operands.h"

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

ShortForm short_form_of(const Program& program) {
  ShortForm form;
  std::uint16_t first = 0;
  for (const Instruction& instruction : program.instructions) {
    const bool is_slot = instruction.opcode == Opcode::LoadSlot;
    if (is_slot || instruction.opcode == Opcode::LoadConstant) {
      if (form.kind != ShortForm::Kind::None || form.count == form.operands.size()) return {};
      if (form.count == 0) first = instruction.a;
      if (instruction.a != first + form.count) return {};
      form.operands[form.count++] = {is_slot, instruction.immediate};
    } else if (instruction.opcode == Opcode::Draw) {
      if (form.kind != ShortForm::Kind::None || instruction.b != first || instruction.c != form.count) return {};
      form.kind = ShortForm::Kind::Draw;
      form.distribution = static_cast<model::Builtin>(lower(instruction.immediate.integer));
      form.stream = upper(instruction.immediate.integer);
      first = instruction.a;
    } else {
      if (instruction.opcode != Opcode::Return || instruction.a != first || program.boxed_result) return {};
      if (form.kind == ShortForm::Kind::None && form.count == 1) form.kind = ShortForm::Kind::Value;
      return form;
    }
  }
  return {};
}

}  // namespace hyla::code
