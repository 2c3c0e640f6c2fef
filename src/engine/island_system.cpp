#include <algorithm>

#include "engine/island.h"
#include "engine/jacobian.h"

namespace hyla::engine {

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
}

Evaluated IslandSystem::place(double t, const double* y) {
  double* values = cluster_.values.data();
  values[kTime] = t;
  for (std::size_t i = 0; i < places_.size(); ++i) values[places_[i].first] = y[i];
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
  double sum = 0;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    f[i] = values[places_[i].second];
    sum += f[i] * 0.0;  // not zero exactly if one of them is no number or infinite
  }
  return told(t, y, evaluated, sum == 0);
}

solve::Evaluation IslandSystem::jacobian(double t, const double* y, double* entries, double* df_dt) {
  const Evaluated evaluated = place(t, y);
  if (!evaluated.good()) return told(t, y, evaluated, true);
  const std::vector<double>& values = cluster_.values;
  if (!evaluate_jacobian(plan(), values.data(), values.size(), work_, entries, df_dt)) {
    return told(t, y, evaluated, false);
  }
  double sum = 0;
  for (std::size_t i = 0; i < plan().pattern.entries(); ++i) sum += entries[i] * 0.0;
  for (std::size_t i = 0; i < places_.size(); ++i) sum += df_dt[i] * 0.0;
  return told(t, y, evaluated, sum == 0);
}

const JacobianPlan& IslandSystem::plan() const {
  return jacobian_of(*cluster_.shape, *cluster_.tapes, *cluster_.configuration, *plan_);
}

const solve::Pattern& IslandSystem::pattern() const { return plan().pattern; }

}  // namespace hyla::engine
