// Explicit methods with steps of one size: Euler's, and the Runge-Kutta method of order 4.
//
// The derivative at the end of a step is evaluated for the cubic interpolant or for the next step, whichever comes
// first.
#pragma once

#include <cstddef>

#include "solve/one_step.h"

namespace hyla::solve {

class FixedStep final : public OneStep {
 public:
  /// Euler or Rk4.
  explicit FixedStep(Method method) : method_(method) {}

  Method method() const override { return method_; }
  int degree() const override { return 3; }
  double next_step() const override { return settings().fixed_step; }
  bool transfer(base::Archive& archive) override {
    OneStep::transfer(archive);
    archive(first_known_);
    transfer_order(archive, memory(), first_, last_);
    return true;
  }

 protected:
  std::size_t vectors() const override { return 5; }
  int error_power() const override { return 0; }
  void begin_system(bool resized) override;
  Attempt prepare() override;
  const double* slope() const override { return first_; }
  double* spare() override { return middle(); }
  Attempt attempt(double h, double t) override;
  void advance(bool was_cut) override;
  void make_interpolant(double* r) const override;
  double error_of(std::size_t /*i*/) const override { return 0; }

 private:
  double* middle() const { return memory() + 2 * size(); }
  Attempt evaluate(double t, const double* y, double* f);
  Attempt make_classical_state(double h, double t);

  Method method_;
  double *first_ = nullptr, *last_ = nullptr;
  bool first_known_ = false;
};

}  // namespace hyla::solve
