#include "solve/nonlinear.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "solve/dense_lu.h"

namespace hyla::solve {

namespace {

/// Starts that are tried if the given one does not do: unknown j is moved by this much of its unit, with changing sign.
constexpr double kMoves[] = {1e-3, -1e-3, 0.1, -0.1};
constexpr double kLeastFactor = 1e-5;
/// Sparse systems of up to so many unknowns are taken for dense where nothing else helps.
constexpr std::size_t kLargestDense = 400;

/// A sparse system without its pattern.
class Dense : public Residuals {
 public:
  explicit Dense(Residuals& sparse) : sparse_(sparse), entries_(sparse.pattern()->entries()) {}

  std::size_t size() const override { return sparse_.size(); }
  Evaluation evaluate(const double* x, double* residuals) override { return sparse_.evaluate(x, residuals); }
  Evaluation jacobian(const double* x, double* jacobian) override {
    const Evaluation outcome = sparse_.jacobian(x, entries_.data());
    const Pattern& pattern = *sparse_.pattern();
    std::fill_n(jacobian, size() * size(), 0.0);
    for (std::size_t j = 0; j < size(); ++j) {
      for (auto k = static_cast<std::size_t>(pattern.starts[j]); k < static_cast<std::size_t>(pattern.starts[j + 1]);
           ++k) {
        jacobian[static_cast<std::size_t>(pattern.rows[k]) * size() + j] = entries_[k];
      }
    }
    return outcome;
  }

 private:
  Residuals& sparse_;
  std::vector<double> entries_;
};

}  // namespace

Solved NonlinearSolver::solve(Residuals& residuals, double* x, const NonlinearSettings& settings) {
  residuals_ = &residuals;
  settings_ = settings;
  is_sparse_ = residuals.pattern() != nullptr;
  if (!is_sparse_ && residuals.size() == 1 && residuals.linear()) return solve_line(x);
  if (is_sparse_) sparse_.begin(*residuals.pattern());
  make_space(residuals.size());
  ++work_.solutions;
  worst_ = 0;
  if (size_ == 0) return Solved::Good;
  return residuals.linear() ? solve_linear(x) : solve_from_start(x);
}

Solved NonlinearSolver::solve_from_start(double* x) {
  std::copy(x, x + size_, start_);
  keep_inside(start_);
  if (!evaluate(start_, values_) && !move_start()) return Solved::Undefined;
  if (!is_zero(values_) && !linearise(start_) && !move_start()) return Solved::Singular;

  std::copy(start_, start_ + size_, x);
  if (plain(x, true) == Outcome::Good) return Solved::Good;
  std::copy(start_, start_ + size_, x);
  const Outcome outcome = damped(x);
  if (outcome == Outcome::Good) return Solved::Good;
  std::copy(start_, start_ + size_, x);
  const Solved failure = outcome == Outcome::Singular ? Solved::Singular : Solved::NotFound;
  if (settings_.is_local) return failure;
  if (!is_sparse_) return solve_from_afar(x, outcome);
  if (size_ > kLargestDense) return failure;
  Dense dense(*residuals_);
  return solve(dense, x, settings_);
}

Solved NonlinearSolver::solve_from_afar(double* x, Outcome outcome) {
  if (descend(x) == Outcome::Good) return Solved::Good;
  std::copy(start_, start_ + size_, x);
  settings_.least = settings_.most = nullptr;
  if (follow_curve(x) == Outcome::Good) return Solved::Good;
  return outcome == Outcome::Singular ? Solved::Singular : Solved::NotFound;
}

void NonlinearSolver::make_space(std::size_t size) {
  size_ = size;
  const std::size_t row = size + 1;
  double** const vectors[] = {&start_,      &values_,  &trial_,        &trial_values_, &step_,  &next_step_,
                              &row_scales_, &scratch_, &start_values_, &tangent_,      &right_, &scales_};
  const std::size_t needed = row * ((is_sparse_ ? 0 : 2 * row) + std::size(vectors));
  if (memory_.size() < needed) memory_.resize(needed);
  if (pivots_.size() < row) pivots_.resize(row);
  double* next = memory_.data();
  for (double** vector : vectors) {
    *vector = next;
    next += row;
  }
  matrix_ = is_sparse_ ? nullptr : next;
  normal_ = is_sparse_ ? nullptr : next + row * row;
}

/// False: not all values are numbers.
bool NonlinearSolver::evaluate(const double* x, double* values) {
  if (residuals_->evaluate(x, values) != Evaluation::Good) return false;
  return std::all_of(values, values + size_, [](double v) { return std::isfinite(v); });
}

bool NonlinearSolver::is_zero(const double* values) const {
  return std::all_of(values, values + size_, [](double v) { return v == 0; });
}

/// Jacobian at x, in units of the unknowns there, and its factors.
bool NonlinearSolver::linearise(const double* x) {
  for (std::size_t j = 0; j < size_; ++j) {
    scales_[j] = std::fabs(x[j]) + (settings_.nominals != nullptr ? settings_.nominals[j] : 1);
  }
  if (is_sparse_) return sparse_.linearise(*residuals_, x, worst_);
  if (residuals_->jacobian(x, matrix_) != Evaluation::Good) return false;
  for (std::size_t i = 0; i < size_; ++i) {
    for (std::size_t j = 0; j < size_; ++j) matrix_[i * size_ + j] *= scales_[j];
  }
  return factorise(matrix_, size_, pivots_.data(), row_scales_, worst_);
}

/// In units of the unknowns. Returns its size.
double NonlinearSolver::newton_step(const double* values, double* step) {
  std::copy(values, values + size_, step);
  if (is_sparse_) {
    sparse_.solve(step);
    for (std::size_t j = 0; j < size_; ++j) step[j] /= scales_[j];
  } else {
    solve_factorised(matrix_, size_, pivots_.data(), step, scratch_);
  }
  double size = 0;
  for (std::size_t j = 0; j < size_; ++j) {
    const double part = std::fabs(step[j]);
    if (part <= size) continue;  // not-a-number goes on
    size = part;
    worst_ = j;
  }
  return size;
}

void NonlinearSolver::set_point(const double* x, const double* step, double factor, double* result) const {
  for (std::size_t j = 0; j < size_; ++j) result[j] = x[j] - factor * step[j] * scales_[j];
  keep_inside(result);
}

void NonlinearSolver::keep_inside(double* x) const {
  if (settings_.least == nullptr) return;
  for (std::size_t j = 0; j < size_; ++j) x[j] = std::clamp(x[j], settings_.least[j], settings_.most[j]);
}

/// Looks for a point close to the start at which the equations and their derivatives are of use.
bool NonlinearSolver::move_start() {
  const std::size_t blamed = worst_;
  std::copy(start_, start_ + size_, right_);
  for (const double move : kMoves) {
    for (std::size_t j = 0; j < size_; ++j) {
      const double unit = std::fabs(right_[j]) + (settings_.nominals != nullptr ? settings_.nominals[j] : 1);
      start_[j] = right_[j] + (j % 2 == 0 ? move : -move / 2) * unit;
    }
    keep_inside(start_);
    if (evaluate(start_, values_) && linearise(start_)) return true;
  }
  std::copy(right_, right_ + size_, start_);
  worst_ = blamed;
  return false;
}

/// What solve_linear() does, for one unknown.
Solved NonlinearSolver::solve_line(double* x) {
  size_ = 1;
  ++work_.solutions;
  worst_ = 0;
  double value = 0, slope = 0;
  if (!evaluate(x, &value)) return Solved::Undefined;
  const double scale = std::fabs(*x) + (settings_.nominals != nullptr ? *settings_.nominals : 1);
  if (residuals_->jacobian(x, &slope) != Evaluation::Good) return Solved::Singular;
  slope *= scale;
  if (slope == 0 || !std::isfinite(slope)) return Solved::Singular;
  double step = value / slope;
  const double size = std::fabs(step);
  *x -= step * scale;
  if (!evaluate(x, &value)) return Solved::Undefined;
  step = value / slope;
  ++work_.iterations;
  if (!is_good_refinement(size, std::fabs(step))) return Solved::Singular;
  *x -= step * scale;
  return Solved::Good;
}

/// What is left after one step is rounding error of the residuals, whatever the size of the step was; a singular matrix
/// leaves much.
bool NonlinearSolver::is_good_refinement(double size, double next_size) const {
  constexpr double kMuch = 1e-7;
  if (settings_.most_lost > 0) return next_size <= settings_.most_lost;
  return next_size <= std::max(kMuch, 1e-3 * size + settings_.tolerance);
}

Solved NonlinearSolver::solve_linear(double* x) {
  if (!evaluate(x, values_)) return Solved::Undefined;
  if (!linearise(x)) return Solved::Singular;
  const double size = newton_step(values_, step_);
  set_point(x, step_, 1, x);
  // One step of refinement; if it is not much smaller, the matrix is as good as singular.
  if (!evaluate(x, values_)) return Solved::Undefined;
  const double next_size = newton_step(values_, step_);
  ++work_.iterations;
  if (!is_good_refinement(size, next_size)) return Solved::Singular;
  set_point(x, step_, 1, x);
  return Solved::Good;
}

NonlinearSolver::Outcome NonlinearSolver::plain(double* x, bool linearised) {
  if (!linearised && !evaluate(x, values_)) return Outcome::GiveUp;
  double last_size = 0;
  int growths = 0;
  for (int iteration = 0; iteration < settings_.most_iterations; ++iteration) {
    if (is_zero(values_)) return Outcome::Good;
    if (!(linearised && iteration == 0) && !linearise(x)) return Outcome::Singular;
    ++work_.iterations;
    const double size = newton_step(values_, step_);
    if (!std::isfinite(size)) return Outcome::GiveUp;
    set_point(x, step_, 1, x);
    if (size <= settings_.tolerance) return Outcome::Good;
    if (iteration > 0 && size > 2 * last_size && ++growths > 2) return Outcome::GiveUp;
    last_size = size;
    if (!evaluate(x, values_)) return Outcome::GiveUp;
    if (size > 1e-5) continue;
    // So close the old matrix is as good as a new one. Where rounding does not let the steps shrink further, they end.
    const double next_size = newton_step(values_, step_);
    if (next_size <= settings_.tolerance || (size <= 1e-9 && next_size > size / 8)) {
      if (next_size < size) set_point(x, step_, 1, x);
      return Outcome::Good;
    }
  }
  return Outcome::GiveUp;
}

NonlinearSolver::Outcome NonlinearSolver::damped(double* x) {
  if (!evaluate(x, values_)) return Outcome::GiveUp;
  double factor = 0.1;
  for (int iteration = 0; iteration < 4 * settings_.most_iterations; ++iteration) {
    if (is_zero(values_)) return Outcome::Good;
    if (!linearise(x)) return Outcome::Singular;
    ++work_.iterations;
    ++work_.damped;
    const double size = newton_step(values_, step_);
    if (!std::isfinite(size)) return Outcome::GiveUp;
    if (size <= 1e-5) return plain(x);
    if (!damp(x, size, factor)) return Outcome::GiveUp;
  }
  return Outcome::GiveUp;
}

/// Goes so far along the step that the next one would be shorter. `factor` comes with the last factor and leaves with
/// the one taken.
bool NonlinearSolver::damp(double* x, double size, double& factor) {
  factor = std::min(1.0, 4 * factor);
  for (; factor >= kLeastFactor; factor /= 2) {
    set_point(x, step_, factor, trial_);
    if (!evaluate(trial_, trial_values_)) continue;
    const double next_size = newton_step(trial_values_, next_step_);
    if (!(next_size <= (1 - factor / 4) * size)) continue;
    std::copy(trial_, trial_ + size_, x);
    std::copy(trial_values_, trial_values_ + size_, values_);
    return true;
  }
  return false;
}

/// Levenberg-Marquardt: minimises the sum of squares of the equations, each in the unit of its row at the start.
NonlinearSolver::Outcome NonlinearSolver::descend(double* x) {
  if (!evaluate(x, values_)) return Outcome::GiveUp;
  linearise(x);
  for (std::size_t i = 0; i < size_; ++i) right_[pivots_[i]] = row_scales_[i];  // one over the unit of each equation
  const auto sum_of_squares = [&](const double* values) {
    double sum = 0;
    for (std::size_t i = 0; i < size_; ++i) sum += (values[i] * right_[i]) * (values[i] * right_[i]);
    return sum;
  };
  double sum = sum_of_squares(values_), damping = 1e-2;
  for (int iteration = 0; iteration < 4 * settings_.most_iterations; ++iteration) {
    if (!set_up_descent(x)) return Outcome::GiveUp;
    ++work_.damped;
    double size = 0, next_sum = sum;
    do {
      size = descent_step(x, damping);
      next_sum = evaluate(trial_, trial_values_) ? sum_of_squares(trial_values_) : sum;
      if (!(next_sum < sum)) damping *= 4;
    } while (!(next_sum < sum) && damping < 1e12);
    if (!(next_sum < sum)) return Outcome::GiveUp;
    damping = std::max(damping / 5, 1e-15);
    sum = next_sum;
    std::copy(trial_, trial_ + size_, x);
    std::copy(trial_values_, trial_values_ + size_, values_);
    if (size > 1e-3) continue;
    std::copy(x, x + size_, tangent_);
    if (plain(tangent_) == Outcome::Good) {
      std::copy(tangent_, tangent_ + size_, x);
      return Outcome::Good;
    }
    if (!evaluate(x, values_)) return Outcome::GiveUp;
  }
  return Outcome::GiveUp;
}

/// The matrix J^T J and the gradient J^T R, in units of rows and unknowns; the gradient goes to next_step_.
bool NonlinearSolver::set_up_descent(const double* x) {
  for (std::size_t j = 0; j < size_; ++j) {
    scales_[j] = std::fabs(x[j]) + (settings_.nominals != nullptr ? settings_.nominals[j] : 1);
  }
  if (residuals_->jacobian(x, matrix_) != Evaluation::Good) return false;
  for (std::size_t i = 0; i < size_; ++i) {
    for (std::size_t j = 0; j < size_; ++j) matrix_[i * size_ + j] *= scales_[j] * right_[i];
  }
  for (std::size_t j = 0; j < size_; ++j) {
    next_step_[j] = 0;
    for (std::size_t i = 0; i < size_; ++i) next_step_[j] += matrix_[i * size_ + j] * values_[i] * right_[i];
    for (std::size_t k = 0; k < size_; ++k) {
      double sum = 0;
      for (std::size_t i = 0; i < size_; ++i) sum += matrix_[i * size_ + j] * matrix_[i * size_ + k];
      normal_[j * size_ + k] = sum;
    }
  }
  return true;
}

/// Puts the point after a step with this damping into trial_ and returns the size of the step.
double NonlinearSolver::descent_step(const double* x, double damping) {
  double trace = 0;
  for (std::size_t j = 0; j < size_; ++j) trace += normal_[j * size_ + j];
  std::copy(normal_, normal_ + size_ * size_, matrix_);
  for (std::size_t j = 0; j < size_; ++j) matrix_[j * size_ + j] += damping * trace / static_cast<double>(size_);
  std::copy(next_step_, next_step_ + size_, step_);
  std::size_t blamed = 0;
  if (factorise(matrix_, size_, pivots_.data(), row_scales_, blamed)) {
    solve_factorised(matrix_, size_, pivots_.data(), step_, scratch_);
  }
  set_point(x, step_, 1, trial_);
  double size = 0;
  for (std::size_t j = 0; j < size_; ++j) size = std::max(size, std::fabs(step_[j]));
  return size;
}

}  // namespace hyla::solve
