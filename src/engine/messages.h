// Messages and signals: sending, and what an arrival does.
//
// An arrival is offered to the reactions of the body, the charts and the waiting processes of the object. All first
// select, guards included; then those selected act, in the order of the text; one whose state an earlier one has left
// is dropped. A state that defers the message keeps it from everybody, unless a state inside it takes it.
#pragma once

#include "engine/context.h"

namespace hyla::engine {

/// Sends at a port, at once or later. The reference of the message goes to the run. False: the run has failed.
bool send(Run& run, Object& sender, const code::Host::Sending& sending, EventHandle& first);
void raise_signal(Run& run, Object& object, std::uint32_t signal);

/// A message or signal has arrived at an object; its reference goes to the run.
void deliver(Run& run, Object& object, Delivery delivery);

/// A message has come into a mailbox: `on box` reactions of the object.
void announce_arrival(Run& run, Object& object, std::uint32_t mailbox_slot, std::uint32_t mailbox, Box* message,
                      Sequence cause);

/// The end of an event of an object: completion, then deferred messages that may return.
void finish_changes(Run& run, Object& object);
inline void finish_event(Run& run, Object& object) {
  if (!run.completions.empty() || !run.left_states.empty()) finish_changes(run, object);
}

}  // namespace hyla::engine
