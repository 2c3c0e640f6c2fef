// Rk45, and Rodas5P while the system is stiff or has algebraic variables.
//
// While the explicit method is at work, every eighth step estimates how far stability limits the step size; once it
// seems to, every step does. Fifteen such steps without six others among them lead to the implicit method (Hairer,
// Wanner II, section IV.2). That one follows the dominant eigenvalue by the power method, one multiplication with the
// Jacobian per step. When the explicit method would have been stable with the same steps for a while, it takes over
// again; each return makes the next one wait longer, so that a system at the edge does not go to and fro.
//
// The explicit method's memory is always there; that of the other comes with the first need. A restart after an event
// stays with the method in use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "solve/explicit_pair.h"
#include "solve/rosenbrock.h"

namespace hyla::solve {

class Automatic final : public Rk45 {
 public:
  Method method() const override { return Method::Auto; }
  Method method_now() const override { return stiff_ ? Method::Rosenbrock : Method::Rk45; }

  void start(System& system, double t, const double* y, const Settings& settings, bool again) override;
  StepStatus step(double limit) override;
  const double* state() const override { return stiff_ ? implicit_->state() : Rk45::state(); }
  void interpolate(double t, double* y) const override;
  void interpolate(const double* times, std::size_t count, double* out) const override;
  void cut(double t) override;
  double next_step() const override { return stiff_ ? implicit_->next_step() : Rk45::next_step(); }
  std::size_t worst_variable(double& share) const override;
  bool transfer(base::Archive& archive) override;

 private:
  void start_implicit(double t, const double* y, const Settings& settings, bool again);
  StepStatus step_implicit(double limit);
  void watch_explicit_step();
  void watch_implicit_step();
  void switch_method();

  std::unique_ptr<Rosenbrock> implicit_;
  std::vector<double> direction_;  // of the power method
  double radius_ = 0;              // last estimate of the dominant eigenvalue's size
  std::uint16_t suspicions_ = 0;   // steps that speak for the other method
  std::uint16_t objections_ = 0;   // steps since then that did not
  std::uint16_t patience_ = 0;     // steps that must speak for the explicit method
  std::uint8_t since_watched_ = 0;
  bool stiff_ = false, switching_ = false, algebraic_ = false;
};

}  // namespace hyla::solve
