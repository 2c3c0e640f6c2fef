// The inside of the machine: what its dispatch loop and the handlers of rare instructions share.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "code/functions.h"
#include "code/machine.h"
#include "code/operands.h"

namespace hyla::code {

/// One run of a program.
struct Activation {
  const Program* program = nullptr;
  Slot* registers = nullptr;
  ObjectRef self;
  Slot* slots = nullptr;              ///< of `self`
  std::size_t temporaries_below = 0;  ///< temporary boxes that are not its own

  Slot& operator[](std::size_t index) const { return registers[index]; }
};

enum class Outcome : std::uint8_t { Finished, Waiting, Probed, Failed };

struct Machine::Impl {
  Impl(Machine& the_machine, const model::Model& the_model, Functions& the_functions, Heap& the_heap, Host& the_host)
      : machine(the_machine), model(the_model), functions(the_functions), heap(the_heap), host(the_host) {}
  ~Impl();

  /// Runs from `pc` on. Results go to `results`; the number of the wait, or the value of the probe, to `detail`.
  Outcome execute(Activation& at, std::uint32_t pc, Slot* results);
  bool call(const Instruction& instruction, Activation& at);
  Status probe(Frame& frame, std::uint32_t start, ObjectRef self, Slot* slots);

  /// A rare instruction. False: it has failed.
  template <Opcode opcode>
  bool perform(const Instruction& instruction, Activation& at);

  // Registers: chunks that never move.
  struct Place {
    Slot* top = nullptr;
    Slot* limit = nullptr;
    std::size_t chunk = 0;
  };
  bool has_room(std::size_t registers) const { return static_cast<std::size_t>(stack.limit - stack.top) >= registers; }
  Slot* enter(std::size_t registers) {
    if (!has_room(registers)) next_chunk(registers);
    Slot* first = stack.top;
    stack.top += registers;
    return first;
  }
  void next_chunk(std::size_t registers);

  // Boxes of temporaries.
  Box* keep(Box* box) {
    temporaries.push_back(box);
    return box;
  }
  /// A reference for somebody else: that of the youngest temporary if it is the box, else a new one.
  void give_away(Box* box) {
    if (!temporaries.empty() && temporaries.back() == box) {
      temporaries.pop_back();
    } else {
      Heap::retain(box);
    }
  }
  void trim(std::size_t mark) {
    while (temporaries.size() > mark) {
      Box* box = temporaries.back();
      temporaries.pop_back();
      heap.release(box);
    }
  }
  void begin_locals(const Program& program, Slot* registers) const {
    for (const std::uint16_t local : program.boxed_locals) registers[local].box = nullptr;
  }
  void end_locals(const Program& program, const Slot* registers) {
    for (const std::uint16_t local : program.boxed_locals) heap.release(registers[local].box);
  }

  /// Null for none and for an object that has gone.
  const Slot* slots_of(ObjectRef object) const {
    if (object.index < host.heads.size()) [[likely]] {
      const ObjectHead& head = host.heads[object.index];
      if (head.generation == object.generation) [[likely]] {
        return head.slots;
      }
    }
    return object ? host.slots(object) : nullptr;
  }

  /// Whether loops may go on turning, and functions calling: not for ever, and not if the host wants an end.
  bool may_turn(std::string_view what = "this loop does not come to an end") {
    if (loop_turns >= machine.most_turns) return fail_turns(what);
    return host.keeps_going() || fail("interrupted");
  }

  // Failures: each returns false.
  bool fail(std::string message, std::string hint = "");
  bool fail_index(const Activation& at, std::int64_t index, std::int64_t size);
  bool fail_none(const Activation& at, bool object);
  bool fail_number(std::string_view operation, double a, double b);
  bool fail_overflow();
  bool fail_size(std::int64_t elements);
  bool fail_text();
  bool fail_turns(std::string_view what);
  bool fail_function(model::Builtin which, double a, double b);
  /// The text of what the instruction computes, or of an operand of it.
  std::string origin(const Activation& at, bool operand) const;

  bool fail_slice(const Activation& at, const Box* array, const Slot* selected, std::int64_t how, std::size_t outside);

  /// Where an element is; false: outside, told to fail().
  bool locate(const Activation& at, const Box* array, const Slot* indices, std::size_t count, std::size_t& place);
  /// The box under the cursor, which it then has for itself; null if there is none.
  Box* own_box();
  bool store_cursor(Slot value, bool boxed, std::int64_t slot, const Activation& at);

  Machine& machine;
  const model::Model& model;
  Functions& functions;
  Heap& heap;
  Host& host;
  std::vector<std::unique_ptr<Slot[]>> chunks;
  std::vector<std::size_t> chunk_sizes;
  Place stack;
  std::vector<Box*> temporaries;
  std::vector<Box*> texts;      ///< literals, by index; made when first used
  std::vector<Slot> constants;  ///< boxed ones of modules, by VariableId; made when first used
  std::string line;             ///< of `print`, as far as it is put together
  Slot* cursor = nullptr;
  std::int64_t detail = 0;       ///< of the program that has just stopped: its wait, or the value of its probe
  std::uint32_t depth = 0;       ///< of functions
  std::uint64_t loop_turns = 0;  ///< of loops, and calls, since the outermost program began
  bool running = false;          ///< the host may enter the machine again
  static constexpr std::uint64_t kTurnMask = 0xFFFFF;
  std::uint32_t pc = 0;  ///< of the rare instruction that is carried out
  Failure failure;
  bool placed = false;  ///< the failure has its span
};

#define HYLA_OPCODE(opcode, operands)
#define HYLA_RARE_OPCODE(opcode, operands) \
  template <>                              \
  bool Machine::Impl::perform<Opcode::opcode>(const Instruction& instruction, Activation& at);
#include "code/opcodes.def"
#undef HYLA_OPCODE
#undef HYLA_RARE_OPCODE

/// Real functions of one or two numbers; NaN where there is no result.
double real_function(model::Builtin which, double a, double b);
/// False: overflow or division by zero.
bool integer_function(model::Builtin which, std::int64_t a, std::int64_t b, std::int64_t& result);
/// False: outside the range of Integers.
bool round_number(model::Builtin how, double value, std::int64_t& result);

/// A value as the language writes it.
void append_text(std::string& out, const model::Model& model, Host& host, model::Type type, Slot value, bool inside);

}  // namespace hyla::code
