// Joined plugs as equations.
//
// A join names two places, whoever stands there. Plugs that are joined, directly or through others, form a set: its
// potentials are equal, its flows sum to zero. Flows count positive into the object; the container's own plug, joined
// in the container's body, counts with the opposite sign there. A plug that nobody joins from outside has flow zero.
// The sets follow from the joins that hold now; whoever changes these has the equations gathered again.
#pragma once

#include <functional>
#include <vector>

#include "engine/cluster.h"
#include "engine/scalarise.h"

namespace hyla::engine {

/// Joins two plugs of one connector from now on, in the name of an object. Gives the number of the join.
std::uint32_t join_plugs(World& world, ObjectRef scope, const PlugEnd& a, const PlugEnd& b, diag::Span span);
/// Ends a join made by join_plugs().
void part_plugs(World& world, std::uint32_t join);
/// The join that join_plugs() has made between two plugs; kNone if there is none.
std::uint32_t find_join(const World& world, const PlugEnd& a, const PlugEnd& b);

/// Gives the equations of all plugs to `add`. False: an end of a join cannot be found, told in the scalariser's sink.
bool collect_plug_equations(World& world, Scalariser& scalariser, const std::function<void(EquationInstance)>& add);

}  // namespace hyla::engine
