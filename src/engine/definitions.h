// Formulas over what changes at events only: one variable, one active formula. Those over continuous time are judged
// with their cluster.
#pragma once

#include "engine/context.h"

namespace hyla::engine {

/// When an instant has settled: of the formulas that became active in it, none may share its variable with another.
void check_definitions(Run& run);

}  // namespace hyla::engine
