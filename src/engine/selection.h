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

struct Selected {
  Index reaction = kNone;
  Index state = kNone;  ///< whose reaction it is; none in a model's body
  const Pattern* pattern = nullptr;
  std::uint32_t process = kNone;  ///< instead of a reaction
  std::uint32_t branch = 0;       ///< of the process's wait
  std::uint32_t place = 0;        ///< order of the text
};

struct Choice {
  std::vector<Selected> selected;
  Index deferring_chart = kNone;  ///< a state of this chart keeps the message
};

void select(Run& run, Object& object, const Offer& offer, Choice& choice);
bool matches(Run& run, Object& object, const Pattern& pattern, const Inputs& inputs, const Offer& offer);

}  // namespace hyla::engine
