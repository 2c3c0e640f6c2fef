#include "solve_sundials/sundials_integrator.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hyla::solve_sundials {

using solve::Evaluation;
using solve::StepStatus;

namespace {

/// Times so much longer than those until now say nothing about the first step.
constexpr double kFar = 1e3;

}  // namespace

void SundialsIntegrator::start(solve::System& system, double t, const double* y, const solve::Settings& settings,
                               bool again) {
  const bool same = system_ != nullptr && same_structure(system);
  system_ = &system;
  settings_ = settings;
  if (!same) resize(system);
  state_.assign(y, y + system.size());
  before_ = state_;
  tolerances_.assign(settings.absolute_tolerances, settings.absolute_tolerances + system.size());
  if (!same && size() > 0) create();
  begin_ = end_ = t;
  restart_ = true;
  again_ = again && same;
  straight_ = true;
  attempted_ = false;
  degree_ = 1;
}

bool SundialsIntegrator::same_structure(const solve::System& system) const {
  const solve::Pattern& pattern = system.pattern();
  const std::uint8_t* algebraic = system.algebraic();
  return system.size() == size() && pattern.starts == pattern_.starts && pattern.rows == pattern_.rows &&
         (algebraic != nullptr) == !algebraic_.empty() && std::equal(algebraic_.begin(), algebraic_.end(), algebraic);
}

void SundialsIntegrator::resize(const solve::System& system) {
  const std::size_t size = system.size();
  pattern_ = system.pattern();
  algebraic_.clear();
  if (system.algebraic() != nullptr) algebraic_.assign(system.algebraic(), system.algebraic() + size);
  for (std::vector<double>* vector : {&before_, &state_, &next_, &tolerances_, &spare_, &weights_, &df_dt_}) {
    vector->assign(size, 0);
  }
  state_view_ = make_view(size, state_.data(), context_);
  next_view_ = make_view(size, next_.data(), context_);
  tolerances_view_ = make_view(size, tolerances_.data(), context_);
  out_view_ = make_view(size, spare_.data(), context_);
}

StepStatus SundialsIntegrator::step(double limit) {
  // A limit some units in the last place away is too close for the solvers.
  const double nearest = 400 * std::numeric_limits<double>::epsilon() * std::fabs(end_);
  if (size() == 0 || limit - end_ <= nearest) {
    accept(limit, false);
    return StepStatus::Good;
  }
  double t = end_;
  const StepStatus status = try_step(limit, t);
  if (status != StepStatus::Good) {
    // Whatever comes next begins at the last good state.
    restart_ = true;
    again_ = false;
    return status;
  }
  accept(t, true);
  return status;
}

StepStatus SundialsIntegrator::try_step(double limit, double& t) {
  forget_trouble();
  message_.clear();
  if (restart_) {
    const double first_step = settings_.first_step > 0 ? settings_.first_step : again_ ? step_after_restart() : 0;
    if (const StepStatus status = restart(end_, first_step); status != StepStatus::Good) return status;
    counted_ = {};
    restart_ = false;
  }
  const StepStatus status = advance(limit, t);
  collect_work(false);
  attempted_ = true;
  return status == StepStatus::Good && t <= end_ ? StepStatus::StepTooSmall : status;
}

double SundialsIntegrator::horizon(double limit) const {
  return std::min(limit, end_ + kFar * std::max(1.0, std::fabs(end_)));
}

void SundialsIntegrator::accept(double t, bool moved) {
  before_ = state_;
  if (moved) state_ = next_;
  straight_ = !moved;
  begin_ = end_;
  end_ = t;
  ++work_.steps;
  if (moved) {
    accepted();
  } else {
    degree_ = 1;
    restart_ = true;
  }
}

void SundialsIntegrator::collect_work(bool forgets) {
  Counters now;
  count(now);
  work_.rejected += static_cast<std::uint64_t>(now.rejected + now.unsolved);
  work_.factorisations += static_cast<std::uint64_t>(now.factorisations);
  work_.rejected -= static_cast<std::uint64_t>(counted_.rejected + counted_.unsolved);
  work_.factorisations -= static_cast<std::uint64_t>(counted_.factorisations);
  counted_ = forgets ? Counters{} : now;
}

void SundialsIntegrator::interpolate(double t, double* y) const {
  if (t == end_ || t == begin_) {
    const std::vector<double>& end = t == end_ ? state_ : before_;
    std::copy(end.begin(), end.end(), y);
  } else if (straight_) {
    const double part = (t - begin_) / (end_ - begin_);
    for (std::size_t i = 0; i < size(); ++i) y[i] = before_[i] + part * (state_[i] - before_[i]);
  } else {
    N_VSetArrayPointer_Serial(y, out_view_.get());
    evaluate_inside(t, out_view_.get());
  }
}

void SundialsIntegrator::interpolate(const double* times, std::size_t count, double* out) const {
  for (std::size_t k = 0; k < count; ++k) {
    interpolate(times[k], spare_.data());
    for (std::size_t i = 0; i < size(); ++i) out[i * count + k] = spare_[i];
  }
}

void SundialsIntegrator::cut(double t) {
  if (t == end_) return;
  interpolate(t, next_.data());
  state_ = next_;
  end_ = t;
  restart_ = true;
  again_ = true;
}

std::size_t SundialsIntegrator::worst_variable(double& share) const {
  share = 0;
  if (size() == 0 || !attempted_) return 0;
  N_VSetArrayPointer_Serial(spare_.data(), out_view_.get());
  const VectorHandle weights = make_view(size(), weights_.data(), context_);
  errors(out_view_.get(), weights.get());
  double sum = 0;
  std::size_t worst = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    spare_[i] = spare_[i] * spare_[i] * weights_[i] * weights_[i];
    sum += spare_[i];
    if (spare_[i] > spare_[worst]) worst = i;
  }
  if (sum > 0) share = spare_[worst] / sum;
  return worst;
}

int SundialsIntegrator::evaluate(double t, const double* y, double* f) {
  ++work_.evaluations;
  const Evaluation evaluation = system_->evaluate(t, y, f);
  if (evaluation == Evaluation::Failed) failed_ = true;
  if (evaluation == Evaluation::Good && std::all_of(f, f + size(), [](double x) { return std::isfinite(x); })) return 0;
  undefined_ = true;
  return failed_ ? -1 : 1;
}

int SundialsIntegrator::fill_jacobian(double t, const double* y) {
  ++work_.jacobians;
  const Evaluation evaluation = system_->jacobian(t, y, jacobian_.entries(), df_dt_.data());
  if (evaluation == Evaluation::Good) return 0;
  undefined_ = true;
  if (evaluation == Evaluation::Failed) failed_ = true;
  return failed_ ? -1 : 1;
}

void SundialsIntegrator::keep_message(int /*code*/, const char* /*module*/, const char* /*function*/, char* text,
                                      void* integrator) {
  static_cast<SundialsIntegrator*>(integrator)->message_ = text;
}

}  // namespace hyla::solve_sundials
