// DEVStone as Hyla text: a model class for each level, one inside the other.
#pragma once

#include <cstddef>
#include <string>

#include "hand_events.h"

namespace hyla::bench {

/// One message comes from outside at t = 1. With `counting` every transition adds an observation to a tally.
std::string devstone_text(StoneKind kind, std::size_t width, std::size_t depth, bool counting);

}  // namespace hyla::bench
