#include "engine/mailboxes.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/messages.h"
#include "engine/processes.h"
#include "engine/watch.h"

namespace hyla::engine {
namespace {

void size_changed(Run& run, const MailboxInstance& box) {
  for (const auto& [owner, slot] : box.members) {
    if (run.world.is_alive(owner)) changed(run, run.object(owner), slot);
  }
}

bool put_in_order(Run& run, MailboxInstance& box, Box* message) {
  Object& owner = run.object(box.owner);
  const Slot inputs[] = {Slot(message)};
  Slot key;
  if (run.machine.run(*box.order, owner.self, owner.slots, inputs, &key) != code::Status::Finished) return false;
  const auto place = std::upper_bound(box.keys.begin(), box.keys.end(), key.real);
  box.messages.insert(static_cast<std::size_t>(place - box.keys.begin()), message);
  box.keys.insert(place, key.real);
  return true;
}

void too_long(Run& run, const MailboxInstance& box) {
  fail(run, diag::Kind::QueueTooLong, run.object(box.owner), run.world.model.mailboxes[box.id].span,
       fmt::format("the mailbox `{}` holds {} messages", run.world.model.name(run.world.model.mailboxes[box.id].name),
                   box.messages.size()),
       "more comes in than is taken out; slow the sources down, add servers, or raise the limit with "
       "`--queue-limit`");
}

}  // namespace

bool put(Run& run, std::uint32_t number, Box* message) {
  MailboxInstance& box = run.world.mailboxes[number];
  if (box.order == nullptr) {
    box.messages.push_back(message);
  } else if (!put_in_order(run, box, message)) {
    return false;
  }
  code::Heap::retain(message);
  if (box.messages.size() > run.options.queue_limit) [[unlikely]] {
    too_long(run, box);
    return true;
  }
  size_changed(run, box);
  return true;
}
Box* take(Run& run, std::uint32_t number, std::int64_t place) {
  MailboxInstance& box = run.world.mailboxes[number];
  Box* message = box.messages.take(static_cast<std::size_t>(place));
  if (box.order != nullptr) box.keys.erase(box.keys.begin() + place);
  size_changed(run, box);
  return message;
}

void clear_mailbox(Run& run, std::uint32_t number) {
  MailboxInstance& box = run.world.mailboxes[number];
  if (box.messages.empty()) return;
  while (!box.messages.empty()) run.world.heap.release(box.messages.take(box.messages.size() - 1));
  box.keys.clear();
  size_changed(run, box);
}

void deliver_into(Run& run, std::uint32_t number, Box* message, ObjectRef sender, Sequence cause) {
  begin(run);
  ++run.outcome.events;
  ++run.outcome.messages;
  Object& owner = run.object(run.world.mailboxes[number].owner);
  if (!put(run, number, message)) {
    fail_by_machine(run, owner);
  } else if (run.tells) {
    Occurrence occurrence;
    occurrence.kind = OccurrenceKind::Message;
    occurrence.object = owner.self;
    occurrence.cause = cause;
    occurrence.source_kind = model::EntityKind::Mailbox;
    occurrence.source = run.world.mailboxes[number].id.index;
    occurrence.message = message;
    occurrence.sender = sender;
    occurrence.span = run.world.model.mailboxes[run.world.mailboxes[number].id].span;
    tell(run, occurrence);
  }
  if (!run.over && has_listeners(run, number)) announce(run, number, message, run.cause);
  run.world.heap.release(message);
}

bool has_listeners(const Run& run, std::uint32_t number) {
  const MailboxInstance& box = run.world.mailboxes[number];
  if (!box.waiting.empty()) return true;
  for (const auto& [owner, slot] : box.members) {
    if (run.world.is_alive(owner) && run.world.objects[owner.index].plan->waits_at_mailbox) return true;
  }
  return false;
}

void announce(Run& run, std::uint32_t number, Box* message, Sequence cause) {
  for (std::size_t i = 0; i < run.world.mailboxes[number].members.size() && !run.over; ++i) {
    const auto [owner, slot] = run.world.mailboxes[number].members[i];
    if (!run.world.is_alive(owner)) continue;
    Object& object = run.object(owner);
    announce_arrival(run, object, slot, number, message, cause);
    if (!run.over) finish_event(run, object);
  }
  serve_waiting(run, number, cause);
}

}  // namespace hyla::engine
