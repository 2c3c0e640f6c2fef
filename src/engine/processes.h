// Processes: sequences of actions that can wait. A waiting process is its registers and a few entries in the calendar,
// in mailboxes and among the watchers: no thread.
#pragma once

#include <span>

#include "engine/context.h"
#include "engine/selection.h"

namespace hyla::engine {

/// Makes an instance; it begins when the present event has run to completion. Gives its handle.
std::int64_t start_process(Run& run, Object& object, Index process, std::span<const Slot> arguments);
/// Ends an instance; one that is gone already is left alone.
void stop_process(Run& run, std::int64_t handle);
inline std::int64_t handle_of(const ProcessInstance& instance) {
  return static_cast<std::int64_t>(std::uint64_t{instance.generation} << 32 | instance.number);
}
/// Ends all instances of a process of the object.
void stop_processes(Run& run, Object& object, Index process);

/// Lets the processes begin that the present event has started, and those that they start.
void begin_processes(Run& run);
/// Goes on with a branch of its wait; `message` is what it received (borrowed), if it did.
void continue_process(Run& run, std::uint32_t number, std::uint32_t branch, Box* message, Sequence cause);
/// The time has come for which a branch of its wait was to wait.
void continue_in_time(Run& run, std::uint32_t number, std::uint32_t branch, Sequence cause);
/// The turn of an event that a condition raised: goes on if it still holds.
void recheck_process(Run& run, std::uint32_t number, std::uint32_t generation, Sequence cause);

/// What its condition reads has changed: raises an event if it holds.
void look_at_process(Run& run, std::uint32_t number);
/// Adds the instances of a process that wait for this message.
void ask_processes(Run& run, Object& object, Index process, const Offer& offer, Choice& choice);
/// Lets processes that wait at a mailbox take what fits.
void serve_waiting(Run& run, std::uint32_t mailbox, Sequence cause);

}  // namespace hyla::engine
