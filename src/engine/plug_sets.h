// Joined plugs as equations.
//
// A join names two places, whoever stands there. Plugs that are joined, directly or through others, form a set: its
// potentials are equal, its flows sum to zero. Flows count positive into the object; the container's own plug, joined
// in the container's body, counts with the opposite sign there. A plug that nobody joins from outside has flow zero.
// The sets follow from the joins that hold now; whoever changes these has the equations gathered again.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "engine/cluster.h"
#include "engine/scalarise.h"

namespace hyla::engine {

/// Slots through which the ends of joins were found, as object << 32 | slot, with the object whose text it is.
using FollowedPlaces = std::vector<std::pair<ObjectRef, std::uint64_t>>;

/// Gives the equations of all plugs to `add`. False: an end of a join cannot be found, told in the scalariser's sink.
bool collect_plug_equations(World& world, Scalariser& scalariser, FollowedPlaces& followed,
                            const std::function<void(EquationInstance)>& add);

}  // namespace hyla::engine
