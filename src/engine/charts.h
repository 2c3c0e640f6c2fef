// Charts: entering and leaving states, transitions, completion.
//
// A transition stays in the smallest region (chart) that holds both its source and its target: what is active there is
// left from the inside out, the actions run, the target is entered from the outside in. A target inside the source is
// local: only the region inside the source that holds the target is left. Behind a choice the same happens again,
// starting from the choice's region.
#pragma once

#include "engine/context.h"

namespace hyla::engine {

/// The beginning of an object: `initial` blocks, reactions of its body, charts in the order of the text, processes.
void enter_object(Run& run, Object& object);

/// What sets a reaction off.
struct Cause {
  const Pattern* pattern = nullptr;                         ///< of a message
  const Delivery* delivery = nullptr;                       ///< null for other triggers
  model::EntityKind source_kind = model::EntityKind::None;  ///< of the message, for the observer
  std::uint32_t source = UINT32_MAX;
  Box* message = nullptr;
  Sequence sequence = 0;
};

/// Lets a reaction act: an internal one, or a transition from `state` (none for a model's body). Completion follows by
/// complete().
void fire(Run& run, Object& object, Index reaction, Index state, const Cause& cause);

/// Takes automatic transitions and `done` of states just entered or completed, until none is left.
void complete(Run& run, Object& object);

/// Whether a state is active.
inline bool is_active(const Object& object, Index state) {
  const PlanState& plan = object.plan->states[state];
  return object.slots[object.plan->charts[plan.chart].slot].integer == static_cast<std::int64_t>(state);
}
/// The active state of a chart; kNone if there is none.
inline Index active_state(const Object& object, Index chart) {
  const std::int64_t number = object.slots[object.plan->charts[chart].slot].integer;
  return number < 0 ? kNone : static_cast<Index>(number);
}

}  // namespace hyla::engine
