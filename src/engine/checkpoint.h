// A run that is kept at some time and taken up again later: the continuation has the same bits as the unbroken run.
//
// A checkpoint holds everything that has come of the run up to and including a time: values, active states, timers,
// queues, processes with their frames, the calendar, random streams, statistics, and of the islands their steps with
// the memory of the integrators. What follows from model and options alone is not in it: the world is built anew, and
// what was kept is laid over it. Taking a checkpoint changes nothing in the run, but that solvers of SUNDIALS begin
// anew.
//
// Some runs cannot be kept, because of what others remember: `obstacle` names what stands in the way.
#pragma once

#include <functional>
#include <limits>
#include <string>

#include "engine/context.h"

namespace hyla::engine {

struct Checkpointing {
  double at = std::numeric_limits<double>::infinity();  ///< when a checkpoint is wanted; infinity: never
  std::string resume;                                   ///< a checkpoint to begin with; empty: the run starts
  std::function<Sequence()> last_told;  ///< the last occurrence that the observer has kept; none: it keeps nothing

  // What came of it.
  std::string taken;     ///< the checkpoint; empty: there is none
  std::string obstacle;  ///< why there is none
  Sequence told = 0;     ///< of a run that is taken up again: the last occurrence before
  bool fits = true;      ///< false: `resume` is no checkpoint of this world, and nothing has run
};

/// What keeps this run from being kept; empty: nothing does.
std::string find_obstacle(Run& run);
/// Takes the checkpoint that is wanted, when nothing is due any more up to its time.
void take_checkpoint(Run& run, Checkpointing& wanted);
/// Lays a checkpoint over a world that has just been built. False: it does not fit; then the run is of no use.
bool resume_checkpoint(Run& run, Checkpointing& kept);

}  // namespace hyla::engine
