// What is wrong with a network of joined plugs, in the words of networks.
#pragma once

#include <string>
#include <vector>

#include "engine/cluster.h"
#include "engine/island.h"

namespace hyla::engine {

/// What joined plugs say by an equation; empty if it is none of theirs.
std::string text_of(PlugRule rule);

/// The surplus equations of a misfit say that everything in them is zero, which is no contradiction: they come about
/// where a network hangs in the air.
bool is_idle(const Cluster& cluster, const Misfit& misfit);

/// Unknowns of the active equations that can change together without any equation noticing; empty if there are none or
/// the equations are too many to tell.
std::vector<std::uint32_t> open_variables(const Cluster& cluster);

/// What helps where variables are left open; where there are too many equations.
std::string open_hint(const World& world, const Cluster& cluster, const std::vector<std::uint32_t>& variables);
std::string surplus_hint(const Cluster& cluster, const std::vector<std::uint32_t>& equations);

}  // namespace hyla::engine
