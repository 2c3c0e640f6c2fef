// A cluster under another set of active equations or conditions. What was met before costs a look-up.
#pragma once

#include "engine/context.h"
#include "engine/island.h"

namespace hyla::engine {

/// Into an array of values of a cluster.
void load_constants(std::vector<double>& values, const std::vector<std::pair<std::uint32_t, double>>& constants);
void load_constants(std::vector<double>& values, const Configuration& configuration);

/// The configuration under the same equations in which these islands are one, and no others.
Configuration* unite(Shape& shape, TermTapes& tapes, Configuration& configuration, const IslandGroups& united);

/// Takes over the equations that are active now. False: they do not fit together, which is reported if `settled`.
bool reconfigure(Run& run, Cluster& cluster, bool settled);
/// Takes over the conditions that are active now.
void choose_guards(Run& run, Cluster& cluster);

}  // namespace hyla::engine
