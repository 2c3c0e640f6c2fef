// ARKODE: an explicit Runge-Kutta method of order 5 (ERKStep, Dormand and Prince 1980) and a diagonally implicit one of
// order 4 (ARKStep, Kennedy and Carpenter 2003).
//
// ARKODE's own interpolants cost evaluations with each reading, so they are replaced by a polynomial through the last
// points. It also gives up where the equations are undefined within a step; here the step is then tried again, four
// times shorter each time.
#pragma once

#include "solve_sundials/node_polynomial.h"
#include "solve_sundials/sundials_integrator.h"

namespace hyla::solve_sundials {

class ArkodeIntegrator : public SundialsIntegrator {
 public:
  explicit ArkodeIntegrator(solve::Method method);

 protected:
  void create() override;
  solve::StepStatus restart(double t, double first_step) override;
  solve::StepStatus advance(double limit, double& t) override;
  void accepted() override;
  void evaluate_inside(double t, N_Vector y) const override { polynomial_.evaluate(t, data_of(y)); }
  void count(Counters& counters) const override;
  void errors(N_Vector errors, N_Vector weights) const override;
  double step_after_restart() const override;

 private:
  /// Functions that both have under different names.
  struct Calls;
  static const Calls kExplicit, kImplicit;

  void begin_at(double t, double first_step);
  static int right_hand_side(double t, N_Vector y, N_Vector f, void* integrator);
  static int jacobian(double t, N_Vector y, N_Vector f, SUNMatrix matrix, void* integrator, N_Vector, N_Vector,
                      N_Vector);
  solve::StepStatus status_of(int flag) const;

  struct FreeMemory {
    bool is_explicit = false;
    void operator()(void* memory) const;
  };
  const bool is_explicit_;
  const Calls& calls_;
  std::unique_ptr<void, FreeMemory> memory_;
  NodePolynomial polynomial_;
  std::vector<double> slope_;  // at the end of the step
  double limit_ = 0;           // of the last step
  double wanted_ = 0;          // the size of the last step, had there been no limit
  double resume_ = 0;          // the size of the next step after one that the limit has shortened; 0: that of ARKODE
};

}  // namespace hyla::solve_sundials
