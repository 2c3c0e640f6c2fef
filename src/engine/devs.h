// Atomic models in the sense of parallel DEVS.
//
// When the time of an atomic model has come, its output runs in one event step; the transition follows in the next,
// together with what others sent to it in the first: `internal` if nothing arrived, `confluent` if something did,
// `external` if only something arrived. So all outputs of an instant are out before the first transition.
#pragma once

#include "engine/context.h"

namespace hyla::engine {

/// Asks the model for the time of its next internal event and schedules it.
void schedule_internal(Run& run, Object& object);
/// A new atomic model begins now.
void begin_atomic(Run& run, Object& object);
void run_output(Run& run, Object& object);
void run_transition(Run& run, Object& object, Sequence cause);
/// A message for the transition in event step `step_count`; the reference of the message is taken over.
void put_into_bag(Run& run, Object& object, Box* message, std::uint64_t step_count);

}  // namespace hyla::engine
