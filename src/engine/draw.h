// From a distribution of the language to the library of random numbers.
#pragma once

#include <span>

#include "code/slot.h"
#include "model/builtins.h"
#include "random/stream.h"

namespace hyla::engine {

/// Draws; arrays come as boxes of Reals. What is wrong with the arguments comes back as text, null if nothing is.
const char* draw_from(random::Stream& stream, model::Builtin distribution, std::span<const code::Slot> arguments,
                      code::Slot& result);

}  // namespace hyla::engine
