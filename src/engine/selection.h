// Who takes a message: the selecting half of an arrival.
#pragma once

#include <vector>

#include "engine/context.h"

namespace hyla::engine {

/// What is offered.
struct Offer {
  model::EntityKind source_kind = model::EntityKind::None;
  std::uint32_t source = 0;  ///< number of the port or signal in the class; slot of the mailbox
  std::uint32_t number = 0;  ///< the host's number of port or mailbox
  Box* message = nullptr;    ///< null for a signal
};

void select(Run& run, Object& object, const Offer& offer, Choice& choice);
bool matches(Run& run, Object& object, const Pattern& pattern, const Inputs& inputs, const Offer& offer);
/// The pattern of a reaction that fits and whose guard holds; null if there is none.
const Pattern* fitting_pattern(Run& run, Object& object, const PlanReaction& reaction, const Offer& offer);

}  // namespace hyla::engine
