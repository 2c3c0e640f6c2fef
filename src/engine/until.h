// Processes that wait until a condition over continuous quantities holds.
//
// Their conditions read what the process keeps for itself, so the machine evaluates them: over a step of an island the
// quantities are put into their slots for the times that the search asks for.
#pragma once

#include "engine/context.h"
#include "engine/island.h"

namespace hyla::engine {

/// The process waits, and what its conditions read is known: clusters among it search for it from now on.
void wait_at_clusters(Run& run, ProcessInstance& instance);
/// If a condition of a waiting process comes to hold before the island's next event, that is its next event.
void search_untils(Run& run, Island& island, double begin);
/// Waiting processes look at their conditions again.
void wake_waiting(Run& run, Cluster& cluster);

}  // namespace hyla::engine
