// Assignments into arrays, records and messages. The cursor points at the slot to be assigned; every box on its way is
// made the variable's own first.
#include "code/machine_impl.h"

namespace hyla::code {

Box* Machine::Impl::own_box() {
  Box* box = cursor->box;
  if (box == nullptr || box->references == 1) return box;
  Box* made = heap.copy(box);
  heap.release(box);
  cursor->box = made;
  return made;
}

bool Machine::Impl::store_cursor(Slot value, bool boxed, std::int64_t slot, const Activation& at) {
  const Slot old = *cursor;
  if (boxed) Heap::retain(value.box);
  *cursor = value;
  const bool same = old.integer == value.integer || (boxed && heap.same(old.box, value.box));
  if (boxed) heap.release(old.box);
  if (!same && slot != Layout::kNoSlot) host.changed(at.self, static_cast<std::uint32_t>(slot));
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::CursorSlot>(const Instruction& instruction, Activation& at) {
  cursor = &at.slots[instruction.immediate.integer];
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::CursorLocal>(const Instruction& instruction, Activation& at) {
  cursor = &at[instruction.a];
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::CursorField>(const Instruction& instruction, Activation& at) {
  Box* box = own_box();
  if (box == nullptr) return fail_none(at, false);
  cursor = &box->slots()[instruction.immediate.integer];
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::CursorElement>(const Instruction& instruction, Activation& at) {
  Box* box = own_box();
  std::size_t place = 0;
  const auto count = static_cast<std::size_t>(instruction.immediate.integer);
  if (!locate(at, box, &at[instruction.a], count, place)) return false;
  cursor = &box->slots()[place];
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::StoreCursor>(const Instruction& instruction, Activation& at) {
  return store_cursor(at[instruction.a], false, instruction.immediate.integer, at);
}

template <>
bool Machine::Impl::perform<Opcode::StoreCursorBox>(const Instruction& instruction, Activation& at) {
  return store_cursor(at[instruction.a], true, instruction.immediate.integer, at);
}

}  // namespace hyla::code
