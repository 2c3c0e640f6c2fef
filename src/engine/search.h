// Looks through the step of an island for the first crossing that matters.
#pragma once

#include "engine/context.h"
#include "engine/island.h"

namespace hyla::engine {

/// From `begin` to the end of the island's step. Crossings that switch an equation or change a condition, and processes
/// whose conditions come to hold, are the island's next event; crossings before it are kept to be passed.
void search(Run& run, Island& island, double begin);

}  // namespace hyla::engine
