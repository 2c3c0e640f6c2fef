// The dispatch loop. Frequent instructions are carried out here, rare ones by Impl::perform.
#include "code/machine.h"

#include <cmath>
#include <cstring>
#include <utility>

#include "code/machine_impl.h"

namespace hyla::code {
namespace {

constexpr std::size_t kFirstChunk = 1024;   ///< registers: enough for most programs, and quickly made
constexpr std::size_t kChunk = 16384;       ///< registers of the others
constexpr std::uint32_t kMostCalls = 1000;  ///< of functions inside each other

bool is_new_nan(double result, double a, double b) { return std::isnan(result) && !std::isnan(a) && !std::isnan(b); }

}  // namespace

// NOLINTBEGIN(bugprone-macro-parentheses): the macros below are pieces of the loop
// clang-format off
// Each instruction ends by jumping to the next one's code, so that the processor predicts each jump by itself. Compilers
// without labels as values get a switch.
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#define HYLA_CASE(opcode) label_##opcode:
#define HYLA_GO goto *kLabels[static_cast<std::size_t>(i->opcode)]
#define HYLA_NEXT do { ++i; HYLA_GO; } while (false)
#define HYLA_DISPATCH HYLA_GO;
#else
#define HYLA_CASE(opcode) case Opcode::opcode:
#define HYLA_GO break
#define HYLA_NEXT { ++i; break; }
#define HYLA_DISPATCH for (;;) switch (i->opcode)
#endif

#define HYLA_REAL(opcode, sign, word)                                               \
  HYLA_CASE(opcode) {                                                            \
    const double left = r[i->b].real, right = r[i->c].real, result = left sign right; \
    if (is_new_nan(result, left, right)) [[unlikely]] {                             \
      fail_number(word, left, right);                                               \
      goto failed;                                                                  \
    }                                                                               \
    r[i->a].real = result;                                                           \
    HYLA_NEXT;                                                                          \
  }
#define HYLA_INTEGER(opcode, function, other)                    \
  HYLA_CASE(opcode) {                                         \
    std::int64_t result = 0;                                     \
    if (function(r[i->b].integer, other, &result)) [[unlikely]] { \
      fail_overflow();                                           \
      goto failed;                                               \
    }                                                            \
    r[i->a].integer = result;                                     \
    HYLA_NEXT;                                                       \
  }
#define HYLA_COMPARE(opcode, member, relation)                     \
  HYLA_CASE(opcode)                                             \
    r[i->a].integer = r[i->b].member relation r[i->c].member ? 1 : 0; \
    HYLA_NEXT;
#define HYLA_UNLESS(opcode, member, relation)                                       \
  HYLA_CASE(opcode)                                                              \
    if (r[i->a].member relation r[i->b].member) HYLA_NEXT;                           \
    i = code + i->immediate.integer;                                                \
    HYLA_GO;

Outcome Machine::Impl::execute(Activation& at, std::uint32_t start, Slot* results) {
  const Instruction* const code = at.program->instructions.data();
  Slot* const r = at.registers;
#if defined(__GNUC__)
  static const void* const kLabels[] = {
#define HYLA_OPCODE(opcode, operands) &&label_##opcode,
#define HYLA_RARE_OPCODE(opcode, operands) &&label_##opcode,
#include "code/opcodes.def"
#undef HYLA_OPCODE
#undef HYLA_RARE_OPCODE
  };
#endif
  const Instruction* i = code + start;
  HYLA_DISPATCH {
    HYLA_CASE(End)
      return Outcome::Finished;
    HYLA_CASE(Return)
      if (results != nullptr) {
        for (std::size_t k = 0; k < i->b; ++k) results[k] = r[i->a + k];
      }
      return Outcome::Finished;
    HYLA_CASE(Jump)
      i = code + i->immediate.integer;
      HYLA_GO;
    HYLA_CASE(JumpBack)
      if ((++loop_turns & kTurnMask) == 0 && !may_turn()) [[unlikely]] goto failed;
      i = code + i->immediate.integer;
      HYLA_GO;
    HYLA_CASE(JumpIfFalse)
      if (r[i->a].integer != 0) HYLA_NEXT;
      i = code + i->immediate.integer;
      HYLA_GO;
    HYLA_CASE(JumpIfTrue)
      if (r[i->a].integer == 0) HYLA_NEXT;
      i = code + i->immediate.integer;
      HYLA_GO;
    HYLA_UNLESS(JumpUnlessLessReal, real, <)
    HYLA_UNLESS(JumpUnlessLessEqualReal, real, <=)
    HYLA_UNLESS(JumpUnlessEqualReal, real, ==)
    HYLA_UNLESS(JumpUnlessNotEqualReal, real, !=)
    HYLA_UNLESS(JumpUnlessLessInteger, integer, <)
    HYLA_UNLESS(JumpUnlessLessEqualInteger, integer, <=)
    HYLA_UNLESS(JumpUnlessEqualInteger, integer, ==)
    HYLA_UNLESS(JumpUnlessNotEqualInteger, integer, !=)
    HYLA_CASE(ForStart)
      if (r[i->a + 1].integer > 0) HYLA_NEXT;
      i = code + i->immediate.integer;
      HYLA_GO;
    HYLA_CASE(ForNext)
      if (--r[i->a + 1].integer <= 0) HYLA_NEXT;
      r[i->a].integer += r[i->a + 2].integer;
      if ((++loop_turns & kTurnMask) == 0 && !may_turn()) [[unlikely]] goto failed;
      i = code + i->immediate.integer;
      HYLA_GO;
    HYLA_CASE(Mark)
      r[i->a].integer = static_cast<std::int64_t>(temporaries.size() - at.temporaries_below);
      HYLA_NEXT;
    HYLA_CASE(Trim)
      trim(at.temporaries_below + static_cast<std::size_t>(r[i->a].integer));
      HYLA_NEXT;
    HYLA_CASE(Wait)
      detail = i->immediate.integer;
      return Outcome::Waiting;
    HYLA_CASE(EndProbe)
      detail = r[i->a].integer;
      return Outcome::Probed;
    HYLA_CASE(Call)
      if (!call(*i, at)) goto failed;
      HYLA_NEXT;

    HYLA_CASE(LoadConstant)
      r[i->a] = i->immediate;
      HYLA_NEXT;
    HYLA_CASE(Move)
      r[i->a] = r[i->b];
      HYLA_NEXT;
    HYLA_CASE(MoveOwned) {
      Box* const old = r[i->a].box;
      Heap::retain(r[i->b].box);
      r[i->a] = r[i->b];
      heap.release(old);
      HYLA_NEXT;
    }
    HYLA_CASE(Retain)
      Heap::retain(r[i->a].box);
      HYLA_NEXT;
    HYLA_CASE(Autorelease)
      if (r[i->a].box != nullptr) keep(r[i->a].box);
      HYLA_NEXT;
    HYLA_CASE(LoadTime)
      r[i->a].real = machine.time;
      HYLA_NEXT;
    HYLA_CASE(LoadSelf)
      r[i->a].object = at.self;
      HYLA_NEXT;
    HYLA_CASE(LoadSlot)
      r[i->a] = at.slots[i->immediate.integer];
      HYLA_NEXT;
    HYLA_CASE(LoadSlotTraced)
      host.observed(at.self, static_cast<std::uint32_t>(i->immediate.integer));
      r[i->a] = at.slots[i->immediate.integer];
      HYLA_NEXT;
    HYLA_CASE(LoadForeign)
    HYLA_CASE(LoadForeignTraced) {
      const ObjectRef object = r[i->b].object;
      const Slot* const slots = slots_of(object);
      if (slots == nullptr) [[unlikely]] {
        pc = static_cast<std::uint32_t>(i - code);
        fail_none(at, true);
        goto failed;
      }
      if (i->opcode == Opcode::LoadForeignTraced) {
        host.observed(object, static_cast<std::uint32_t>(i->immediate.integer));
      }
      r[i->a] = slots[i->immediate.integer];
      HYLA_NEXT;
    }
    HYLA_CASE(StoreSlot)
      at.slots[i->immediate.integer] = r[i->a];
      HYLA_NEXT;
    HYLA_CASE(StoreWatched) {
      Slot& slot = at.slots[i->immediate.integer];
      if (slot.integer == r[i->a].integer) {
        host.assigned_again(at.self, static_cast<std::uint32_t>(i->immediate.integer));
        HYLA_NEXT;
      }
      slot = r[i->a];
      host.changed(at.self, static_cast<std::uint32_t>(i->immediate.integer));
      HYLA_NEXT;
    }
    HYLA_CASE(StoreBox)
    HYLA_CASE(StoreWatchedBox) {
      Slot& slot = at.slots[i->immediate.integer];
      Box* const old = slot.box;
      Heap::retain(r[i->a].box);
      slot = r[i->a];
      if (i->opcode == Opcode::StoreWatchedBox && !heap.same(old, slot.box)) {
        host.changed(at.self, static_cast<std::uint32_t>(i->immediate.integer));
      }
      heap.release(old);
      HYLA_NEXT;
    }
    HYLA_CASE(LoadField) {
      const Box* const box = r[i->b].box;
      if (box == nullptr) [[unlikely]] {
        pc = static_cast<std::uint32_t>(i - code);
        fail_none(at, false);
        goto failed;
      }
      r[i->a] = box->slots()[i->immediate.integer];
      HYLA_NEXT;
    }
    HYLA_CASE(LoadElement) {
      const Box* const box = r[i->b].box;
      const std::int64_t index = r[i->c].integer, size = box == nullptr ? 0 : box->size;
      if (index < 1 || index > size) [[unlikely]] {
        pc = static_cast<std::uint32_t>(i - code);
        fail_index(at, index, size);
        goto failed;
      }
      r[i->a] = box->slots()[index - 1];
      HYLA_NEXT;
    }
    HYLA_CASE(LoadPlace)
      r[i->a] = r[i->b].box->slots()[r[i->c].integer];
      HYLA_NEXT;

    HYLA_REAL(AddReal, +, "+")
    HYLA_REAL(SubtractReal, -, "-")
    HYLA_REAL(MultiplyReal, *, "*")
    HYLA_CASE(DivideReal) {
      const double left = r[i->b].real, right = r[i->c].real, result = left / right;
      if (right == 0) [[unlikely]] {
        fail("division by zero");
        goto failed;
      }
      if (is_new_nan(result, left, right)) [[unlikely]] {
        fail_number("/", left, right);
        goto failed;
      }
      r[i->a].real = result;
      HYLA_NEXT;
    }
    HYLA_CASE(NegateReal)
      r[i->a].real = -r[i->b].real;
      HYLA_NEXT;
    HYLA_INTEGER(AddInteger, __builtin_add_overflow, r[i->c].integer)
    HYLA_INTEGER(AddIntegerConstant, __builtin_add_overflow, i->immediate.integer)
    HYLA_INTEGER(SubtractInteger, __builtin_sub_overflow, r[i->c].integer)
    HYLA_INTEGER(MultiplyInteger, __builtin_mul_overflow, r[i->c].integer)
    HYLA_CASE(NegateInteger)
      if (r[i->b].integer == INT64_MIN) [[unlikely]] {
        fail_overflow();
        goto failed;
      }
      r[i->a].integer = -r[i->b].integer;
      HYLA_NEXT;
    HYLA_CASE(IntegerToReal)
      r[i->a].real = static_cast<double>(r[i->b].integer);
      HYLA_NEXT;
    HYLA_CASE(Draw) {
      const std::int64_t how = i->immediate.integer;
      const std::span<const Slot> arguments(&r[i->b], i->c);
      if (!host.draw(at.self, upper(how), static_cast<model::Builtin>(lower(how)), arguments, r[i->a])) goto failed;
      HYLA_NEXT;
    }
    HYLA_COMPARE(LessReal, real, <)
    HYLA_COMPARE(LessEqualReal, real, <=)
    HYLA_COMPARE(EqualReal, real, ==)
    HYLA_COMPARE(NotEqualReal, real, !=)
    HYLA_COMPARE(LessInteger, integer, <)
    HYLA_COMPARE(LessEqualInteger, integer, <=)
    HYLA_COMPARE(EqualInteger, integer, ==)
    HYLA_COMPARE(NotEqualInteger, integer, !=)
    HYLA_CASE(Not)
      r[i->a].integer = r[i->b].integer == 0 ? 1 : 0;
      HYLA_NEXT;

#define HYLA_OPCODE(opcode, operands)
#define HYLA_RARE_OPCODE(opcode, operands)            \
  HYLA_CASE(opcode)                                \
    pc = static_cast<std::uint32_t>(i - code);       \
    if (!perform<Opcode::opcode>(*i, at)) goto failed; \
    HYLA_NEXT;
#include "code/opcodes.def"
#undef HYLA_OPCODE
#undef HYLA_RARE_OPCODE
  }
failed:
  if (!placed) {
    failure.span = at.program->spans[static_cast<std::size_t>(i - code)];
    placed = true;
  }
  return Outcome::Failed;
}
// clang-format on
// NOLINTEND(bugprone-macro-parentheses)
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
#undef HYLA_GO
#undef HYLA_CASE
#undef HYLA_NEXT
#undef HYLA_DISPATCH
#undef HYLA_REAL
#undef HYLA_INTEGER
#undef HYLA_COMPARE
#undef HYLA_UNLESS

/// Runs a function on registers of its own, above those in use.
bool Machine::Impl::call(const Instruction& instruction, Activation& at) {
  if (depth >= kMostCalls) return fail("functions call each other too deeply");
  if ((++loop_turns & kTurnMask) == 0 && !may_turn("these calls do not come to an end")) [[unlikely]]
    return false;
  const Program& program =
      functions.program(model::FunctionId(static_cast<std::size_t>(instruction.immediate.integer)));
  const Place before = stack;
  const std::size_t mark = temporaries.size();
  Activation inner{&program, enter(program.registers), {}, nullptr, mark};
  std::memcpy(static_cast<void*>(inner.registers), &at[instruction.b], program.inputs * sizeof(Slot));
  begin_locals(program, inner.registers);
  ++depth;
  const Outcome outcome = execute(inner, 0, &at[instruction.a]);
  --depth;
  end_locals(program, inner.registers);
  trim(mark);
  stack = before;
  return outcome == Outcome::Finished;
}

void Machine::Impl::next_chunk(std::size_t registers) {
  std::size_t number = stack.top == nullptr ? 0 : stack.chunk + 1;
  while (number < chunks.size() && chunk_sizes[number] < registers) ++number;
  if (number == chunks.size()) {
    chunk_sizes.push_back(std::max(chunks.empty() ? kFirstChunk : kChunk, registers));
    chunks.push_back(std::make_unique<Slot[]>(chunk_sizes.back()));
  }
  stack = {chunks[number].get(), chunks[number].get() + chunk_sizes[number], number};
}

Machine::Impl::~Impl() {
  trim(0);
  for (Box* text : texts) heap.release(text);
  for (const Slot constant : constants) heap.release(constant.box);
}

Machine::Machine(const model::Model& model, Functions& functions, Heap& heap, Host& host)
    : impl_(std::make_unique<Impl>(*this, model, functions, heap, host)) {
  impl_->next_chunk(0);
}
Machine::~Machine() = default;

Status Machine::run(const Program& program, ObjectRef self, Slot* slots, std::span<const Slot> inputs, Slot* result) {
  Impl& impl = *impl_;
  if (!impl.has_room(program.registers)) [[unlikely]] {
    const Impl::Place before = impl.stack;
    impl.next_chunk(program.registers);
    const Status status = run(program, self, slots, inputs, result);
    impl.stack = before;
    return status;
  }
  Slot* const first = impl.stack.top;
  impl.stack.top = first + program.registers;
  const bool inside = std::exchange(impl.running, true);
  if (!inside) impl.loop_turns = 0;
  Activation at{&program, first, self, slots, impl.temporaries.size()};
  for (std::size_t i = 0; i < inputs.size(); ++i) first[i] = inputs[i];
  if (!program.boxed_locals.empty()) impl.begin_locals(program, first);
  Slot unused;
  Slot* const goal = result == nullptr ? &unused : result;
  *goal = Slot();
  const Outcome outcome = impl.execute(at, 0, goal);
  if (result == nullptr && program.boxed_result) impl.heap.release(unused.box);
  if (!program.boxed_locals.empty()) impl.end_locals(program, first);
  impl.trim(at.temporaries_below);
  impl.stack.top = first;
  impl.running = inside;
  return outcome == Outcome::Failed ? Status::Failed : Status::Finished;
}

Frame Machine::make_frame(const Program& program, std::span<const Slot> inputs) {
  Frame frame;
  frame.program = &program;
  frame.registers = std::make_unique<Slot[]>(program.registers);
  for (std::size_t i = 0; i < inputs.size(); ++i) frame.registers[i] = inputs[i];
  for (const std::uint16_t local : program.boxed_locals) {
    if (local < inputs.size()) Heap::retain(frame.registers[local].box);
  }
  return frame;
}

Status Machine::resume(Frame& frame, std::uint32_t pc, ObjectRef self, Slot* slots) {
  Impl& impl = *impl_;
  const bool inside = std::exchange(impl.running, true);
  if (!inside) impl.loop_turns = 0;
  Activation at{frame.program, frame.registers.get(), self, slots, impl.temporaries.size()};
  const Outcome outcome = impl.execute(at, pc, nullptr);
  impl.running = inside;
  impl.trim(at.temporaries_below);
  if (outcome == Outcome::Waiting) [[likely]] {
    frame.wait = static_cast<std::uint32_t>(impl.detail);
    return Status::Waiting;
  }
  return outcome == Outcome::Failed ? Status::Failed : Status::Finished;
}

Status Machine::Impl::probe(Frame& frame, std::uint32_t start, ObjectRef self, Slot* slots) {
  const std::size_t mark = temporaries.size();
  Activation at{frame.program, frame.registers.get(), self, slots, mark};
  const Outcome outcome = execute(at, start, nullptr);
  trim(mark);
  return outcome == Outcome::Probed ? Status::Finished : Status::Failed;
}

Status Machine::probe(Frame& frame, std::uint32_t pc, ObjectRef self, Slot* slots, bool& holds) {
  const Status status = impl_->probe(frame, pc, self, slots);
  holds = status == Status::Finished && impl_->detail != 0;
  return status;
}

Status Machine::probe_value(Frame& frame, std::uint32_t pc, ObjectRef self, Slot* slots, double& value) {
  const Status status = impl_->probe(frame, pc, self, slots);
  value = Slot(impl_->detail).real;
  return status;
}

void Machine::set_message(Frame& frame, std::uint16_t where, Box* message) {
  Heap::retain(message);
  impl_->heap.release(frame.registers[where].box);
  frame.registers[where].box = message;
}

void Machine::destroy_frame(Frame& frame) {
  if (frame.registers == nullptr) return;
  impl_->end_locals(*frame.program, frame.registers.get());
  frame.registers.reset();
}

void Machine::fail(std::string message, std::string hint) { impl_->fail(std::move(message), std::move(hint)); }
const Failure& Machine::failure() const { return impl_->failure; }

}  // namespace hyla::code
