// The beginning of a run, also for those who want nothing else of it.
#pragma once

#include "engine/context.h"
#include "engine/run_host.h"

namespace hyla::engine {

/// What a run needs before its first instant, or before it goes on from a checkpoint.
void prepare_run(Run& run, RunHost& host);
/// Formulas are brought up to date and objects are entered, in the order of their creation; equations are not solved
/// yet.
void enter_objects(Run& run);
/// Both.
void begin_run(Run& run, RunHost& host);

}  // namespace hyla::engine
