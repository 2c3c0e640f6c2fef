// The role of an integrator: one accepted step at a time, with an interpolant over the step.
//
// Solvers never see events. The engine lets an integrator take a step, searches its interpolant, and then either goes
// on with the next step, or cuts the step short and starts again with other values or equations:
//
//     start(system, t, y)            begin, or begin again after an event
//     step(limit)                    one accepted step, not beyond `limit`; the interpolant covers [begin, end]
//     interpolate(t, y)              any t of the step; exactly the state of the step's ends at its ends
//     step(limit)                    the next one, from `end`
//     cut(t)                         instead: go on from the interpolant's value at t, the system being the same
//
// After start() nothing is allocated, unless the size of the system has changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/archive.h"
#include "solve/system.h"

namespace hyla::solve {

enum class Method : std::uint8_t {
  Auto,  ///< rk45, and rosenbrock while the system is stiff
  Rk45,  ///< explicit Runge-Kutta of order 5(4)
  Rk8,   ///< explicit Runge-Kutta of order 8
  Rosenbrock,
  Euler,  ///< fixed step
  Rk4,    ///< fixed step
  CvodeAdams,
  CvodeBdf,
  ArkodeErk,
  ArkodeDirk,
  Ida,
};
/// `auto`, `rk45`, `rk8`, `rosenbrock`, `euler`, `rk4`, `cvode-adams`, `cvode-bdf`, `arkode-erk`, `arkode-dirk`, `ida`.
std::string_view name_of(Method method);
/// False: there is no such method.
bool find_method(std::string_view name, Method& method);

struct Settings {
  double relative_tolerance = 1e-6;
  /// By variable; owned by the caller, as long as the system.
  const double* absolute_tolerances = nullptr;
  double first_step = 0;    ///< 0: chosen from the equations
  double longest_step = 0;  ///< 0: no limit
  bool watched = false;     ///< crossings are located on the interpolant, so it must be as good as the steps
  double fixed_step = 0;    ///< of methods with a fixed step; 0: from limit to limit
};

enum class StepStatus : std::uint8_t {
  Good,
  Undefined,     ///< the equations give no number at the start of the step
  StepTooSmall,  ///< the error stays too large, or the equations undefined, however small the step
  SingularMatrix,
  Failed,  ///< an evaluation failed for good
};

/// For summaries and messages. Counts since the integrator was made.
struct Work {
  std::uint64_t steps = 0, rejected = 0;
  std::uint64_t evaluations = 0, jacobians = 0, factorisations = 0;
  std::uint64_t to_stiff = 0, to_nonstiff = 0;  ///< of `auto`: switches

  template <class Archive>
  void transfer(Archive& archive) {
    archive(steps, rejected, evaluations, jacobians, factorisations, to_stiff, to_nonstiff);
  }
};

class Integrator {
 public:
  virtual ~Integrator() = default;

  virtual Method method() const = 0;
  /// The method that takes the steps now: of `auto`, the one it has chosen.
  virtual Method method_now() const { return method(); }

  /// Begins at (t, y) with a system that may differ from the one before. A known step size helps: `first_step` in the
  /// settings, else, if `again`, the size that the last steps had.
  virtual void start(System& system, double t, const double* y, const Settings& settings, bool again = false) = 0;
  virtual StepStatus step(double limit) = 0;

  double begin() const { return begin_; }  ///< of the last step
  double end() const { return end_; }
  /// The state at the end of the last step; before the first one, at the start.
  virtual const double* state() const = 0;
  virtual void interpolate(double t, double* y) const = 0;
  /// At several times: out[i * count + k] is variable i at times[k].
  virtual void interpolate(const double* times, std::size_t count, double* out) const = 0;
  /// Degree of the interpolant as a polynomial in t.
  virtual int degree() const = 0;

  /// Goes on from the interpolant's value at t, begin() <= t <= end(). Only the part of the step before t counts.
  virtual void cut(double t) = 0;

  /// The size proposed for the next step.
  virtual double next_step() const = 0;
  /// Which variable carries how much (0 to 1) of the error norm of the last attempt: for messages.
  virtual std::size_t worst_variable(double& share) const = 0;
  const Work& work() const { return work_; }

  /// Writes its whole state, or gets the one that was written: it then goes on with the same bits. It has been started
  /// with the same system before it reads. False: this integrator cannot.
  virtual bool transfer(base::Archive& /*archive*/) { return false; }

 protected:
  double begin_ = 0, end_ = 0;
  mutable Work work_;  // an interpolant may need evaluations of its own
};

/// One of the project's own methods; null for those of SUNDIALS.
std::unique_ptr<Integrator> make_integrator(Method method);

}  // namespace hyla::solve
