// What all one-step methods share: where the states of a step are kept, the choice of step sizes, cutting, and the
// interpolant.
//
// A step leads from `begin` to `end`:
//
//     y_      state at begin
//     y_new_  state at end, valid while a step is there (`stepped_`)
//
// The next step begins by exchanging the two. A step that was cut keeps its interpolant, so that the part before the
// cut can still be read; only the state and the time of its end change.
//
// The interpolant has the same form for all methods, with s = (t - begin) / size of the step and vectors r1, r2, ...:
//
//     y(t) = y + s (r1 + (1-s) (r2 + s (r3 + (1-s) (r4 + s (r5 + ...)))))
//
// r1 to r3 make it a cubic Hermite interpolant, the others raise its order (Hairer, Norsett, Wanner: Solving Ordinary
// Differential Equations I, section II.6). The vectors are computed when the interpolant is first asked for.
//
// Step sizes follow a controller with proportional and integral part (Gustafsson 1991; Hairer, Wanner: Solving Ordinary
// Differential Equations II, section IV.2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "solve/integrator.h"

namespace hyla::solve {

/// What came of an attempt to step.
enum class Attempt : std::uint8_t {
  Made,  ///< a new state and an estimate of its error
  Undefined,
  SingularMatrix,
  Failed,
};
Attempt attempt_of(Evaluation evaluation);

class OneStep : public Integrator {
 public:
  void start(System& system, double t, const double* y, const Settings& settings, bool again) override;
  StepStatus step(double limit) override;

  const double* state() const override { return stepped_ ? y_new_ : y_; }
  void interpolate(double t, double* y) const override;
  void interpolate(const double* times, std::size_t count, double* out) const override;
  void cut(double t) override;
  double next_step() const override { return proposed_; }
  std::size_t worst_variable(double& share) const override;
  bool transfer(base::Archive& archive) override;

 protected:
  /// How many vectors of the size of the system the method needs besides the states and the interpolant.
  virtual std::size_t vectors() const = 0;
  /// Called by start(). `resized`: memory() has changed, and what was in it is lost.
  virtual void begin_system(bool resized) = 0;
  /// The error of a step of size h behaves like h to this power; 0: the size of steps is fixed.
  virtual int error_power() const = 0;

  /// Before the first attempt of a step: evaluates at (begin, y), unless the last step has left the value.
  virtual Attempt prepare() = 0;
  /// The last known value of the right-hand side; after prepare(), that at (begin, y).
  virtual const double* slope() const = 0;
  /// A vector for the choice of the first step.
  virtual double* spare() = 0;
  /// From (begin, y_) to (t, y_new_), where t = begin + h; sets `error_`.
  virtual Attempt attempt(double h, double t) = 0;
  /// The end of the step becomes the begin of the next one. `was_cut`: its state is not the one computed last.
  virtual void advance(bool was_cut) = 0;
  /// Computes r1, r2, ... up to the degree of the interpolant, one vector of the system's size after the other.
  virtual void make_interpolant(double* r) const = 0;
  /// The last attempt's estimated error of variable i.
  virtual double error_of(std::size_t i) const = 0;

  /// Free for the method from here on.
  double* memory() const { return method_memory_; }
  std::size_t size() const { return size_; }
  System& system() const { return *system_; }
  const Settings& settings() const { return settings_; }
  /// Of the last step, also after a cut.
  double step_size() const { return step_size_; }
  double weight(std::size_t i, double a, double b) const;
  bool stepped() const { return stepped_; }

  double* y_ = nullptr;
  double* y_new_ = nullptr;
  /// Two vectors that change places: whether `here` is the first of them.
  void transfer_order(base::Archive& archive, double* first, double*& here, double*& there) const;

  double error_ = 0;     ///< norm of the last attempt's error; a step is accepted up to 1
  double proposed_ = 0;  ///< size of the next step; 0: not known yet

 private:
  void allocate(std::size_t size);
  void advance_to_end();
  StepStatus prepare_step(double remaining);
  double speed() const;
  bool slope_is_number() const;
  Attempt choose_first_step(double remaining);
  StepStatus attempt_until_accepted(double limit);
  double fitted(double wanted, double remaining) const;
  double growth(bool after_rejection);
  void accept(double h, double t, double wanted, bool after_rejection);
  double* interpolant() const { return memory_.get() + 2 * size_; }
  template <int kDegree, int kSize>
  void interpolate_inside(const double* times, std::size_t count, double* out) const;

  System* system_ = nullptr;
  Settings settings_;
  std::unique_ptr<double[]> memory_;  ///< two states, the interpolant, and what the method needs
  double* method_memory_ = nullptr;
  std::size_t size_ = 0;
  double step_size_ = 0;
  double exponent_ = 0;   ///< one over the power of the error
  double log_error_ = 0;  ///< of the last accepted step, to base 2
  double speed_ = 0;      ///< of the slope before a restart; negative: not compared
  bool stepped_ = false, was_cut_ = false, started_ = false;
  mutable bool interpolant_ready_ = false;
};

}  // namespace hyla::solve
