#include "solve_sundials/ida.h"

#include <algorithm>
#include <cmath>

#include <ida/ida.h>
#include <ida/ida_ls.h>

#include "base/check.h"

namespace hyla::solve_sundials {

using solve::StepStatus;

namespace {

constexpr int kMostFailures = 30;
/// Algebraic variables as close as this to their equations, in tolerances, are left alone.
constexpr double kConsistent = 0.1;

}  // namespace

void IdaIntegrator::FreeMemory::operator()(void* memory) const { IDAFree(&memory); }

void IdaIntegrator::create() {
  slope_.assign(size(), 0);
  factors_ = diagonal_ = slope_;
  differential_.assign(size(), 1);
  if (const std::uint8_t* algebraic = system().algebraic(); algebraic != nullptr) {
    for (std::size_t i = 0; i < size(); ++i) differential_[i] = algebraic[i] != 0 ? 0 : 1;
  }
  slope_view_ = make_view(size(), slope_.data(), context_);
  differential_view_ = make_view(size(), differential_.data(), context_);
  memory_.reset(IDACreate(context_.get()));
  void* memory = memory_.get();
  HYLA_CHECK(memory != nullptr, "IDA can be made");
  int flag = IDASetErrHandlerFn(memory, keep_message, static_cast<SundialsIntegrator*>(this));
  flag |= IDAInit(memory, residual, 0, state_view_.get(), slope_view_.get());
  flag |= IDASetUserData(memory, this);
  flag |= IDASetId(memory, differential_view_.get());
  flag |= IDASetMaxConvFails(memory, kMostFailures);
  flag |= IDASetMaxErrTestFails(memory, kMostFailures);
  jacobian_.prepare(system().pattern(), state_view_.get(), context_);
  flag |= IDASetLinearSolver(memory, jacobian_.solver(), jacobian_.matrix());
  flag |= IDASetJacFn(memory, jacobian);
  HYLA_CHECK(flag == IDA_SUCCESS, "IDA takes the system");
}

StepStatus IdaIntegrator::restart(double t, double first_step) {
  double correction = 0;
  if (const StepStatus status = find_slopes(t, correction); status != StepStatus::Good) return status;
  correct_ = correction > kConsistent;
  begin_at(t);
  const int flag = IDASetInitStep(memory_.get(), first_step) | IDASetMaxStep(memory_.get(), settings().longest_step);
  HYLA_CHECK(flag == IDA_SUCCESS, "IDA begins anew");
  return StepStatus::Good;
}

void IdaIntegrator::begin_at(double t) {
  int flag = IDAReInit(memory_.get(), t, state_view_.get(), slope_view_.get());
  flag |= IDASVtolerances(memory_.get(), settings().relative_tolerance, tolerances());
  HYLA_CHECK(flag == IDA_SUCCESS, "IDA begins anew");
}

StepStatus IdaIntegrator::find_slopes(double t, double& correction) {
  if (evaluate(t, state_.data(), slope_.data()) != 0) return explain(StepStatus::Undefined);
  if (system().algebraic() == nullptr) return StepStatus::Good;
  if (fill_jacobian(t, state_.data()) != 0) return explain(StepStatus::Undefined);
  // With differential rows of the identity: the Newton correction of the algebraic variables ...
  std::vector<double>& b = next_;
  for (std::size_t i = 0; i < size(); ++i) b[i] = differential_[i] != 0 ? 0 : -slope_[i];
  if (!solve_algebraic(b.data())) return StepStatus::SingularMatrix;
  for (std::size_t i = 0; i < size(); ++i) {
    const double tolerance = settings().relative_tolerance * std::fabs(state_[i]) + settings().absolute_tolerances[i];
    correction = std::max(correction, std::fabs(b[i]) / tolerance);
  }
  // ... and the slopes: f for differential ones, and dg/dy y' = -dg/dt for the equations g = 0 of algebraic ones.
  for (std::size_t i = 0; i < size(); ++i) {
    if (differential_[i] == 0) slope_[i] = -df_dt_[i];
  }
  return solve_algebraic(slope_.data()) ? StepStatus::Good : StepStatus::SingularMatrix;
}

/// Solves with the last Jacobian's algebraic rows, and the identity for the differential ones.
bool IdaIntegrator::solve_algebraic(double* b) {
  for (std::size_t i = 0; i < size(); ++i) factors_[i] = 1 - differential_[i];
  jacobian_.fill_rows(jacobian_.matrix(), factors_.data(), differential_.data());
  const VectorHandle view = make_view(size(), b, context_);
  ++work_.factorisations;
  return SUNLinSolInitialize(jacobian_.solver()) == SUNLS_SUCCESS &&
         SUNLinSolSetup(jacobian_.solver(), jacobian_.matrix()) == SUNLS_SUCCESS &&
         SUNLinSolSolve(jacobian_.solver(), jacobian_.matrix(), view.get(), view.get(), 0) == SUNLS_SUCCESS;
}

StepStatus IdaIntegrator::advance(double limit, double& t) {
  if (correct_) {
    const int flag = IDACalcIC(memory_.get(), IDA_YA_YDP_INIT, horizon(limit));
    if (flag != IDA_SUCCESS) return status_of(flag);
    IDAGetConsistentIC(memory_.get(), state_view_.get(), slope_view_.get());
    correct_ = false;
  }
  IDASetStopTime(memory_.get(), limit);
  return status_of(IDASolve(memory_.get(), horizon(limit), &t, next_view_.get(), slope_view_.get(), IDA_ONE_STEP));
}

void IdaIntegrator::accepted() {
  IDAGetLastOrder(memory_.get(), &degree_);
  degree_ = std::max(degree_, 1);
  IDAGetCurrentStep(memory_.get(), &proposed_);
}

void IdaIntegrator::evaluate_inside(double t, N_Vector y) const {
  const int flag = IDAGetDky(memory_.get(), t, 0, y);
  HYLA_CHECK(flag == IDA_SUCCESS, "the time is inside the last step");
}

void IdaIntegrator::count(Counters& counters) const {
  IDAGetNumErrTestFails(memory_.get(), &counters.rejected);
  IDAGetNumStepSolveFails(memory_.get(), &counters.unsolved);
  IDAGetNumLinSolvSetups(memory_.get(), &counters.factorisations);
}

void IdaIntegrator::errors(N_Vector errors, N_Vector weights) const {
  IDAGetEstLocalErrors(memory_.get(), errors);
  IDAGetErrWeights(memory_.get(), weights);
}

int IdaIntegrator::residual(double t, N_Vector y, N_Vector slope, N_Vector r, void* integrator) {
  auto& self = *static_cast<IdaIntegrator*>(integrator);
  double* out = data_of(r);
  const int flag = self.evaluate(t, data_of(y), out);
  const double* given = data_of(slope);
  for (std::size_t i = 0; i < self.size(); ++i) out[i] = self.differential_[i] * given[i] - out[i];
  return flag;
}

int IdaIntegrator::jacobian(double t, double c, N_Vector y, N_Vector /*slope*/, N_Vector /*r*/, SUNMatrix matrix,
                            void* integrator, N_Vector, N_Vector, N_Vector) {
  auto& self = *static_cast<IdaIntegrator*>(integrator);
  const int flag = self.fill_jacobian(t, data_of(y));
  for (std::size_t i = 0; i < self.size(); ++i) {
    self.factors_[i] = -1;
    self.diagonal_[i] = c * self.differential_[i];
  }
  if (flag == 0) self.jacobian_.fill_rows(matrix, self.factors_.data(), self.diagonal_.data());
  return flag;
}

StepStatus IdaIntegrator::status_of(int flag) const {
  switch (flag) {
    case IDA_SUCCESS:
    case IDA_TSTOP_RETURN:
    case IDA_ROOT_RETURN:
    case IDA_WARNING:
      return StepStatus::Good;
    case IDA_FIRST_RES_FAIL:
    case IDA_LINESEARCH_FAIL:
    case IDA_NO_RECOVERY:
      return explain(StepStatus::Undefined);
    case IDA_TOO_MUCH_WORK:
    case IDA_TOO_MUCH_ACC:
    case IDA_ERR_FAIL:
    case IDA_REP_RES_ERR:
    case IDA_CONSTR_FAIL:
      return explain(StepStatus::StepTooSmall);
    case IDA_CONV_FAIL:
    case IDA_LSETUP_FAIL:
    case IDA_LSOLVE_FAIL: {
      long linear = 0;
      IDAGetLastLinFlag(memory_.get(), &linear);
      return explain(linear > 0 ? StepStatus::SingularMatrix : StepStatus::StepTooSmall);
    }
    case IDA_LINIT_FAIL:
    case IDA_RES_FAIL:
    case IDA_RTFUNC_FAIL:
    case IDA_NLS_INIT_FAIL:
    case IDA_NLS_SETUP_FAIL:
    case IDA_NLS_FAIL:
    case IDA_MEM_NULL:
    case IDA_MEM_FAIL:
    case IDA_ILL_INPUT:
    case IDA_NO_MALLOC:
    case IDA_BAD_EWT:
    case IDA_BAD_K:
    case IDA_BAD_T:
    case IDA_BAD_DKY:
    case IDA_VECTOROP_ERR:
    case IDA_CONTEXT_ERR:
    case IDA_UNRECOGNIZED_ERROR:
      return StepStatus::Failed;
  }
  return StepStatus::Failed;
}

}  // namespace hyla::solve_sundials
