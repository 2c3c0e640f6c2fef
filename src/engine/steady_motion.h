// Where the motion of an island comes to rest at a standing time, with relations that switch on the way.
//
// Behind a limit the derivatives say nothing about the distance to the point of rest: Newton's method finds nothing to
// solve there. The motion itself leads out of the limit. It is followed by implicit steps that become longer while the
// derivatives shrink, so that near the end they are Newton's (pseudo-transient continuation; Kelley and Keyes 1998).
#pragma once

#include <vector>

#include "engine/island.h"

namespace hyla::engine {

/// `x` comes with the states where the motion begins and leaves with those near the end of it; `nominals` are their
/// sizes. False: it does not come to rest, or nothing switches and Newton's method can do as well. The values of the
/// cluster are not changed.
bool follow_to_rest(Island& island, double time, const std::vector<double>& nominals, std::vector<double>& x);

}  // namespace hyla::engine
