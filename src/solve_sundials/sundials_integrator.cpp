#include "solve_sundials/sundials_integrator.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "base/archive.h"

namespace hyla::solve_sundials {

using solve::Evaluation;
using solve::StepStatus;

namespace {

/// Times so much longer than those until now say nothing about the first step.
constexpr double kFar = 1e3;
/// Of an interpolant: the order of CVODE's Adams methods.
constexpr int kHighestDegree = 12;

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
  if (!same) {
    if (size() > 0) create();
    renew_ = false;
  }
  forgotten_ = false;
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
    if (std::exchange(renew_, false)) create();
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
  forgotten_ = false;
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
  } else if (forgotten_) {
    evaluate_points(t, y);
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

// --- checkpoints
// ------------------------------------------------------------------------------------------------------

bool SundialsIntegrator::transfer(base::Archive& archive) {
  if (archive.is_writing()) forget_memory();
  std::size_t count = size();
  archive(count);
  archive.expect(count == size());
  archive(begin_, end_, work_, proposed_, degree_, straight_, again_, forgotten_);
  archive(settings_.relative_tolerance, settings_.first_step, settings_.longest_step, settings_.watched,
          settings_.fixed_step);
  archive.expect(degree_ >= 1 && degree_ <= kHighestDegree);
  if (archive.failed()) degree_ = 1;
  points_.resize(static_cast<std::size_t>(degree_ + 1) * size());
  for (std::vector<double>* vector : {&before_, &state_, &tolerances_, &points_}) {
    archive.raw(vector->data(), vector->size() * sizeof(double));
  }
  restart_ = renew_ = true;
  attempted_ = false;
  return true;
}

void SundialsIntegrator::forget_memory() {
  if (!forgotten_ && !straight_) {
    points_.resize(static_cast<std::size_t>(degree_ + 1) * size());
    for (int i = 0; i <= degree_; ++i) {
      interpolate(point_time(i), points_.data() + static_cast<std::size_t>(i) * size());
    }
    forgotten_ = true;
  }
  if (!restart_) again_ = true;
}

/// Extrema of a Chebyshev polynomial, the last one first.
double SundialsIntegrator::point_time(int number) const {
  if (number == 0 || number == degree_) return number == 0 ? end_ : begin_;
  const double half = (end_ - begin_) / 2;
  return begin_ + half + half * std::cos(std::numbers::pi * number / degree_);
}

/// The barycentric formula (Berrut and Trefethen 2004).
void SundialsIntegrator::evaluate_points(double t, double* y) const {
  std::fill_n(y, size(), 0.0);
  double sum = 0;
  for (int i = 0; i <= degree_; ++i) {
    const double* point = points_.data() + static_cast<std::size_t>(i) * size();
    const double distance = t - point_time(i);
    if (distance == 0) {
      std::copy_n(point, size(), y);
      return;
    }
    const double weight = (i % 2 == 0 ? 1 : -1) * (i == 0 || i == degree_ ? 0.5 : 1) / distance;
    sum += weight;
    for (std::size_t k = 0; k < size(); ++k) y[k] += weight * point[k];
  }
  for (std::size_t k = 0; k < size(); ++k) y[k] /= sum;
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
