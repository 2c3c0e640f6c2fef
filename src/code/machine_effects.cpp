// Instructions that ask or tell the host: messages, mailboxes, populations, processes, statistics.
#include "code/machine_impl.h"

namespace hyla::code {

namespace {

std::uint32_t number(Slot slot) { return static_cast<std::uint32_t>(slot.integer); }

}  // namespace

template <>
bool Machine::Impl::perform<Opcode::CallExternal>(const Instruction& instruction, Activation& at) {
  std::string why_not;
  const model::FunctionId id(static_cast<std::size_t>(instruction.immediate.integer));
  const ExternalFunction* const function = functions.external.function(id, why_not);
  if (function == nullptr) return fail(why_not);
  const std::size_t first = std::size_t{instruction.b} + instruction.c;
  void* const object = instruction.c == 0 ? nullptr : functions.external.object(at[instruction.b].integer);
  if (instruction.c != 0 && object == nullptr) return fail(origin(at, true) + " does not exist now");
  const std::span<const Slot> arguments(&at[first], function->parameters());
  return function->call(heap, object, arguments, &at[instruction.a], why_not) || fail(why_not);
}

template <>
bool Machine::Impl::perform<Opcode::Send>(const Instruction& instruction, Activation& at) {
  const Sending how = unpack_sending(instruction.immediate.integer);
  Box* message = at[instruction.c].box;
  if (message == nullptr) return fail("there is no message to send", "ask for `!= none` first");
  give_away(message);
  Host::Sending sending;
  sending.port = number(at[instruction.b]);
  sending.direct = how.direct;
  sending.message = message;
  sending.delay_kind = how.delay_kind;
  if (how.delay_kind != model::DelayKind::None) sending.delay = at[how.delay].real;
  std::int64_t delivery = 0;
  if (!host.send(at.self, sending, delivery)) return false;
  at[instruction.a].integer = delivery;
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::Cancel>(const Instruction& instruction, Activation& at) {
  host.cancel(at[instruction.a].integer);
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::Raise>(const Instruction& instruction, Activation& at) {
  host.raise(at.self, number(instruction.immediate));
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::MailboxSize>(const Instruction& instruction, Activation& at) {
  at[instruction.a].integer = host.mailbox_size(number(at[instruction.b]));
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::MailboxAt>(const Instruction& instruction, Activation& at) {
  at[instruction.a].box = host.mailbox_at(number(at[instruction.b]), at[instruction.c].integer);
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::MailboxTake>(const Instruction& instruction, Activation& at) {
  at[instruction.a].box = keep(host.mailbox_take(number(at[instruction.b]), at[instruction.c].integer));
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::MailboxPut>(const Instruction& instruction, Activation& at) {
  Box* message = at[instruction.b].box;
  if (message == nullptr) return fail("there is no message to put into the mailbox", "ask for `!= none` first");
  return host.mailbox_put(number(at[instruction.a]), message);
}

template <>
bool Machine::Impl::perform<Opcode::PopulationSize>(const Instruction& instruction, Activation& at) {
  at[instruction.a].integer = host.population_size(number(at[instruction.b]));
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::PopulationAt>(const Instruction& instruction, Activation& at) {
  at[instruction.a].object = host.population_at(number(at[instruction.b]), at[instruction.c].integer);
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::PopulationMembers>(const Instruction& instruction, Activation& at) {
  const std::uint32_t population = number(at[instruction.b]);
  const std::int64_t sizes[1] = {host.population_size(population)};
  Box* members = keep(heap.new_array(sizes, false));
  for (std::int64_t i = 0; i < sizes[0]; ++i) members->slots()[i].object = host.population_at(population, i);
  at[instruction.a].box = members;
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::Start>(const Instruction& instruction, Activation& at) {
  const std::span<const Slot> arguments(&at[instruction.b], instruction.c);
  std::int64_t handle = 0;
  if (!host.start(at.self, number(instruction.immediate), arguments, handle)) return false;
  at[instruction.a].integer = handle;
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::Stop>(const Instruction& instruction, Activation& at) {
  host.stop(at[instruction.a].integer);
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::StopAll>(const Instruction& instruction, Activation& at) {
  host.stop_all(at.self, number(instruction.immediate));
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::Observe>(const Instruction& instruction, Activation& at) {
  return host.observe(number(at[instruction.a]), at[instruction.b].real);
}

template <>
bool Machine::Impl::perform<Opcode::Figure>(const Instruction& instruction, Activation& at) {
  const auto property = static_cast<model::Builtin>(instruction.immediate.integer);
  at[instruction.a] = host.figure(number(at[instruction.b]), property);
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::SameObject>(const Instruction& instruction, Activation& at) {
  const auto present = [&](Slot slot) {
    return slot.object && host.slots(slot.object) != nullptr ? slot.object : ObjectRef{};
  };
  at[instruction.a].integer = present(at[instruction.b]) == present(at[instruction.c]) ? 1 : 0;
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::SameObjectTraced>(const Instruction& instruction, Activation& at) {
  for (const ObjectRef object : {at[instruction.b].object, at[instruction.c].object}) {
    if (object && host.slots(object) != nullptr) host.observed(object, Layout::kNoSlot);
  }
  return perform<Opcode::SameObject>(instruction, at);
}

template <>
bool Machine::Impl::perform<Opcode::IsNull>(const Instruction& instruction, Activation& at) {
  at[instruction.a].integer = at[instruction.b].box == nullptr ? 1 : 0;
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::IsMessage>(const Instruction& instruction, Activation& at) {
  const Box* message = at[instruction.b].box;
  const std::uint32_t kind = lower(instruction.immediate.integer), port = upper(instruction.immediate.integer);
  const bool is = message != nullptr && message->type == kind && (port == UINT32_MAX || message->port == port);
  at[instruction.a].integer = is ? 1 : 0;
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::CheckRange>(const Instruction& instruction, Activation& at) {
  const double value = at[instruction.a].real, limit = at[instruction.b].real;
  const bool outside = instruction.c == 0 ? value < limit : value > limit;
  if (outside) {
    host.out_of_range(at.self, model::VariableId(static_cast<std::size_t>(instruction.immediate.integer)), value,
                      limit);
  }
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::NoteRange>(const Instruction& instruction, Activation& at) {
  host.note_ranged(at.self, static_cast<std::uint32_t>(instruction.immediate.integer));
  return true;
}

}  // namespace hyla::code
