// From a distribution of the language to the library of random numbers.
#pragma once

#include <cmath>
#include <span>

#include "code/program.h"
#include "code/slot.h"
#include "engine/world.h"
#include "model/builtins.h"
#include "random/distributions.h"
#include "random/stream.h"

namespace hyla::engine {

/// Draws; arrays come as boxes of Reals. What is wrong with the arguments comes back as text, null if nothing is.
const char* draw_from(random::Stream& stream, model::Builtin distribution, std::span<const code::Slot> arguments,
                      code::Slot& result);

/// The two distributions that fill the calendars of most models, by a short way. False: nothing is drawn, because it is
/// another one or the arguments need a closer look.
inline bool draw_quickly(random::Stream& stream, model::Builtin distribution, const code::Slot* arguments,
                         code::Slot& result) {
  constexpr double kLargest = 1e300;  // beyond it the library's own check decides
  const double a = arguments[0].real;
  if (distribution == model::Builtin::Exponential && a >= 0 && a < kLargest) {
    result = Slot(random::exponential(stream, a));
    return true;
  }
  if (distribution != model::Builtin::Uniform) return false;
  const double b = arguments[1].real;
  if (!(std::abs(a) < kLargest && std::abs(b) < kLargest && a <= b)) return false;
  result = Slot(random::uniform(stream, a, b));
  return true;
}

/// The value of a program that is so short that it needs no machine. False, and nothing has happened: it needs one.
bool short_value(const Object& object, const code::ShortForm& form, code::Slot& result);

}  // namespace hyla::engine
