#include <algorithm>

#include "engine/island.h"
#include "engine/jacobian.h"

namespace hyla::engine {
namespace {

/// A sum of zeros is zero, unless one of them comes from something infinite or no number. Four sums at once are quick.
bool are_finite(const double* values, std::size_t count) {
  double sums[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    for (std::size_t k = 0; k < 4; ++k) sums[k] += values[i + k] * 0.0;
  }
  for (; i < count; ++i) sums[0] += values[i] * 0.0;
  return sums[0] + sums[1] + sums[2] + sums[3] == 0;
}

}  // namespace

IslandSystem::IslandSystem(Cluster& cluster, IslandPlan& plan) : cluster_(cluster), plan_(&plan) { rebind(plan); }

void IslandSystem::rebind(IslandPlan& plan) {
  plan_ = &plan;
  places_.clear();
  undefined_.is_last = false;
  undefined_.state.resize(plan.states.size());
  for (const std::uint32_t state : plan.states) {
    const ShapeVariable& variable = cluster_.shape->variables[state];
    places_.emplace_back(variable.value, variable.derivative);
  }
  in_a_row_ = !places_.empty();
  for (std::size_t i = 0; i < places_.size(); ++i) {
    in_a_row_ = in_a_row_ && places_[i].first == places_[0].first + i && places_[i].second == places_[0].second + i;
  }
}

Evaluated IslandSystem::place(double t, const double* y) {
  if (constraint_ != nullptr) return constraint_->place(t, y);
  double* values = cluster_.values.data();
  values[kTime] = t;
  if (in_a_row_) {
    std::copy_n(y, places_.size(), values + places_[0].first);
  } else {
    for (std::size_t i = 0; i < places_.size(); ++i) values[places_[i].first] = y[i];
  }
  return engine::evaluate(plan_->evaluation, values, cluster_.solver);
}

solve::Evaluation IslandSystem::told(double t, const double* y, const Evaluated& evaluated, bool is_finite) {
  undefined_.is_last = !is_finite || !evaluated.good();
  if (!undefined_.is_last) return solve::Evaluation::Good;
  undefined_.time = t;
  std::copy_n(y, places_.size(), undefined_.state.data());
  undefined_.evaluated = evaluated;
  return solve::Evaluation::Undefined;
}

solve::Evaluation IslandSystem::evaluate(double t, const double* y, double* f) {
  const Evaluated evaluated = place(t, y);
  if (!evaluated.good()) return told(t, y, evaluated, true);
  const double* values = cluster_.values.data();
  if (in_a_row_) {
    std::copy_n(values + places_[0].second, places_.size(), f);
  } else {
    for (std::size_t i = 0; i < places_.size(); ++i) f[i] = values[places_[i].second];
  }
  return told(t, y, evaluated, are_finite(f, places_.size()));
}

solve::Evaluation IslandSystem::jacobian(double t, const double* y, double* entries, double* df_dt) {
  if (constraint_ != nullptr) return difference_jacobian(*this, t, y, entries, df_dt);
  const Evaluated evaluated = place(t, y);
  if (!evaluated.good()) return told(t, y, evaluated, true);
  const std::vector<double>& values = cluster_.values;
  if (!evaluate_jacobian(plan(), values.data(), values.size(), work_, entries, df_dt)) {
    return told(t, y, evaluated, false);
  }
  const bool good = are_finite(entries, plan().pattern.entries()) && are_finite(df_dt, places_.size());
  return told(t, y, evaluated, good);
}

const JacobianPlan& IslandSystem::plan() const {
  return jacobian_of(*cluster_.shape, *cluster_.tapes, *cluster_.configuration, *plan_);
}

const solve::Pattern& IslandSystem::pattern() const {
  return constraint_ != nullptr ? constraint_->pattern : plan().pattern;
}

}  // namespace hyla::engine
