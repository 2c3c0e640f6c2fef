// One event step of an instant: everything that is due, each event to completion.
#pragma once

#include "engine/context.h"

namespace hyla::engine {

/// Runs all events that are due, in their order; what they send or raise belongs to the next step.
void run_step(Run& run);

}  // namespace hyla::engine
