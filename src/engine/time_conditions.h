// Conditions over `time` and discrete quantities: their changes are computed, not searched.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/context.h"

namespace hyla::engine {

/// The time at which a condition over `time` is decided: a few units in the last place after now, so that `time > 5`
/// holds at 5 as soon as it can, as a crossing does.
double just_after(double now);

/// The first time after now at which g, which is affine in time, has its later sign or is zero; infinity if there is
/// none. g(time) may end the run.
template <class Difference>
double root_after(const Run& run, Difference&& g);

/// Schedules the condition's event for the next time at which one of its relations changes.
void schedule_crossing(Run& run, Object& object, Index watch);

// A secant gives a first estimate; further secants as wide as the way to the root make it exact even where g is large
// and steals the digits of time. Then it is moved to the first representable time.
template <class Difference>
double root_after(const Run& run, Difference&& g) {
  constexpr double kNever = std::numeric_limits<double>::infinity(), kWidening = 1e3;
  constexpr int kNudges = 4, kSecants = 4, kWidenings = 4;
  const double from = just_after(run.now);
  const double at_now = g(from);
  double slope = 0, width = std::max(1.0, std::abs(run.now));
  for (int i = 0; i < kWidenings && slope == 0 && !run.over; ++i) {
    slope = (g(from + width) - at_now) / width;
    width = std::max(width, std::abs(at_now)) * kWidening;
  }
  if (run.over || !(slope != 0) || !std::isfinite(slope)) return kNever;
  double root = from - at_now / slope;
  for (int i = 0; i < kSecants && root > from && std::isfinite(root) && !run.over; ++i) {
    const double value = g(root);
    if (value == 0 || value == at_now) break;
    root -= value / ((value - at_now) / (root - from));
  }
  if (run.over || !(root > run.now) || !std::isfinite(root)) return kNever;
  const auto has_changed = [&](double time) { return slope > 0 ? g(time) >= 0 : g(time) <= 0; };
  for (int i = 0; i < kNudges && !has_changed(root); ++i) root = std::nextafter(root, kNever);
  for (int i = 0; i < kNudges && has_changed(std::nextafter(root, -kNever)); ++i) root = std::nextafter(root, -kNever);
  return root > run.now ? root : kNever;
}

}  // namespace hyla::engine
