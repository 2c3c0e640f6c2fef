// Which variables hold the steps back, and which islands cost most: for the summary.
//
// An integrator knows after each step whose error was the largest. Asking costs as much as computing the error norm
// once more, so only the first steps of an integrator are looked at, and then every sixteenth; every sixteenth is
// timed too.
#pragma once

#include "engine/context.h"
#include "engine/island.h"

namespace hyla::engine {

inline constexpr std::uint64_t kBlameInterval = 16;

inline bool is_timed(const Island& island) {
  return island.integrator && island.integrator->work().steps % kBlameInterval == 0;
}

void note_limit(Island& island);
/// After a good step.
inline void look_at_step(Island& island) {
  constexpr std::uint64_t kFirst = 32;
  const std::uint64_t steps = island.integrator->work().steps;
  if (steps <= kFirst || steps % kBlameInterval == 0) note_limit(island);
}

/// At the end of a run. Clusters that were put together anew count from then on.
Blame find_blame(const Run& run);

}  // namespace hyla::engine
