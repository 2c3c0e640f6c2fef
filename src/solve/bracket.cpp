#include "solve/bracket.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hyla::solve {

namespace {

/// Puts a new point into the bracket.
void take(Edge edge, double t, double value, Bracket& bracket) {
  if (is_old(edge, value)) {
    bracket.before = t;
    bracket.value_before = value;
  } else {
    bracket.at = t;
    bracket.value_at = value;
  }
}

bool has_opposite_values(const Bracket& bracket) {
  return std::isfinite(bracket.value_before) && std::isfinite(bracket.value_at) &&
         (bracket.value_before < 0) != (bracket.value_at < 0);
}

}  // namespace

double time_resolution(double t, double width) {
  constexpr double kUnit = std::numeric_limits<double>::epsilon();
  constexpr double kFloor = 0x1p-60;
  return std::max({std::fabs(t) * kUnit, width * kFloor, std::numeric_limits<double>::denorm_min()});
}

void narrow(TimeFunction& function, Edge edge, double step_width, Bracket& bracket) {
  const bool by_value = edge == Edge::Rising || edge == Edge::Falling;
  if (by_value && std::isnan(bracket.value_before)) bracket.value_before = function(bracket.before);
  if (by_value && std::isnan(bracket.value_at)) bracket.value_at = function(bracket.at);

  const double first_width = bracket.at - bracket.before;
  const auto is_wide = [&] {
    const double largest = std::max(std::fabs(bracket.before), std::fabs(bracket.at));
    return bracket.at - bracket.before > 2 * time_resolution(largest, step_width);
  };
  if (!is_wide()) return;
  // Radius in which the interpolated point may lie so that bisection's count is exceeded by one at most.
  double allowed = 2 * first_width;
  const double stretch = 0.2 / first_width;

  while (is_wide()) {
    const double width = bracket.at - bracket.before;
    const double middle = bracket.before + width / 2;
    double t = middle;
    if (by_value && has_opposite_values(bracket)) {
      const double secant = (bracket.value_at * bracket.before - bracket.value_before * bracket.at) /
                            (bracket.value_at - bracket.value_before);
      const double side = middle >= secant ? 1.0 : -1.0;
      // At least one resolution past the secant's point, so that the end close to the zero moves too.
      const double truncation = std::max(stretch * width * width, time_resolution(secant, step_width));
      const double nearer = truncation <= std::fabs(middle - secant) ? secant + side * truncation : middle;
      const double radius = std::max(allowed - width / 2, 0.0);
      t = std::fabs(nearer - middle) <= radius ? nearer : middle - side * radius;
    }
    if (!(t > bracket.before && t < bracket.at)) t = middle;
    if (!(t > bracket.before && t < bracket.at)) return;
    allowed /= 2;
    take(edge, t, function(t), bracket);
  }
}

void narrow_from(TimeFunction& function, Edge edge, double step_width, double guess, double slope, Bracket& bracket) {
  double t = guess;
  double overshoot = 1;
  for (int attempt = 0; attempt < 4; ++attempt) {
    if (!(t > bracket.before && t < bracket.at)) break;
    const double value = function(t);
    take(edge, t, value, bracket);
    const double resolution = time_resolution(t, step_width);
    if (bracket.at - bracket.before <= 2 * resolution) return;
    // To the zero as the slope has it, and a little beyond, to the side that the last point was not on.
    const double correction = slope != 0 ? -value / slope : 0;
    t += correction + (is_old(edge, value) ? overshoot : -overshoot) * resolution;
    overshoot *= 4;
  }
  narrow(function, edge, step_width, bracket);
}

}  // namespace hyla::solve
