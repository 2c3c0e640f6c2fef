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

bool find_place(Run& run, MailboxInstance& box, Box* message, std::size_t& place, double& key) {
  place = box.messages.size();
  if (box.order == nullptr) return true;
  Object& owner = run.object(box.owner);
  const Slot inputs[] = {Slot(message)};
  Slot value;
  if (run.machine.run(*box.order, owner.self, owner.slots, inputs, &value) != code::Status::Finished) return false;
  key = value.real;
  place = static_cast<std::size_t>(std::upper_bound(box.keys.begin(), box.keys.end(), key) - box.keys.begin());
  return true;
}

}  // namespace

bool put(Run& run, std::uint32_t number, Box* message) {
  MailboxInstance& box = run.world.mailboxes[number];
  std::size_t place = 0;
  double key = 0;
  if (!find_place(run, box, message, place, key)) return false;
  code::Heap::retain(message);
  if (place == box.messages.size()) {
    box.messages.push_back(message);
    if (box.order != nullptr) box.keys.push_back(key);
  } else {
    box.messages.insert(place, message);
    box.keys.insert(box.keys.begin() + static_cast<std::ptrdiff_t>(place), key);
  }
  if (box.messages.size() > run.options.queue_limit) {
    fail(run, diag::Kind::QueueTooLong, run.object(box.owner), run.world.model.mailboxes[box.id].span,
         fmt::format("the mailbox `{}` holds {} messages", run.world.model.name(run.world.model.mailboxes[box.id].name),
                     box.messages.size()),
         "more comes in than is taken out; slow the sources down, add servers, or raise the limit with "
         "`--queue-limit`");
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
  return !box.waiting.empty() || std::any_of(box.members.begin(), box.members.end(), [&](const auto& member) {
    return run.world.is_alive(member.first) && run.world.objects[member.first.index].plan->waits_at_mailbox;
  });
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
