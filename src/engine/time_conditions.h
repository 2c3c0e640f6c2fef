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

// Computed from two values of g, then moved to the first representable time.
template <class Difference>
double root_after(const Run& run, Difference&& g) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  constexpr int kNudges = 4;
  const double from = just_after(run.now);
  const double width = std::max(1.0, std::abs(run.now));
  const double at_now = g(from);
  const double slope = (g(from + width) - at_now) / width;
  if (run.over || !(slope != 0) || !std::isfinite(slope)) return kNever;
  double root = from - at_now / slope;
  if (!(root > run.now) || !std::isfinite(root)) return kNever;
  const auto has_changed = [&](double time) { return slope > 0 ? g(time) >= 0 : g(time) <= 0; };
  for (int i = 0; i < kNudges && !has_changed(root); ++i) root = std::nextafter(root, kNever);
  for (int i = 0; i < kNudges && has_changed(std::nextafter(root, -kNever)); ++i) root = std::nextafter(root, -kNever);
  return root > run.now ? root : kNever;
}

}  // namespace hyla::engine
