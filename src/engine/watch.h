// Conditions, formulas and statistics: what is looked at again when something it reads has changed, and nothing else.
//
// A program over members of its own object is found by the slots it reads (Plan::slot_watches). One that reads other
// objects is traced: each evaluation notes what it read, and subscribes to that.
#pragma once

#include "engine/context.h"

namespace hyla::engine {

/// A slot of the object has a new value. Most slots are read by nobody, which is found out here.
void tell_readers(Run& run, Object& object, std::uint32_t slot);
inline void changed(Run& run, Object& object, std::uint32_t slot) {
  const bool is_read = !object.plan->slot_watches[slot].empty() || object.cluster != kNone ||
                       (object.extras && object.extras->has_subscribers);
  if (is_read) tell_readers(run, object, slot);
}
/// The object goes: whoever reads it is looked at again.
void tell_of_end(Run& run, const Object& object);
/// What fed an input has gone.
void warn_of_kept_value(Run& run, const Link& link);
/// Stores a value of the engine's own and tells who reads it.
void set_slot(Run& run, Object& object, std::uint32_t slot, Slot value);

/// The body that holds the watch has become active: it is armed and looked at between steps.
void activate(Run& run, Object& object, Index watch);
void deactivate(Run& run, Object& object, Index watch);
/// A watch or link that no cluster looks at any more.
void look_again(Run& run, Object& object, Index watch);
void look_again(Run& run, std::uint32_t link);

/// If `run.dirty`: brings formulas and links up to date, then evaluates the conditions concerned; those that hold raise
/// events.
void refresh(Run& run);
/// What a cluster has found out about a condition: if it holds and is armed, its event is raised. The cause is what
/// touched the cluster last.
void look_at_truth(Run& run, Object& object, Index watch, bool holds, Sequence cause);
/// At the end of an instant: time-weighted statistics and requirements see the settled values.
void settle(Run& run);
/// The turn of a condition's event: whether it still applies. Disarms it then.
bool take_condition(Run& run, Object& object, Index watch);
/// Whether the condition of a watch holds now. One over `time` is decided just after now, and its next change
/// scheduled.
bool condition_holds(Run& run, Object& object, Index watch);

/// Runs `evaluate` with tracing on and subscribes the watcher to what it read.
template <class Evaluate>
void traced(Run& run, std::uint32_t watcher, Evaluate&& evaluate);
void subscribe(Run& run, std::uint32_t watcher);
std::uint32_t new_watcher(Run& run, Watcher::Kind kind, ObjectRef object, std::uint32_t index);
void free_watcher(Run& run, std::uint32_t watcher);

template <class Evaluate>
void traced(Run& run, std::uint32_t watcher, Evaluate&& evaluate) {
  run.observed.clear();
  run.tracing_reads = true;
  evaluate();
  run.tracing_reads = false;
  subscribe(run, watcher);
}

}  // namespace hyla::engine
