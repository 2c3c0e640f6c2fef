#include "solve_sundials/arkode.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <arkode/arkode_arkstep.h>
#include <arkode/arkode_erkstep.h>

#include "base/check.h"

namespace hyla::solve_sundials {

using solve::StepStatus;

struct ArkodeIntegrator::Calls {
  int (*set_user_data)(void*, void*);
  int (*set_error_handler)(void*, ARKErrHandlerFn, void*);
  int (*set_warnings)(void*, int);
  int (*set_most_failures)(void*, int);
  int (*set_interpolant)(void*, int);
  int (*set_interpolant_degree)(void*, int);
  int (*set_tolerances)(void*, double, N_Vector);
  int (*set_first_step)(void*, double);
  int (*set_longest_step)(void*, double);
  int (*set_stop_time)(void*, double);
  int (*evolve)(void*, double, N_Vector, double*, int);
  int (*get_next_step)(void*, double*);
  int (*get_rejected)(void*, long*);
  int (*get_errors)(void*, N_Vector);
  int (*get_weights)(void*, N_Vector);
};

const ArkodeIntegrator::Calls ArkodeIntegrator::kExplicit = {
    ERKStepSetUserData,        ERKStepSetErrHandlerFn,      ERKStepSetMaxHnilWarns, ERKStepSetMaxErrTestFails,
    ERKStepSetInterpolantType, ERKStepSetInterpolantDegree, ERKStepSVtolerances,    ERKStepSetInitStep,
    ERKStepSetMaxStep,         ERKStepSetStopTime,          ERKStepEvolve,          ERKStepGetCurrentStep,
    ERKStepGetNumErrTestFails, ERKStepGetEstLocalErrors,    ERKStepGetErrWeights};
const ArkodeIntegrator::Calls ArkodeIntegrator::kImplicit = {
    ARKStepSetUserData,        ARKStepSetErrHandlerFn,      ARKStepSetMaxHnilWarns, ARKStepSetMaxErrTestFails,
    ARKStepSetInterpolantType, ARKStepSetInterpolantDegree, ARKStepSVtolerances,    ARKStepSetInitStep,
    ARKStepSetMaxStep,         ARKStepSetStopTime,          ARKStepEvolve,          ARKStepGetCurrentStep,
    ARKStepGetNumErrTestFails, ARKStepGetEstLocalErrors,    ARKStepGetErrWeights};

namespace {

constexpr int kMostFailures = 30;
/// Of a stage, in tolerances.
constexpr double kNewtonError = 0.01;
constexpr int kMostIterations = 7;
/// Steps that differ by less share a factorised matrix.
constexpr double kSameStep = 1e-3;
/// Values and slopes of three points, or values of five.
constexpr std::size_t kExplicitNodes = 6, kImplicitNodes = 5;

}  // namespace

ArkodeIntegrator::ArkodeIntegrator(solve::Method method)
    : SundialsIntegrator(method),
      is_explicit_(method == solve::Method::ArkodeErk),
      calls_(is_explicit_ ? kExplicit : kImplicit),
      memory_(nullptr, FreeMemory{is_explicit_}) {}

void ArkodeIntegrator::FreeMemory::operator()(void* memory) const {
  if (is_explicit) {
    ERKStepFree(&memory);
  } else {
    ARKStepFree(&memory);
  }
}

void ArkodeIntegrator::create() {
  slope_.assign(size(), 0);
  memory_.reset(is_explicit_ ? ERKStepCreate(right_hand_side, 0, state_view_.get(), context_.get())
                             : ARKStepCreate(nullptr, right_hand_side, 0, state_view_.get(), context_.get()));
  void* memory = memory_.get();
  HYLA_CHECK(memory != nullptr, "ARKODE can be made");
  int flag = calls_.set_error_handler(memory, keep_message, static_cast<SundialsIntegrator*>(this));
  flag |= calls_.set_user_data(memory, this);
  flag |= calls_.set_warnings(memory, -1);
  flag |= calls_.set_most_failures(memory, kMostFailures);
  flag |= calls_.set_interpolant(memory, ARK_INTERP_LAGRANGE);
  flag |= calls_.set_interpolant_degree(memory, 0);
  if (is_explicit_) flag |= ERKStepSetTableNum(memory, ARKODE_DORMAND_PRINCE_7_4_5);
  if (!is_explicit_) {
    jacobian_.prepare(system().pattern(), state_view_.get(), context_);
    flag |= ARKStepSetLinearSolver(memory, jacobian_.solver(), jacobian_.matrix());
    flag |= ARKStepSetJacFn(memory, jacobian);
    flag |= ARKStepSetMaxConvFails(memory, kMostFailures);
    // Measured on van der Pol, Robertson and HIRES: with f evaluated at the stages instead, their Newton errors come
    // back multiplied by the fastest rate, and steps are 30 to 1000 times shorter.
    flag |= ARKStepSetDeduceImplicitRhs(memory, SUNTRUE);
    flag |= ARKStepSetNonlinConvCoef(memory, kNewtonError);
    // A matrix for another step size can look converged when it is not, because ARKODE expects the speed of convergence
    // of the steps before.
    flag |= ARKStepSetDeltaGammaMax(memory, kSameStep);
    flag |= ARKStepSetMaxNonlinIters(memory, kMostIterations);
    flag |= ARKStepSetTableNum(memory, ARKODE_ARK436L2SA_DIRK_6_3_4, ARKODE_ERK_NONE);
  }
  HYLA_CHECK(flag == ARK_SUCCESS, "ARKODE takes the system");
}

StepStatus ArkodeIntegrator::restart(double t, double first_step) {
  if (evaluate(t, state_.data(), slope_.data()) != 0) return explain(StepStatus::Undefined);
  polynomial_.restart(size());
  polynomial_.add(t, state_.data(), slope_.data(), NodePolynomial::Slope::Good);
  begin_at(t, first_step);
  proposed_ = resume_ = 0;
  return StepStatus::Good;
}

void ArkodeIntegrator::begin_at(double t, double first_step) {
  void* memory = memory_.get();
  int flag = is_explicit_ ? ERKStepReInit(memory, right_hand_side, t, state_view_.get())
                          : ARKStepReInit(memory, nullptr, right_hand_side, t, state_view_.get());
  flag |= calls_.set_tolerances(memory, settings().relative_tolerance, tolerances());
  flag |= calls_.set_first_step(memory, first_step);
  flag |= calls_.set_longest_step(memory, settings().longest_step);
  HYLA_CHECK(flag == ARK_SUCCESS, "ARKODE begins anew");
}

// The interpolant is of low degree in the first step. Points from before a cut would not help: repeated cuts would feed
// the errors of one interpolant into the next, and they would grow.
double ArkodeIntegrator::step_after_restart() const { return is_explicit_ ? proposed_ / 2 : 0; }

StepStatus ArkodeIntegrator::advance(double limit, double& t) {
  limit_ = limit;
  wanted_ = resume_ > 0 ? resume_ : proposed_;
  if (resume_ > 0) {
    collect_work(true);
    begin_at(end_, resume_);
    resume_ = 0;
  }
  const double shortest = 16 * std::numeric_limits<double>::epsilon() * std::fabs(end_);
  for (;;) {
    forget_trouble();
    calls_.set_stop_time(memory_.get(), limit);
    const int flag = calls_.evolve(memory_.get(), horizon(limit), next_view_.get(), &t, ARK_ONE_STEP);
    // A step must end where the equations are defined.
    if (flag >= ARK_SUCCESS && evaluate(t, next_.data(), slope_.data()) == 0) return StepStatus::Good;
    if (has_failed()) return StepStatus::Failed;
    if (!is_undefined()) return status_of(flag);
    double h = 0;
    calls_.get_next_step(memory_.get(), &h);
    h = std::min(flag >= ARK_SUCCESS ? t - end_ : h, limit - end_) / 4;
    if (!(h > shortest)) return StepStatus::StepTooSmall;
    ++work_.rejected;
    collect_work(true);
    begin_at(end_, h);
  }
}

void ArkodeIntegrator::accepted() {
  polynomial_.add(end_, state_.data(), slope_.data(),
                  is_explicit_ ? NodePolynomial::Slope::Good : NodePolynomial::Slope::Doubtful);
  polynomial_.build(is_explicit_ ? kExplicitNodes : kImplicitNodes);
  degree_ = polynomial_.degree();
  calls_.get_next_step(memory_.get(), &proposed_);
  if (end_ == limit_ && end_ - begin_ < wanted_ / 2) proposed_ = resume_ = wanted_;
}

void ArkodeIntegrator::count(Counters& counters) const {
  calls_.get_rejected(memory_.get(), &counters.rejected);
  if (is_explicit_) return;
  ARKStepGetNumStepSolveFails(memory_.get(), &counters.unsolved);
  ARKStepGetNumLinSolvSetups(memory_.get(), &counters.factorisations);
}

void ArkodeIntegrator::errors(N_Vector errors, N_Vector weights) const {
  calls_.get_errors(memory_.get(), errors);
  calls_.get_weights(memory_.get(), weights);
}

int ArkodeIntegrator::right_hand_side(double t, N_Vector y, N_Vector f, void* integrator) {
  return static_cast<ArkodeIntegrator*>(integrator)->evaluate(t, data_of(y), data_of(f));
}

int ArkodeIntegrator::jacobian(double t, N_Vector y, N_Vector /*f*/, SUNMatrix matrix, void* integrator, N_Vector,
                               N_Vector, N_Vector) {
  auto& self = *static_cast<ArkodeIntegrator*>(integrator);
  const int flag = self.fill_jacobian(t, data_of(y));
  if (flag == 0) self.jacobian_.fill(matrix, 1);
  return flag;
}

StepStatus ArkodeIntegrator::status_of(int flag) const {
  switch (flag) {
    case ARK_SUCCESS:
    case ARK_TSTOP_RETURN:
    case ARK_ROOT_RETURN:
    case ARK_WARNING:
      return StepStatus::Good;
    case ARK_FIRST_RHSFUNC_ERR:
      return explain(StepStatus::Undefined);
    case ARK_TOO_MUCH_WORK:
    case ARK_TOO_MUCH_ACC:
    case ARK_ERR_FAILURE:
    case ARK_REPTD_RHSFUNC_ERR:
    case ARK_UNREC_RHSFUNC_ERR:
    case ARK_CONSTR_FAIL:
      return explain(StepStatus::StepTooSmall);
    case ARK_CONV_FAILURE:
    case ARK_LSETUP_FAIL:
    case ARK_LSOLVE_FAIL: {
      long linear = 0;
      if (!is_explicit_) ARKStepGetLastLinFlag(memory_.get(), &linear);
      return explain(linear > 0 ? StepStatus::SingularMatrix : StepStatus::StepTooSmall);
    }
    case ARK_LINIT_FAIL:
    case ARK_RHSFUNC_FAIL:
    case ARK_RTFUNC_FAIL:
    case ARK_LFREE_FAIL:
    case ARK_MASSINIT_FAIL:
    case ARK_MASSSETUP_FAIL:
    case ARK_MASSSOLVE_FAIL:
    case ARK_MASSFREE_FAIL:
    case ARK_MASSMULT_FAIL:
    case ARK_MEM_FAIL:
    case ARK_MEM_NULL:
    case ARK_ILL_INPUT:
    case ARK_NO_MALLOC:
    case ARK_BAD_K:
    case ARK_BAD_T:
    case ARK_BAD_DKY:
    case ARK_TOO_CLOSE:
    case ARK_VECTOROP_ERR:
    case ARK_NLS_INIT_FAIL:
    case ARK_NLS_SETUP_FAIL:
    case ARK_NLS_SETUP_RECVR:
    case ARK_NLS_OP_ERR:
    case ARK_INNERSTEP_ATTACH_ERR:
    case ARK_INNERSTEP_FAIL:
    case ARK_OUTERTOINNER_FAIL:
    case ARK_INNERTOOUTER_FAIL:
    case ARK_POSTPROCESS_STEP_FAIL:
    case ARK_POSTPROCESS_STAGE_FAIL:
    case ARK_USER_PREDICT_FAIL:
    case ARK_INTERP_FAIL:
    case ARK_INVALID_TABLE:
    case ARK_CONTEXT_ERR:
    case ARK_UNRECOGNIZED_ERROR:
      return StepStatus::Failed;
  }
  return StepStatus::Failed;
}

}  // namespace hyla::solve_sundials
