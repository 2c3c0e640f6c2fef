#include "engine/island.h"
#include "engine/jacobian.h"

namespace hyla::engine {

IslandSystem::IslandSystem(Cluster& cluster, IslandPlan& plan) : cluster_(cluster), plan_(&plan) { rebind(plan); }

void IslandSystem::rebind(IslandPlan& plan) {
  plan_ = &plan;
  places_.clear();
  for (const std::uint32_t state : plan.states) {
    const ShapeVariable& variable = cluster_.shape->variables[state];
    places_.emplace_back(variable.value, variable.derivative);
  }
}

Evaluated IslandSystem::place(double t, const double* y) {
  if (constraint_ != nullptr) return constraint_->place(t, y);
  double* values = cluster_.values.data();
  values[kTime] = t;
  for (std::size_t i = 0; i < places_.size(); ++i) values[places_[i].first] = y[i];
  return engine::evaluate(plan_->evaluation, values, cluster_.solver);
}

solve::Evaluation IslandSystem::evaluate(double t, const double* y, double* f) {
  if (!place(t, y).good()) return solve::Evaluation::Undefined;
  const double* values = cluster_.values.data();
  double sum = 0;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    f[i] = values[places_[i].second];
    sum += f[i] * 0.0;  // not zero exactly if one of them is no number or infinite
  }
  return sum == 0 ? solve::Evaluation::Good : solve::Evaluation::Undefined;
}

solve::Evaluation IslandSystem::jacobian(double t, const double* y, double* entries, double* df_dt) {
  if (constraint_ != nullptr) return difference_jacobian(*this, t, y, entries, df_dt);
  if (!place(t, y).good()) return solve::Evaluation::Undefined;
  const std::vector<double>& values = cluster_.values;
  if (!evaluate_jacobian(plan(), values.data(), values.size(), work_, entries, df_dt)) {
    return solve::Evaluation::Undefined;
  }
  double sum = 0;
  for (std::size_t i = 0; i < plan().pattern.entries(); ++i) sum += entries[i] * 0.0;
  for (std::size_t i = 0; i < places_.size(); ++i) sum += df_dt[i] * 0.0;
  return sum == 0 ? solve::Evaluation::Good : solve::Evaluation::Undefined;
}

const JacobianPlan& IslandSystem::plan() const {
  return jacobian_of(*cluster_.shape, *cluster_.tapes, *cluster_.configuration, *plan_);
}

const solve::Pattern& IslandSystem::pattern() const {
  return constraint_ != nullptr ? constraint_->pattern : plan().pattern;
}

}  // namespace hyla::engine
