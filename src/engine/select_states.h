// Equations of higher index while the model runs: which variables are integrated, when that is to be changed, and
// whether the values that were kept satisfy the constraints.
#pragma once

#include <optional>

#include "engine/context.h"
#include "engine/island.h"
#include "engine/island_errors.h"

namespace hyla::engine {

/// The configuration of an open one that suits the present values: variables that were assigned at this instant are
/// integrated rather than others. Null: constraints depend on each other; a report if `settled`.
Configuration* select_states(Run& run, Cluster& cluster, const Configuration& open,
                             const std::vector<std::uint8_t>& active, bool settled);

/// Whether it is to be looked again at who is integrated: a variable that is computed was assigned, or an island asks.
bool wants_selection(const Cluster& cluster);

/// After a step: whether the variables that are integrated still determine the others well. If not, the end of the step
/// becomes an event, at which others are selected.
void watch_selection(Island& island);
/// An island whose step ends with a selection has an event there.
void plan_selection(const Run& run, Island& island);

/// Where the values of a new cluster come from: what was handed on, given at the start, or begins.
void note_given(const Run& run, Cluster& cluster);

/// Whether all values agree with the constraints, at the end of an instant. `before` has the values that were kept or
/// assigned, in the places of the shape; meanwhile everything has been computed from those that are integrated. What is
/// computed may have changed if it was not assigned, and if everything that it follows from was. Else the first value
/// that does not agree. At the start, what follows from nothing was not given.
std::optional<Contradiction> find_contradiction(const Run& run, Cluster& cluster, const std::vector<double>& before,
                                                bool is_start);

}  // namespace hyla::engine
