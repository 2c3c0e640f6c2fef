// What the integrators of SUNDIALS share: the callbacks, restarts, the states of the last step, and cutting.
//
// SUNDIALS is asked for one internal step at a time, with the limit as its stop time, so that nothing is evaluated
// beyond it. A restart (after start() or cut()) waits until the next step, because until then the interpolant of the
// last step is still read:
//
//     before_   state at begin
//     state_    state at end
//     next_     where SUNDIALS puts the state of the step that it tries
//
// What SUNDIALS remembers of earlier steps cannot be written into a checkpoint. So it is forgotten when one is taken:
// the interpolant becomes a polynomial through some of its points, and the next step begins anew with a new solver, in
// the run that goes on as well as in the one that is taken up again. Both have the same bits from there.
#pragma once

#include <string>
#include <vector>

#include "solve/integrator.h"
#include "solve_sundials/handles.h"
#include "solve_sundials/jacobian.h"

namespace hyla::solve_sundials {

class SundialsIntegrator : public solve::Integrator {
 public:
  explicit SundialsIntegrator(solve::Method method) : context_(make_context()), method_(method) {}

  solve::Method method() const override { return method_; }
  void start(solve::System& system, double t, const double* y, const solve::Settings& settings, bool again) override;
  solve::StepStatus step(double limit) override;
  const double* state() const override { return state_.data(); }
  void interpolate(double t, double* y) const override;
  void interpolate(const double* times, std::size_t count, double* out) const override;
  int degree() const override { return degree_; }
  void cut(double t) override;
  double next_step() const override { return proposed_; }
  std::size_t worst_variable(double& share) const override;
  bool transfer(base::Archive& archive) override;

  /// What SUNDIALS said when a step failed last.
  const std::string& message() const { return message_; }

 protected:
  /// What SUNDIALS counts since the last restart.
  struct Counters {
    long rejected = 0, unsolved = 0, factorisations = 0;
  };

  /// Makes the solver for a system of another size or pattern than before.
  virtual void create() = 0;
  /// Begins at (t, state) with a first step of this size, or one of the solver's choice if that is 0.
  virtual solve::StepStatus restart(double t, double first_step) = 0;
  /// One step that ends at `t`, at most `limit`, with its state in next_. On return `t` has not moved if `limit` was
  /// too close for a step.
  virtual solve::StepStatus advance(double limit, double& t) = 0;
  /// A step was taken, and the states are those of its ends.
  virtual void accepted() = 0;
  /// Inside the last step.
  virtual void evaluate_inside(double t, N_Vector y) const = 0;
  virtual void count(Counters& counters) const = 0;
  /// Estimated errors of the last step, and the weights that make them comparable.
  virtual void errors(N_Vector errors, N_Vector weights) const = 0;
  /// The first step after a restart with the same system.
  virtual double step_after_restart() const { return 0; }

  // The callbacks give 0, or 1 if a smaller step may help, or -1.
  int evaluate(double t, const double* y, double* f);
  int fill_jacobian(double t, const double* y);
  static void keep_message(int code, const char* module, const char* function, char* text, void* integrator);
  /// The status of a failure, given the one that the solver's flag means.
  solve::StepStatus explain(solve::StepStatus status) const { return failed_ ? solve::StepStatus::Failed : status; }

  /// Where the solver is told to go, from which it guesses its first step: the limit, unless that is very far away.
  double horizon(double limit) const;
  /// Adds what the solver has counted to the work. `forgets`: it will count from zero again.
  void collect_work(bool forgets);

  std::size_t size() const { return state_.size(); }
  solve::System& system() const { return *system_; }
  const solve::Settings& settings() const { return settings_; }
  N_Vector tolerances() const { return tolerances_view_.get(); }
  bool is_undefined() const { return undefined_; }
  bool has_failed() const { return failed_; }
  void forget_trouble() { undefined_ = failed_ = false; }

  Context context_;
  std::vector<double> before_, state_, next_;
  VectorHandle state_view_, next_view_;
  JacobianMatrix jacobian_;
  std::vector<double> df_dt_;
  double proposed_ = 0;
  int degree_ = 1;

 private:
  bool same_structure(const solve::System& system) const;
  void resize(const solve::System& system);
  solve::StepStatus try_step(double limit, double& t);
  /// `moved`: the solver has made the step.
  void accept(double t, bool moved);
  void forget_memory();
  double point_time(int number) const;
  void evaluate_points(double t, double* y) const;

  solve::Method method_;
  solve::System* system_ = nullptr;
  solve::Settings settings_;
  solve::Pattern pattern_;
  std::vector<std::uint8_t> algebraic_;
  std::vector<double> tolerances_;
  VectorHandle tolerances_view_;
  mutable VectorHandle out_view_;
  mutable std::vector<double> spare_, weights_;
  Counters counted_;        // of the solver's counts, what is in work_ already
  bool attempted_ = false;  // the solver has tried a step of the present system
  bool restart_ = true;
  bool again_ = false;      // the restart is with a known step size
  bool renew_ = false;      // the restart is with a new solver
  bool forgotten_ = false;  // the interpolant is that through points_
  std::vector<double> points_;
  bool straight_ = true;    // the last step was too short for the solver: the interpolant is a straight line
  bool undefined_ = false;  // an evaluation of the present step was undefined
  bool failed_ = false;     // ... or failed for good
  std::string message_;
};

}  // namespace hyla::solve_sundials
