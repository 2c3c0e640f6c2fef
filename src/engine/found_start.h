// Starts in states that depend on them.
//
// A start is found with the equations of the states that charts begin in. If a condition holds then whose transition
// leads to other equations, as that of a diode does, it was found for the wrong ones: it is found again with the new
// ones, from the values that it has led to, until no such condition holds. If states come back that way, no states
// agree: the first start counts, with a warning, and the conditions act on it as on any other values.
//
// Only transitions without actions, by conditions, at the start of the run, do that. What else happens at its first
// instant is something that happens to what has begun.
#pragma once

#include <vector>

#include "engine/context.h"
#include "engine/island.h"

namespace hyla::engine {

struct FoundStart {
  struct Entered {
    ObjectRef object;
    std::vector<Index> states;  ///< kNone: the object itself
  };
  std::vector<Entered> entered;                         ///< what has begun
  std::vector<std::vector<std::uint8_t>> met;           ///< active equations for which it was found, in their order
  std::vector<std::pair<std::uint32_t, double>> first;  ///< variables that are free, as they were found first
};

/// A start has been found, and what begins is still noted.
void note_found(Run& run, Cluster& cluster, const StartPlan& plan);
/// Other equations may have become active since: if so, what has begun begins again.
void repeat_start(Run& run, Cluster& cluster);

}  // namespace hyla::engine
