// One-sided location in a run: before each step an island is asked how far its boundaries are, and goes no further than
// a part of the way; when the rest is too short to count, the event is taken where it is, on the inner side.
//
// See solve/one_sided.h for the method. Boundaries are the relations of equations, which stay on their side, and the
// conditions that do not hold now. After a step the interpolant is searched as always: if a boundary was crossed all
// the same, because the motion has curved towards it, the step is taken again and made shorter.
#pragma once

#include "engine/context.h"

namespace hyla::engine {

/// How long before a boundary an event may be taken.
double one_sided_reach(const Run& run);

/// Whether the island is at a boundary: then its event is due. Otherwise `limit` is how far its next step may go.
bool arrive_one_sided(Run& run, Island& island, double& limit);
/// A boundary was crossed in the step that began at `begin`: where the next attempt must end; its event is dropped.
/// NaN: the step is too short already, and the event stays.
double shorten_one_sided(Run& run, Island& island, double begin);

}  // namespace hyla::engine
