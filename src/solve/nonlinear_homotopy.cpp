// The last resort of the nonlinear solver: follows the curve of points (x, s) with R(x) = (1 - s) R(x0).
//
// It starts at (x0, 0); where it meets s = 1 there is a solution. The curve is followed by its arc length (Allgower and
// Georg 1990): s is an unknown like the others and may decrease for a while. In every point the tangent v is the null
// vector of [J, R(x0)], found by bordering that matrix with the last tangent; a step along it is brought back to the
// curve by Newton's method in the plane through the predicted point at right angles to the tangent. x is counted in
// units of the start, so that the length means something.
#include <algorithm>
#include <cmath>

#include "solve/dense_lu.h"
#include "solve/nonlinear.h"

namespace hyla::solve {

namespace {

constexpr int kMostSteps = 2000;
constexpr int kMostCorrections = 6;
constexpr double kFirstStep = 0.01, kLongestStep = 1.0, kShortestStep = 1e-7;

}  // namespace

NonlinearSolver::Outcome NonlinearSolver::follow_curve(double* x) {
  ++work_.homotopies;
  if (!evaluate(x, start_values_)) return Outcome::GiveUp;
  for (std::size_t j = 0; j < size_; ++j) {
    scales_[j] = std::fabs(x[j]) + (settings_.nominals != nullptr ? settings_.nominals[j] : 1);
  }
  std::fill(tangent_, tangent_ + size_, 0.0);
  tangent_[size_] = 1;
  if (!find_tangent(x, 1)) return Outcome::Singular;

  double s = 0, length = kFirstStep;
  for (int step = 0; step < kMostSteps && length >= kShortestStep; ++step) {
    // The last step is cut so that the prediction meets s = 1.
    const bool arrives = tangent_[size_] > 0 && s + length * tangent_[size_] >= 1;
    const double reach = arrives ? (1 - s) / tangent_[size_] : length;
    double next_s = s + reach * tangent_[size_];
    for (std::size_t j = 0; j < size_; ++j) step_[j] = x[j] + reach * tangent_[j] * scales_[j];
    if (arrives) {
      std::copy(step_, step_ + size_, next_step_);
      // plain() changes the units of the unknowns, which belong to the curve.
      std::copy(scales_, scales_ + size_, right_);
      if (plain(next_step_) == Outcome::Good) {
        std::copy(next_step_, next_step_ + size_, x);
        return Outcome::Good;
      }
      std::copy(right_, right_ + size_, scales_);
      for (std::size_t j = 0; j < size_; ++j) step_[j] = x[j] + reach * tangent_[j] * scales_[j];
    }
    std::copy(step_, step_ + size_, next_step_);
    if (!correct(next_step_, next_s, step_, next_s)) {
      length = std::min(length, reach) / 4;
      continue;
    }
    std::copy(next_step_, next_step_ + size_, x);
    s = next_s;
    if (!find_tangent(x, 0)) return Outcome::Singular;
    length = std::min(kLongestStep, 2 * length);
  }
  return Outcome::GiveUp;
}

/// [J, R(x0)] bordered by the tangent, factorised.
bool NonlinearSolver::border(const double* x) {
  const std::size_t row = size_ + 1;
  if (residuals_->jacobian(x, matrix_) != Evaluation::Good) return false;
  for (std::size_t i = size_; i-- > 0;) {
    for (std::size_t j = size_; j-- > 0;) matrix_[i * row + j] = matrix_[i * size_ + j] * scales_[j];
  }
  for (std::size_t i = 0; i < size_; ++i) matrix_[i * row + size_] = start_values_[i];
  std::copy(tangent_, tangent_ + row, matrix_ + size_ * row);
  std::size_t blamed = 0;
  return factorise(matrix_, row, pivots_.data(), row_scales_, blamed);
}

/// `direction`: sign of the tangent in s, at the start; 0: as the last one.
bool NonlinearSolver::find_tangent(const double* x, double direction) {
  const std::size_t row = size_ + 1;
  if (!border(x)) return false;
  std::fill(right_, right_ + size_, 0.0);
  right_[size_] = 1;
  solve_factorised(matrix_, row, pivots_.data(), right_, scratch_);
  double length = 0;
  for (std::size_t j = 0; j < row; ++j) length += right_[j] * right_[j];
  length = std::sqrt(length);
  if (!std::isfinite(length) || length == 0) return false;
  // Bordering keeps the tangent's product with the last one positive.
  const double sign = direction != 0 && right_[size_] * direction < 0 ? -1 : 1;
  for (std::size_t j = 0; j < row; ++j) tangent_[j] = sign * right_[j] / length;
  return true;
}

bool NonlinearSolver::correct(double* x, double& s, const double* predicted, double predicted_s) {
  const std::size_t row = size_ + 1;
  double last_size = 0;
  for (int iteration = 0; iteration < kMostCorrections; ++iteration) {
    if (!evaluate(x, values_) || !border(x)) return false;
    ++work_.iterations;
    double off_plane = tangent_[size_] * (s - predicted_s);
    for (std::size_t i = 0; i < size_; ++i) {
      right_[i] = values_[i] - (1 - s) * start_values_[i];
      off_plane += tangent_[i] * (x[i] - predicted[i]) / scales_[i];
    }
    right_[size_] = off_plane;
    solve_factorised(matrix_, row, pivots_.data(), right_, scratch_);
    double size = 0;
    for (std::size_t j = 0; j < row; ++j) size = std::fabs(right_[j]) <= size ? size : std::fabs(right_[j]);
    if (!std::isfinite(size) || (iteration > 0 && size > last_size / 2)) return false;
    for (std::size_t j = 0; j < size_; ++j) x[j] -= right_[j] * scales_[j];
    s -= right_[size_];
    if (size <= 1e-6) return true;
    last_size = size;
  }
  return false;
}

}  // namespace hyla::solve
