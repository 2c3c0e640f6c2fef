#include <algorithm>
#include <cmath>

#include "engine/island.h"
#include "engine/jacobian.h"
#include "solve/differences.h"

namespace hyla::engine {
namespace {

constexpr std::size_t kFew = 4;  ///< so many states are copied one by one

/// A sum of zeros is zero, unless one of them comes from something infinite or no number. Eight sums at once are quick.
bool are_finite(const double* values, std::size_t count) {
  double a[4] = {}, b[4] = {};
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    for (std::size_t k = 0; k < 4; ++k) a[k] += values[i + k] * 0.0;
    for (std::size_t k = 0; k < 4; ++k) b[k] += values[i + 4 + k] * 0.0;
  }
  for (; i < count; ++i) a[0] += values[i] * 0.0;
  return (a[0] + a[1] + a[2] + a[3]) + (b[0] + b[1] + b[2] + b[3]) == 0;
}

}  // namespace

void IslandSystem::rebind(IslandPlan& plan) {
  plan_ = &plan;
  undefined_.is_last = false;
}

/// Unknowns of constraints begin their search where they have moved to since they were last computed: `x^2 + y^2 = 1`
/// has two solutions, and the one that is nearer to a value of another time can be the wrong one.
void IslandSystem::move_on(double t) {
  double* values = cluster_.values.data();
  const double span = t - values[plan_->placed];
  values[plan_->placed] = t;
  if (span == 0) return;
  for (const auto& [value, derivative] : plan_->moving) {
    const double moved = values[value] + span * values[derivative];
    if (std::isfinite(moved)) values[value] = moved;
  }
}

Evaluated IslandSystem::place(double t, const double* y) {
  if (constraint_ != nullptr) return constraint_->place(t, y);
  if (plan_->placed != kNowhere) move_on(t);
  double* values = cluster_.values.data();
  const std::vector<std::pair<At, At>>& places = plan_->places;
  values[kTime] = t;
  if (plan_->in_a_row && places.size() > kFew) {
    std::copy_n(y, places.size(), values + places[0].first);
  } else {
    for (std::size_t i = 0; i < places.size(); ++i) values[places[i].first] = y[i];
  }
  return engine::evaluate(plan_->evaluation, values, cluster_.solver);
}

solve::Evaluation IslandSystem::note_undefined(double t, const double* y, const Evaluated& evaluated) {
  undefined_.is_last = true;
  undefined_.time = t;
  undefined_.state.assign(y, y + size());
  undefined_.evaluated = evaluated;
  return solve::Evaluation::Undefined;
}

solve::Evaluation IslandSystem::evaluate(double t, const double* y, double* f) {
  const Evaluated evaluated = place(t, y);
  if (!evaluated.good()) return note_undefined(t, y, evaluated);
  const double* values = cluster_.values.data();
  const std::vector<std::pair<At, At>>& places = plan_->places;
  bool good = false;
  if (places.size() <= kFew) {
    double sum = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
      f[i] = values[places[i].second];
      sum += f[i] * 0.0;
    }
    good = sum == 0;
  } else {
    if (plan_->in_a_row) {
      std::copy_n(values + places[0].second, places.size(), f);
    } else {
      for (std::size_t i = 0; i < places.size(); ++i) f[i] = values[places[i].second];
    }
    good = are_finite(f, places.size());
  }
  if (!good) return note_undefined(t, y, evaluated);
  undefined_.is_last = false;
  return solve::Evaluation::Good;
}

solve::Evaluation IslandSystem::jacobian(double t, const double* y, double* entries, double* df_dt) {
  if (constraint_ != nullptr) return solve::difference_jacobian(*this, t, y, entries, df_dt);
  const Evaluated evaluated = place(t, y);
  const std::vector<double>& values = cluster_.values;
  bool good = evaluated.good() && evaluate_jacobian(plan(), values.data(), values.size(), work_, entries, df_dt);
  if (good && !(are_finite(entries, plan().pattern.entries()) && are_finite(df_dt, size()))) {
    good = solve::replace_infinite(*this, t, y, entries, df_dt) == solve::Evaluation::Good;
  }
  if (!good) return note_undefined(t, y, evaluated);
  undefined_.is_last = false;
  return solve::Evaluation::Good;
}

const JacobianPlan& IslandSystem::plan() const { return jacobian_of(*cluster_.tapes, *plan_); }

const solve::Pattern& IslandSystem::pattern() const {
  return constraint_ != nullptr ? constraint_->pattern : plan().pattern;
}

}  // namespace hyla::engine
