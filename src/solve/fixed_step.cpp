#include "solve/fixed_step.h"

#include <limits>
#include <utility>

namespace hyla::solve {

void FixedStep::begin_system(bool resized) {
  if (resized) {
    first_ = memory();
    last_ = memory() + size();
  }
  first_known_ = false;
}

Attempt FixedStep::evaluate(double t, const double* y, double* f) {
  ++work_.evaluations;
  return attempt_of(system().evaluate(t, y, f));
}

Attempt FixedStep::prepare() {
  const double fixed = settings().fixed_step;
  proposed_ = fixed > 0 ? fixed : std::numeric_limits<double>::infinity();
  if (first_known_) return Attempt::Made;
  const Attempt outcome = evaluate(begin_, y_, first_);
  first_known_ = outcome == Attempt::Made;
  return outcome;
}

void FixedStep::advance(bool was_cut) {
  std::swap(first_, last_);
  first_known_ = !was_cut;
}

Attempt FixedStep::attempt(double h, double t) {
  error_ = 0;
  if (method_ == Method::Rk4) {
    if (const Attempt a = make_classical_state(h, t); a != Attempt::Made) return a;
  } else {
    for (std::size_t i = 0; i < size(); ++i) y_new_[i] = y_[i] + h * first_[i];
  }
  return evaluate(t, y_new_, last_);
}

Attempt FixedStep::make_classical_state(double h, double t) {
  const std::size_t n = size();
  double *k2 = middle(), *k3 = k2 + n, *k4 = k3 + n;
  for (std::size_t i = 0; i < n; ++i) y_new_[i] = y_[i] + h / 2 * first_[i];
  if (const Attempt a = evaluate(begin_ + h / 2, y_new_, k2); a != Attempt::Made) return a;
  for (std::size_t i = 0; i < n; ++i) y_new_[i] = y_[i] + h / 2 * k2[i];
  if (const Attempt a = evaluate(begin_ + h / 2, y_new_, k3); a != Attempt::Made) return a;
  for (std::size_t i = 0; i < n; ++i) y_new_[i] = y_[i] + h * k3[i];
  if (const Attempt a = evaluate(t, y_new_, k4); a != Attempt::Made) return a;
  for (std::size_t i = 0; i < n; ++i) y_new_[i] = y_[i] + h / 6 * (first_[i] + 2 * (k2[i] + k3[i]) + k4[i]);
  return Attempt::Made;
}

void FixedStep::make_interpolant(double* r) const {
  const std::size_t n = size();
  const double h = step_size();
  for (std::size_t i = 0; i < n; ++i) {
    const double rise = y_new_[i] - y_[i], bend = h * first_[i] - rise;
    r[i] = rise;
    r[n + i] = bend;
    r[2 * n + i] = rise - h * last_[i] - bend;
  }
}

}  // namespace hyla::solve
