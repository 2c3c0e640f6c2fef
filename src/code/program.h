// A compiled block, expression or process: register bytecode, 16 bytes an instruction.
//
// Registers are slots. The inputs of a unit come first, then locals, then temporaries. Boxes in locals are owned by the
// frame; boxes in temporaries are kept alive by the machine until the statement's program or loop turn ends.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "code/slot.h"
#include "diag/source.h"
#include "model/model.h"

namespace hyla::code {

enum class Opcode : std::uint16_t {
#define HYLA_OPCODE(opcode, operands) opcode,
#define HYLA_RARE_OPCODE(opcode, operands) opcode,
#include "code/opcodes.def"
#undef HYLA_OPCODE
#undef HYLA_RARE_OPCODE
};

struct Instruction {
  Opcode opcode{};
  std::uint16_t a = 0, b = 0, c = 0;  ///< registers, mostly: opcodes.def says
  Slot immediate;                     ///< a constant, a jump, a slot number
};
static_assert(sizeof(Instruction) == 16);

/// One way on from a place where a process waits.
struct WaitBranch {
  model::Branch::Kind kind{};  ///< Receive, Until, After, At
  std::uint16_t value = 0;     ///< After, At: the register that holds the duration or time
  std::uint16_t source = 0;    ///< Receive: the register that holds port or mailbox; unused for a signal
  model::EntityKind source_kind = model::EntityKind::None;  ///< Receive: Port, Mailbox or Signal
  std::uint32_t source_number = UINT32_MAX;                 ///< Receive: port number or signal number in the class
  model::MessageId message;                                 ///< Receive: none for any
  std::uint16_t message_register = 0;  ///< Receive: where the message is to be put before probing and resuming
  std::uint32_t probe =
      UINT32_MAX;            ///< Until: its condition; Receive: its `where`, if it has one. A pc for Machine::probe
  std::uint32_t resume = 0;  ///< where the process goes on if this branch is taken. A pc for Machine::resume
  /// Until: for each relation that reads `time`, the difference of its sides. Pcs for Machine::probe_value.
  std::vector<std::uint32_t> time_probes;
  /// Until: the same for each relation between Reals, as a function whose zeros can be searched.
  std::vector<std::uint32_t> relation_probes;
  diag::Span span;
};

struct WaitPoint {
  std::vector<WaitBranch> branches;  ///< in the order of the text
  bool has_until = false;            ///< one of them waits for a condition
  bool only_times = true;            ///< all of them wait for a time
  diag::Span span;
};

/// What a program amounts to if it is only a constant, a variable, or a draw with such arguments, as most durations
/// are: then it can be evaluated without the machine.
struct ShortForm {
  enum class Kind : std::uint8_t { None, Value, Draw };
  struct Operand {
    bool own_slot = false;
    Slot value;  ///< the constant, or the number of the slot
  };
  Kind kind = Kind::None;
  std::uint8_t count = 0;  ///< of operands: one for Value, the arguments for Draw
  model::Builtin distribution{};
  std::uint32_t stream = 0;
  std::array<Operand, 3> operands;
};

struct Program {
  std::vector<Instruction> instructions;
  std::vector<diag::Span> spans;            ///< of each instruction
  std::vector<model::ExprId> origins;       ///< of each instruction: what it computes, for messages; may be none
  std::vector<WaitPoint> waits;             ///< of processes
  std::vector<std::uint16_t> boxed_locals;  ///< registers to release when the frame ends
  std::uint16_t inputs = 0;
  std::uint16_t registers = 0;
  bool boxed_result = false;                  ///< the result is a box, and its reference goes to the caller
  bool draws = false;                         ///< uses random numbers
  std::vector<std::uint32_t> creates;         ///< what it can make: indices into Model::occupants
  std::vector<model::ConnectionId> connects;  ///< what it can connect
  ShortForm short_form;

  bool empty() const { return instructions.empty(); }
};

std::string dump(const Program& program);
/// Of a program that is complete otherwise.
ShortForm short_form_of(const Program& program);

}  // namespace hyla::code
