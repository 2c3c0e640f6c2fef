// Instructions by which objects and connections come and go.
#include "code/machine_impl.h"
#include "code/operands.h"

namespace hyla::code {

namespace {

std::span<const Slot> values_behind(const Slot* count) { return {count + 1, static_cast<std::size_t>(count->integer)}; }

Host::Joining joining_at(const Instruction& instruction, const Slot* ends) {
  Host::Joining joining;
  joining.connection = model::ConnectionId(static_cast<std::size_t>(instruction.immediate.integer));
  joining.from = ends[0];
  joining.to = ends[1];
  joining.from_place = ends[2];
  joining.to_place = ends[3];
  joining.values = values_behind(ends + 4);
  return joining;
}

}  // namespace

template <>
bool Machine::Impl::perform<Opcode::Create>(const Instruction& instruction, Activation& at) {
  Host::Creation creation;
  creation.occupant = static_cast<std::uint32_t>(instruction.immediate.integer);
  creation.values = values_behind(&at[instruction.b]);
  creation.span = at.program->spans[pc];
  if (instruction.c != kNoRegister) creation.population = static_cast<std::uint32_t>(at[instruction.c].integer);
  ObjectRef made;
  if (!host.create(at.self, creation, made)) return false;
  at[instruction.a].object = made;
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::Exchange>(const Instruction& instruction, Activation& at) {
  Host::Creation creation;
  creation.occupant = lower(instruction.immediate.integer);
  creation.place = model::PartId(upper(instruction.immediate.integer));
  creation.values = values_behind(&at[instruction.b]);
  creation.span = at.program->spans[pc];
  if (instruction.c != kNoRegister) creation.element = at[instruction.c].integer;
  ObjectRef made;
  if (!host.create(at.self, creation, made)) return false;
  at[instruction.a].object = made;
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::Delete>(const Instruction& instruction, Activation& at) {
  return host.destroy(at.self, at[instruction.a].object, instruction.immediate.integer != 0, at.program->spans[pc]);
}

template <>
bool Machine::Impl::perform<Opcode::Connect>(const Instruction& instruction, Activation& at) {
  std::int64_t handle = 0;
  if (!host.connect(at.self, joining_at(instruction, &at[instruction.b]), handle)) return false;
  at[instruction.a].integer = handle;
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::Disconnect>(const Instruction& instruction, Activation& at) {
  return host.disconnect(at.self, at[instruction.a].integer, at.program->spans[pc]);
}

template <>
bool Machine::Impl::perform<Opcode::DisconnectEnds>(const Instruction& instruction, Activation& at) {
  return host.disconnect(at.self, joining_at(instruction, &at[instruction.b]));
}

}  // namespace hyla::code
