// Finds the values with which objects and states begin.
//
// When an object begins, its differential variables and parameters keep the values that they were given, unless they
// are free; everything else is found from the equations that are active then and those of `initial`. With `homotopy` in
// the equations their simplified form is solved first and changed into the actual one by steps. When a state with
// equations in `initial` begins, they are solved likewise. What was found is put into the variables, and the run goes
// on from there as from any other values.
#pragma once

#include "engine/context.h"
#include "engine/initial_plan.h"
#include "engine/island.h"

namespace hyla::engine {

/// An object begins (`state` kNone), or a state of it that has equations in `initial`.
void note_entered(Run& run, Object& object, Index state);

/// A value that was given, in its place of the cluster.
struct GivenValue {
  At place = kNowhere;
  double value = 0;
};
/// Finds the start of what begins in the cluster, if something does. False: there is none; a report if `settled`.
/// Under constraints values are computed from others though they are not free; `given` tells what they were, so that it
/// can be seen whether they agree.
bool find_start(Run& run, Cluster& cluster, bool settled, std::vector<GivenValue>& given);

/// What begins in a cluster now.
Beginnings beginnings_of(const Run& run, const Cluster& cluster);

}  // namespace hyla::engine
