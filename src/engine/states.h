// Entering and leaving single states, with all that is in them. charts.cpp decides which.
#pragma once

#include <span>

#include "engine/context.h"

namespace hyla::engine {

/// Where an entry leads. What it refers to outlives it.
struct Goal {
  std::span<const Index> states;            ///< to be entered in their charts; other charts by their initial transition
  Index remembered = kNone;                 ///< history: the state whose charts go back to where they were
  bool deep = false;                        ///< so on all levels
  Index open_chart = kNone;                 ///< this chart is left empty: a choice in it decides
  std::span<const Index> prepared;          ///< states whose variables have their values already
  std::span<const std::uint32_t> assigned;  ///< slots that the transition has assigned
};

/// The state of a chart on the way to `state`; kNone if the chart does not lie around it.
Index ancestor_in(const Plan& plan, Index state, Index chart);
/// Whether `inner` is `outer` or lies inside it.
bool lies_in(const Plan& plan, Index inner_chart, Index outer_chart);

/// Gives the variables of a state their declared values, except the slots in `keep`.
bool initialise_variables(Run& run, Object& object, Index state, std::span<const std::uint32_t> keep);

void enter_state(Run& run, Object& object, Index state, const Goal& goal);
/// Enters a chart by the goal, by history or by its initial transition.
void enter_chart(Run& run, Object& object, Index chart, const Goal& goal);
/// Leaves what is active in a chart; then the chart is inactive.
void leave_chart(Run& run, Object& object, Index chart);

/// Follows a transition's target from a region in which nothing is active: runs the action, passes choices, enters.
/// `start` is the chart of the transition's source.
void follow(Run& run, Object& object, Index region, const PlanTarget& target, const code::Program* action,
            std::span<const Slot> inputs, Index source);
/// The smallest chart, from `region` outwards, that holds the target.
Index region_of(const Plan& plan, Index region, const PlanTarget& target, Index source);

}  // namespace hyla::engine
