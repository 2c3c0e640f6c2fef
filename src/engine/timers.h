// Reactions to times: `after`, `at`, `every`, `rate`.
#pragma once

#include "engine/context.h"

namespace hyla::engine {

/// The state (or body) of a timed reaction has become active.
void start_timer(Run& run, Object& object, Index reaction);
void stop_timer(Run& run, Object& object, Index timer);
/// The rate of a `rate` reaction may have changed: its time is drawn again if it has.
void restart_rate(Run& run, Object& object, Index reaction);
/// After a timed reaction has had its turn: `every` and an internal `rate` go on.
void repeat_timer(Run& run, Object& object, Index reaction);

}  // namespace hyla::engine
