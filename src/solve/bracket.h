// Narrows a change of a function of time down to a few units in the last place.
#pragma once

#include <cstdint>

namespace hyla::solve {

/// Where the function leaves the old side. Zero belongs to the side of positive values, for a relation holds there.
enum class Edge : std::uint8_t {
  Rising,    ///< from below zero to zero or above
  Falling,   ///< from zero or above to below
  ToZero,    ///< from above zero to exactly zero
  FromZero,  ///< from exactly zero to anything else
};

/// Not-a-number is on neither side: it is never old.
inline bool is_old(Edge edge, double value) {
  switch (edge) {
    case Edge::Rising:
      return value < 0;
    case Edge::Falling:
      return value >= 0;
    case Edge::ToZero:
      return value > 0;
    case Edge::FromZero:
      return value == 0;
  }
  return false;
}

/// One relation as a function of time.
class TimeFunction {
 public:
  virtual ~TimeFunction() = default;
  virtual double operator()(double t) = 0;
};

struct Bracket {
  double before = 0, at = 0;  ///< old side, new side
  /// Values there; not-a-number where not known.
  double value_before = 0, value_at = 0;
};

/// Distances below this are not resolved around t: about one unit in the last place, with a floor for times close to
/// zero in a step of the given width.
double time_resolution(double t, double width);

/// Narrows [before, at] until its ends are at most two resolutions apart, by the ITP method (Oliveira and Takahashi
/// 2020): as fast as the secant method where the function is smooth, never more than one evaluation behind bisection
/// where it is not. `before` must be on the old side and `at` on another, else the result is arbitrary.
void narrow(TimeFunction& function, Edge edge, double step_width, Bracket& bracket);

/// The same with a guess and the slope there: if both are good, two or three evaluations do.
void narrow_from(TimeFunction& function, Edge edge, double step_width, double guess, double slope, Bracket& bracket);

}  // namespace hyla::solve
