// CVODE: Adams methods of order 1 to 12 with fixed-point iteration for systems that are not stiff, BDF of order 1 to 5
// with Newton iteration for stiff ones.
#pragma once

#include "solve_sundials/sundials_integrator.h"

namespace hyla::solve_sundials {

class CvodeIntegrator : public SundialsIntegrator {
 public:
  using SundialsIntegrator::SundialsIntegrator;

 protected:
  void create() override;
  solve::StepStatus restart(double t, double first_step) override;
  solve::StepStatus advance(double limit, double& t) override;
  void accepted() override;
  void evaluate_inside(double t, N_Vector y) const override;
  void count(Counters& counters) const override;
  void errors(N_Vector errors, N_Vector weights) const override;

 private:
  static int right_hand_side(double t, N_Vector y, N_Vector f, void* integrator);
  static int jacobian(double t, N_Vector y, N_Vector f, SUNMatrix matrix, void* integrator, N_Vector, N_Vector,
                      N_Vector);
  solve::StepStatus status_of(int flag) const;

  struct FreeMemory {
    void operator()(void* memory) const;
  };
  NonlinearSolverHandle fixed_point_;
  std::unique_ptr<void, FreeMemory> memory_;
};

}  // namespace hyla::solve_sundials
