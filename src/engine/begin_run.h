// The two ends of a run, for those who want only its beginning.
#pragma once

#include "engine/context.h"
#include "engine/run_host.h"

namespace hyla::engine {

/// Everything up to the first instant: objects are entered; equations are not solved yet.
void begin_run(Run& run, RunHost& host);
/// Gives back what is still on its way.
void drop_pending(Run& run);

}  // namespace hyla::engine
