#include "engine/messages.h"

#include <algorithm>
#include <cmath>
#include <deque>

#include <fmt/format.h>

#include "base/text.h"
#include "engine/charts.h"
#include "engine/connect.h"
#include "engine/devs.h"
#include "engine/mailboxes.h"
#include "engine/processes.h"
#include "engine/selection.h"

namespace hyla::engine {
namespace {

std::string message_name(const Run& run, const Delivery& delivery) {
  const model::Model& model = run.world.model;
  const model::PortId port = run.world.ports[delivery.source].id;
  return fmt::format("{}.{}", model.name(model.ports[port].name),
                     model.name(model.messages[model::MessageId(delivery.message->type)].name));
}

Offer offer_of(const Run& run, const Delivery& delivery) {
  if (delivery.source_kind == model::EntityKind::Signal) {
    return {model::EntityKind::Signal, delivery.source, delivery.source, nullptr};
  }
  return {model::EntityKind::Port, run.port_heads[delivery.source].number, delivery.source, delivery.message};
}

/// The id behind the number of a signal, for the observer.
std::uint32_t signal_id(const Run& run, const Object& object, std::uint32_t number) {
  const model::Body& body = run.world.model.bodies[run.world.model.classes[object.plan->object_class].body];
  for (const model::SignalId signal : body.signals) {
    if (run.world.layout.signal_numbers[signal.index] == number) return signal.index;
  }
  return UINT32_MAX;
}

void describe(const Run& run, const Object& object, const Delivery& delivery, Cause& cause) {
  cause.delivery = &delivery;
  cause.source_kind = delivery.source_kind;
  if (run.tells) {
    cause.source = delivery.source_kind == model::EntityKind::Port ? run.world.ports[delivery.source].id.index
                                                                   : signal_id(run, object, delivery.source);
  }
  cause.message = delivery.message;
  cause.sequence = delivery.cause;
}

void tell_fate(Run& run, const Object& object, const Delivery& delivery, OccurrenceKind kind) {
  begin(run);
  Cause cause;
  describe(run, object, delivery, cause);
  Occurrence occurrence;
  occurrence.kind = kind;
  occurrence.object = object.self;
  occurrence.cause = cause.sequence;
  occurrence.source_kind = cause.source_kind;
  occurrence.source = cause.source;
  occurrence.message = cause.message;
  occurrence.sender = delivery.sender;
  occurrence.span = run.world.model.classes[object.plan->object_class].span;
  tell(run, occurrence);
}

void defer(Run& run, Object& object, Delivery& delivery, Index chart) {
  if (!object.extras) object.extras = std::make_unique<ObjectExtras>();
  tell_fate(run, object, delivery, OccurrenceKind::Deferred);
  std::vector<DeferredMessage>& deferred = object.extras->deferred;
  deferred.push_back({delivery, chart, ++run.deferrals});
  delivery.message = nullptr;
  if (deferred.size() > run.options.queue_limit) {
    fail(run, diag::Kind::QueueTooLong, object, run.world.model.charts[object.plan->charts[chart].id].span,
         fmt::format("{} messages are deferred here and none comes back", deferred.size()),
         "leave the deferring state from time to time, or raise the limit with `--queue-limit`");
  }
}

void unhandled(Run& run, Object& object, const Delivery& delivery) {
  tell_fate(run, object, delivery, OccurrenceKind::Unhandled);
  if (delivery.source_kind != model::EntityKind::Port) return;
  ++run.outcome.unhandled;
  const model::Port& port = run.world.model.ports[run.world.ports[delivery.source].id];
  warn(run, diag::Kind::UnhandledMessage, object, port.span,
       fmt::format("nobody takes the message `{}`", message_name(run, delivery)),
       "react to it with `on`, or keep it with `defer`");
}

/// Whether a state was left by an earlier reaction to the same message.
bool was_left(const Run& run, Index state) {
  return state != kNone && std::find(run.left_states.begin(), run.left_states.end(), state) != run.left_states.end();
}

void act(Run& run, Object& object, const std::vector<Selected>& selected, const Delivery& delivery) {
  for (const Selected& one : selected) {
    if (run.over) return;
    if (one.process != kNone) {
      continue_process(run, one.process, one.branch, delivery.message, delivery.cause);
      continue;
    }
    if (was_left(run, one.state) || (one.state != kNone && !is_active(object, one.state))) continue;
    Cause cause;
    describe(run, object, delivery, cause);
    cause.pattern = one.pattern;
    fire(run, object, one.reaction, one.state, cause);
  }
}

/// Where a single reaction takes messages, there is nothing to choose.
void deliver_to_only_taker(Run& run, Object& object, const Delivery& delivery) {
  const Index taker = object.plan->only_taker;
  const Pattern* pattern = fitting_pattern(run, object, object.plan->reactions[taker], offer_of(run, delivery));
  if (run.over) return;
  if (pattern == nullptr) {
    unhandled(run, object, delivery);
    return;
  }
  Cause cause;
  describe(run, object, delivery, cause);
  cause.pattern = pattern;
  fire(run, object, taker, kNone, cause);
}

/// Moves the deferred messages whose chart has changed its state to `returning`, oldest first.
void recall(const Run& run, Object& object, std::deque<DeferredMessage>& returning) {
  if (!object.extras || object.extras->deferred.empty()) return;
  std::vector<DeferredMessage>& deferred = object.extras->deferred;
  const auto stays = [&](const DeferredMessage& message) {
    return std::none_of(run.left_states.begin(), run.left_states.end(),
                        [&](Index state) { return object.plan->states[state].chart == message.chart; });
  };
  const auto older = [](const DeferredMessage& a, const DeferredMessage& b) { return a.age < b.age; };
  const auto first = std::stable_partition(deferred.begin(), deferred.end(), stays);
  const auto old_count = static_cast<std::ptrdiff_t>(returning.size());
  returning.insert(returning.end(), first, deferred.end());
  deferred.erase(first, deferred.end());
  std::inplace_merge(returning.begin(), returning.begin() + old_count, returning.end(), older);
}

std::uint16_t priority_of(const Run& run, const Object& object, const Offer& offer) {
  std::uint16_t rank = run.default_priority;
  if (!run.has_priorities) return rank;
  bool found = false;
  for (const PlanReaction& reaction : object.plan->reactions) {
    for (const Pattern& pattern : reaction.patterns) {
      if (pattern.source_kind != offer.source_kind || pattern.source != offer.source) continue;
      if (pattern.message && offer.message != nullptr && pattern.message.index != offer.message->type) continue;
      rank = found ? std::min(rank, reaction.priority_rank) : reaction.priority_rank;
      found = true;
    }
  }
  return rank;
}

/// One delivery: into the bag of an atomic model at once, as an event otherwise.
EventHandle dispatch(Run& run, Object& sender, Receiver receiver, Box* message, double time) {
  Event event;
  event.rank = Rank::Message;
  event.message = message;
  event.sender = sender.self;
  event.cause = run.cause;
  event.index = receiver.index;
  event.priority_rank = run.default_priority;
  if (receiver.is_mailbox) {
    event.kind = EventKind::MailboxMessage;
    event.object = run.world.mailboxes[receiver.index].owner;
    event.extra = run.object(event.object).incarnation;
    return schedule(run, time, event);
  }
  const PortHead& port = run.port_heads[receiver.index];
  if (message->shared && message->port != port.number) {
    run.world.heap.release(message);
    message = run.world.heap.shared_message(message->type, port.number);
    event.message = message;
  } else {
    message->port = port.number;
  }
  event.kind = EventKind::Message;
  event.object = port.owner;
  event.extra = run.object(port.owner).incarnation;
  event.for_atomic = port.atomic_owner;
  if (port.atomic_owner && time <= run.now) {
    put_into_bag(run, run.object(port.owner), message, run.step_count + 1);
    return 0;
  }
  if (run.has_priorities) {
    event.priority_rank =
        priority_of(run, run.object(port.owner), {model::EntityKind::Port, port.number, receiver.index, message});
  }
  return schedule(run, time, event);
}

bool delivery_time(Run& run, const code::Host::Sending& sending, double& time) {
  time = run.now;
  switch (sending.delay_kind) {
    case model::DelayKind::None:
      return true;
    case model::DelayKind::After:
      time = run.now + sending.delay;
      if (sending.delay >= 0) return true;
      run.machine.fail(fmt::format("the delay is {}, but must not be negative", base::format_number(sending.delay)));
      return false;
    case model::DelayKind::At:
      time = sending.delay;
      if (time >= run.now) return true;
      run.machine.fail(fmt::format("the time {} has passed already", base::format_number(time)));
      return false;
  }
  return true;
}

}  // namespace

bool send(Run& run, Object& sender, const code::Host::Sending& sending, EventHandle& first) {
  first = 0;
  double time = 0;
  if (!delivery_time(run, sending, time)) {
    run.world.heap.release(sending.message);
    return false;
  }
  if (sending.direct && run.port_heads[sending.port].is_end) {
    Box* own = sending.message;
    if (own->references > 1 && !own->shared) {
      own = run.world.heap.copy(own);
      run.world.heap.release(sending.message);
    }
    first = dispatch(run, sender, {false, false, sending.port}, own, time);
    return true;
  }
  PortInstance& port = run.world.ports[sending.port];
  if (sending.direct && port.direct_at != run.world.joinings) {
    port.direct.clear();
    resolve_direct(run.world, sending.port, port.direct);
    port.direct_at = run.world.joinings;
  } else if (!sending.direct && port.resolved_at != run.world.joinings) {
    resolve_receivers(run.world, sending.port);
  }
  const std::vector<Receiver>& receivers = sending.direct ? port.direct : port.receivers;
  if (receivers.empty()) {
    if (!port.reported) {
      port.reported = true;
      warn(run, diag::Kind::PortNotConnected, sender, run.world.model.ports[port.id].span,
           fmt::format("a message is sent at the port `{}`, but nothing is joined to it",
                       run.world.model.name(run.world.model.ports[port.id].name)),
           "join it to another port with `connect`");
    }
    run.world.heap.release(sending.message);
    return true;
  }
  // Each receiver gets a box of its own: it carries the port where it arrived.
  Box* message = sending.message;
  for (std::size_t i = 0; i < receivers.size(); ++i) {
    const bool last = i + 1 == receivers.size();
    Box* own = message;
    if (message->shared) {
      if (!last) code::Heap::retain(message);
    } else if (!last || message->references > 1) {
      own = run.world.heap.copy(message);
      if (last) run.world.heap.release(message);
    }
    const EventHandle handle = dispatch(run, sender, receivers[i], own, time);
    if (handle != 0) {
      run.events[Calendar::event_of(handle)].next = first;
      first = handle;
    }
  }
  return true;
}

void raise_signal(Run& run, Object& object, std::uint32_t signal) {
  Event event;
  event.kind = EventKind::Signal;
  event.rank = Rank::Message;
  event.priority_rank = priority_of(run, object, {model::EntityKind::Signal, signal, signal, nullptr});
  event.object = object.self;
  event.sender = object.self;
  event.extra = object.incarnation;
  event.index = signal;
  event.cause = run.cause;
  schedule_next(run, event);
}

void deliver(Run& run, Object& object, Delivery delivery) {
  ++run.outcome.messages;
  if (object.plan->only_taker != kNone) {
    deliver_to_only_taker(run, object, delivery);
    run.world.heap.release(delivery.message);
    return;
  }
  Choice& choice = run.choice;
  choice.clear();
  select(run, object, offer_of(run, delivery), choice);
  if (!run.over) {
    if (choice.deferring_chart != kNone) {
      defer(run, object, delivery, choice.deferring_chart);
    } else if (choice.selected.empty()) {
      unhandled(run, object, delivery);
    } else {
      act(run, object, choice.selected, delivery);
    }
  }
  run.world.heap.release(delivery.message);
}

void announce_arrival(Run& run, Object& object, std::uint32_t slot, std::uint32_t mailbox, Box* message,
                      Sequence cause_sequence) {
  Choice& choice = run.choice;
  choice.clear();
  select(run, object, {model::EntityKind::Mailbox, slot, mailbox, message}, choice);
  for (const Selected& one : choice.selected) {
    if (run.over) return;
    if (was_left(run, one.state) || (one.state != kNone && !is_active(object, one.state))) continue;
    Cause cause;
    cause.pattern = one.pattern;
    cause.source_kind = model::EntityKind::Mailbox;
    cause.source = run.world.mailboxes[mailbox].id.index;
    cause.message = message;
    cause.sequence = cause_sequence;
    fire(run, object, one.reaction, one.state, cause);
  }
}

void finish_changes(Run& run, Object& object) {
  if (!run.completions.empty()) complete(run, object);
  if (object.plan->has_deferrals && !run.left_states.empty()) {
    std::deque<DeferredMessage> returning;
    recall(run, object, returning);
    while (!returning.empty() && !run.over) {
      const DeferredMessage message = returning.front();
      returning.pop_front();
      run.left_states.clear();
      deliver(run, object, message.delivery);
      complete(run, object);
      if (!run.left_states.empty()) recall(run, object, returning);
    }
    for (const DeferredMessage& rest : returning) run.world.heap.release(rest.delivery.message);
  }
  run.left_states.clear();
}

}  // namespace hyla::engine
