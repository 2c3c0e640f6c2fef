#include "solve_sundials/cvode.h"

#include <cvode/cvode.h>
#include <cvode/cvode_ls.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "base/check.h"

namespace hyla::solve_sundials {

using solve::StepStatus;

namespace {

/// The equations may be undefined in much of the way that a step tries; each failure makes it four times shorter.
constexpr int kMostFailures = 30;

}  // namespace

void CvodeIntegrator::FreeMemory::operator()(void* memory) const { CVodeFree(&memory); }

void CvodeIntegrator::create() {
  const bool stiff = method() == solve::Method::CvodeBdf;
  memory_.reset(CVodeCreate(stiff ? CV_BDF : CV_ADAMS, context_.get()));
  void* memory = memory_.get();
  HYLA_CHECK(memory != nullptr, "CVODE can be made");
  int flag = CVodeSetErrHandlerFn(memory, keep_message, static_cast<SundialsIntegrator*>(this));
  flag |= CVodeInit(memory, right_hand_side, 0, state_view_.get());
  flag |= CVodeSetUserData(memory, this);
  flag |= CVodeSetMaxHnilWarns(memory, -1);
  flag |= CVodeSetMaxConvFails(memory, kMostFailures);
  flag |= CVodeSetMaxErrTestFails(memory, kMostFailures);
  if (stiff) {
    jacobian_.prepare(system().pattern(), state_view_.get(), context_);
    flag |= CVodeSetLinearSolver(memory, jacobian_.solver(), jacobian_.matrix());
    flag |= CVodeSetJacFn(memory, jacobian);
  } else {
    fixed_point_.reset(SUNNonlinSol_FixedPoint(state_view_.get(), 0, context_.get()));
    flag |= CVodeSetNonlinearSolver(memory, fixed_point_.get());
  }
  HYLA_CHECK(flag == CV_SUCCESS, "CVODE takes the system");
}

StepStatus CvodeIntegrator::restart(double t, double first_step) {
  void* memory = memory_.get();
  int flag = CVodeReInit(memory, t, state_view_.get());
  flag |= CVodeSVtolerances(memory, settings().relative_tolerance, tolerances());
  flag |= CVodeSetInitStep(memory, first_step);
  flag |= CVodeSetMaxStep(memory, settings().longest_step);
  HYLA_CHECK(flag == CV_SUCCESS, "CVODE begins anew");
  return StepStatus::Good;
}

StepStatus CvodeIntegrator::advance(double limit, double& t) {
  CVodeSetStopTime(memory_.get(), limit);
  const int flag = CVode(memory_.get(), horizon(limit), next_view_.get(), &t, CV_ONE_STEP);
  return status_of(flag);
}

void CvodeIntegrator::accepted() {
  CVodeGetLastOrder(memory_.get(), &degree_);
  CVodeGetCurrentStep(memory_.get(), &proposed_);
}

void CvodeIntegrator::evaluate_inside(double t, N_Vector y) const {
  const int flag = CVodeGetDky(memory_.get(), t, 0, y);
  HYLA_CHECK(flag == CV_SUCCESS, "the time is inside the last step");
}

void CvodeIntegrator::count(Counters& counters) const {
  CVodeGetNumErrTestFails(memory_.get(), &counters.rejected);
  CVodeGetNumStepSolveFails(memory_.get(), &counters.unsolved);
  CVodeGetNumLinSolvSetups(memory_.get(), &counters.factorisations);
}

void CvodeIntegrator::errors(N_Vector errors, N_Vector weights) const {
  CVodeGetEstLocalErrors(memory_.get(), errors);
  CVodeGetErrWeights(memory_.get(), weights);
}

int CvodeIntegrator::right_hand_side(double t, N_Vector y, N_Vector f, void* integrator) {
  return static_cast<CvodeIntegrator*>(integrator)->evaluate(t, data_of(y), data_of(f));
}

int CvodeIntegrator::jacobian(double t, N_Vector y, N_Vector /*f*/, SUNMatrix matrix, void* integrator, N_Vector,
                              N_Vector, N_Vector) {
  auto& self = *static_cast<CvodeIntegrator*>(integrator);
  const int flag = self.fill_jacobian(t, data_of(y));
  if (flag == 0) self.jacobian_.fill(matrix, 1);
  return flag;
}

StepStatus CvodeIntegrator::status_of(int flag) const {
  switch (flag) {
    case CV_SUCCESS:
    case CV_TSTOP_RETURN:
    case CV_ROOT_RETURN:
    case CV_WARNING:
      return StepStatus::Good;
    case CV_FIRST_RHSFUNC_ERR:
      return explain(StepStatus::Undefined);
    case CV_TOO_MUCH_WORK:
    case CV_TOO_MUCH_ACC:
    case CV_ERR_FAILURE:
    case CV_REPTD_RHSFUNC_ERR:
    case CV_UNREC_RHSFUNC_ERR:
    case CV_CONSTR_FAIL:
      return explain(StepStatus::StepTooSmall);
    case CV_CONV_FAILURE:
    case CV_LSETUP_FAIL:
    case CV_LSOLVE_FAIL: {
      long linear = 0;
      if (method() == solve::Method::CvodeBdf) CVodeGetLastLinFlag(memory_.get(), &linear);
      return explain(linear > 0 ? StepStatus::SingularMatrix : StepStatus::StepTooSmall);
    }
    case CV_RHSFUNC_FAIL:
    case CV_LINIT_FAIL:
    case CV_RTFUNC_FAIL:
    case CV_NLS_INIT_FAIL:
    case CV_NLS_SETUP_FAIL:
    case CV_NLS_FAIL:
    case CV_MEM_FAIL:
    case CV_MEM_NULL:
    case CV_ILL_INPUT:
    case CV_NO_MALLOC:
    case CV_BAD_K:
    case CV_BAD_T:
    case CV_BAD_DKY:
    case CV_TOO_CLOSE:
    case CV_VECTOROP_ERR:
    case CV_PROJ_MEM_NULL:
    case CV_PROJFUNC_FAIL:
    case CV_REPTD_PROJFUNC_ERR:
    case CV_CONTEXT_ERR:
    case CV_UNRECOGNIZED_ERR:
      return StepStatus::Failed;
  }
  return StepStatus::Failed;
}

}  // namespace hyla::solve_sundials
