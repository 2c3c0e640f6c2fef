// A run that is kept at some time and taken up again later: the continuation has the same bits as the unbroken run.
//
// A checkpoint holds everything that has come of the run up to and including a time: values, active states, timers,
// queues, processes with their frames, the calendar, random streams, statistics, and of the islands their steps with
// the memory of the integrators. What follows from model and options alone is not in it: the world is built anew, and
// what was kept is laid over it. Taking a checkpoint changes nothing in the run.
//
// Some runs cannot be kept (yet): `obstacle` names what stands in the way.
#pragma once

#include <limits>
#include <string>

#include "engine/context.h"

namespace hyla::engine {

struct Checkpointing {
  double at = std::numeric_limits<double>::infinity();  ///< when a checkpoint is wanted; infinity: never
  std::string resume;                                   ///< a checkpoint to begin with; empty: the run starts

  // What came of it.
  std::string taken;     ///< the checkpoint; empty: there is none
  std::string obstacle;  ///< why there is none
  bool fits = true;      ///< false: `resume` is no checkpoint of this world, and nothing has run
};

/// What keeps this run from being kept; empty: nothing does.
std::string find_obstacle(Run& run);
/// Everything up to and including a time, when nothing is due any more before it.
std::string take_checkpoint(Run& run, double time);
/// Lays a checkpoint over a world that has just been built. False: it does not fit; then the run is of no use.
bool resume_checkpoint(Run& run, const std::string& checkpoint);

}  // namespace hyla::engine
