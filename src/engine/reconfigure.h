// A cluster under another set of active equations or conditions. What was met before costs a look-up.
#pragma once

#include "engine/context.h"
#include "engine/island.h"

namespace hyla::engine {

void load_constants(Cluster& cluster, const std::vector<std::pair<std::uint32_t, double>>& constants);

/// Takes over the equations that are active now. False: they do not fit together, which is reported if `settled`.
bool reconfigure(Run& run, Cluster& cluster, bool settled);
/// Takes over the conditions that are active now.
void choose_guards(Run& run, Cluster& cluster);

}  // namespace hyla::engine
