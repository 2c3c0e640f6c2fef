// The targets of transitions.
#pragma once

#include <vector>

#include "check/context.h"
#include "check/expressions.h"

namespace hyla::check {

/// Resolves the target among the children of a reaction, initial transition or choice branch. `source` is what `self`
/// means; none if there is no single state.
model::Target resolve_target(Context& context, const Place& place, NodeId holder, model::StateId source);

/// Adds all states that a target can lead to, through choices too: their variables may be assigned by the transition's
/// actions.
void add_target_states(const Context& context, const model::Target& target, std::vector<model::StateId>& states);

}  // namespace hyla::check
