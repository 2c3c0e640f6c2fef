// The end of a run: what is told of it as a whole.
#pragma once

#include "engine/context.h"

namespace hyla::engine {

/// Statistics, requirements and counts of a run that has come to its end, whatever that is.
void finish_run(Run& run);
/// Gives back what is still on its way.
void drop_pending(Run& run);

}  // namespace hyla::engine
