// Conditions over `time` and discrete quantities: their changes are computed, not searched.
#pragma once

#include "engine/context.h"

namespace hyla::engine {

/// The time at which a condition over `time` is decided: a few units in the last place after now, so that `time > 5`
/// holds at 5 as soon as it can, as a crossing does.
double just_after(double now);

/// Schedules the condition's event for the next time at which one of its relations changes.
void schedule_crossing(Run& run, Object& object, Index watch);

}  // namespace hyla::engine
