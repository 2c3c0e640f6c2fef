// Values that jump. Where new equations tie differential variables together whose values do not agree, each equation is
// integrated over the instant: derivatives become jumps, unknowns such as forces and currents become impulses, and
// whatever stays bounded does not count. So charge, momentum and flux are conserved without anybody naming them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/context.h"
#include "engine/island.h"

namespace hyla::engine {

struct Jump {
  std::string trouble;                                    ///< why there is none, or no unique one; empty: there is one
  std::vector<std::pair<At, double>> values;              ///< of differentiated variables, behind the jump
  std::vector<std::pair<At, double>> impulses;            ///< of unknowns and derivatives
  std::vector<std::pair<std::uint32_t, double>> factors;  ///< by entry of the plan, that the jump relies on
};

/// The jump from the values `before`, kept or assigned, to values that agree with the constraints. The cluster's values
/// have been computed from those that are integrated. Assigned variables keep their values: nothing is conserved
/// between them and the others; unless the jump is computed `as_if_none` were.
Jump find_jump(const Run& run, const Cluster& cluster, const std::vector<double>& before, bool as_if_none = false);
/// Puts the values in place.
void apply(const Jump& jump, Cluster& cluster);
/// When everything has been computed anew: whether the factors of the balances are still those of before. If not, the
/// jump would depend on the way that it takes.
bool is_unambiguous(const Jump& jump, const Cluster& cluster);

/// Looks at the conditions that read an impulse; it counts by its sign. True: one of them has become true, so its event
/// comes before the jump; the conditions keep the values that they have by the impulses until the event has come.
bool raise_by_impulses(Run& run, Cluster& cluster, const Jump& jump);

}  // namespace hyla::engine
