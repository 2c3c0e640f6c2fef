// IDA: BDF of order 1 to 5 for M y' = f(t, y), with algebraic variables or without.
//
// IDA wants y' at the start. For differential variables it is f. For algebraic ones it follows from the derivative of
// their equations; where the given values do not fulfil these, IDA corrects the algebraic ones first.
#pragma once

#include "solve_sundials/sundials_integrator.h"

namespace hyla::solve_sundials {

class IdaIntegrator : public SundialsIntegrator {
 public:
  IdaIntegrator() : SundialsIntegrator(solve::Method::Ida) {}

 protected:
  void create() override;
  solve::StepStatus restart(double t, double first_step) override;
  solve::StepStatus advance(double limit, double& t) override;
  void accepted() override;
  void evaluate_inside(double t, N_Vector y) const override;
  void count(Counters& counters) const override;
  void errors(N_Vector errors, N_Vector weights) const override;

 private:
  void begin_at(double t);
  /// Fills slope_; `correction` becomes how far the algebraic variables are from their equations, in tolerances.
  solve::StepStatus find_slopes(double t, double& correction);
  bool solve_algebraic(double* b);
  static int residual(double t, N_Vector y, N_Vector slope, N_Vector r, void* integrator);
  static int jacobian(double t, double c, N_Vector y, N_Vector slope, N_Vector r, SUNMatrix matrix, void* integrator,
                      N_Vector, N_Vector, N_Vector);
  solve::StepStatus status_of(int flag) const;

  struct FreeMemory {
    void operator()(void* memory) const;
  };
  std::unique_ptr<void, FreeMemory> memory_;
  std::vector<double> slope_, differential_, factors_, diagonal_;
  VectorHandle slope_view_, differential_view_;
  bool correct_ = false;  // the algebraic variables need a correction before the first step
};

}  // namespace hyla::solve_sundials
