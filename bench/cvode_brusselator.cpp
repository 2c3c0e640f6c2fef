// The Brusselator with CVODE (BDF) and KLU. Debian builds SUNDIALS without optimisation, so this is slower than the
// library can be: 8.7 ms against 7.3 ms of the program by hand were measured with -O3.
#include <cmath>
#include <cstddef>
#include <numbers>

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include "hand_continuous.h"

namespace hyla::bench {
namespace {

struct Problem {
  std::size_t cells;
  double d;
};

int rates(double /*t*/, N_Vector state, N_Vector slope, void* user) {
  const auto& [cells, d] = *static_cast<const Problem*>(user);
  const double* y = N_VGetArrayPointer(state);
  double* dy = N_VGetArrayPointer(slope);
  for (std::size_t i = 0; i < cells; ++i) {
    const double u = y[2 * i], v = y[2 * i + 1];
    const bool is_first = i == 0, is_last = i + 1 == cells;
    const double u_left = is_first ? 1 : y[2 * i - 2], v_left = is_first ? 3 : y[2 * i - 1];
    const double u_right = is_last ? 1 : y[2 * i + 2], v_right = is_last ? 3 : y[2 * i + 3];
    dy[2 * i] = 1 + u * u * v - 4 * u + d * (u_left - 2 * u + u_right);
    dy[2 * i + 1] = 3 * u - u * u * v + d * (v_left - 2 * v + v_right);
  }
  return 0;
}

/// By columns, rows ascending.
int jacobian(double /*t*/, N_Vector state, N_Vector /*slope*/, SUNMatrix matrix, void* user, N_Vector, N_Vector,
             N_Vector) {
  const auto& [cells, d] = *static_cast<const Problem*>(user);
  const double* y = N_VGetArrayPointer(state);
  sunindextype* columns = SM_INDEXPTRS_S(matrix);
  sunindextype* rows = SM_INDEXVALS_S(matrix);
  double* values = SM_DATA_S(matrix);
  sunindextype count = 0;
  const auto put = [&](std::size_t row, double value) {
    rows[count] = static_cast<sunindextype>(row);
    values[count++] = value;
  };
  for (std::size_t i = 0; i < cells; ++i) {
    const double u = y[2 * i], v = y[2 * i + 1];
    const std::size_t a = 2 * i, b = a + 1;
    columns[a] = count;
    if (i > 0) put(a - 2, d);
    put(a, 2 * u * v - 4 - 2 * d);
    put(b, 3 - 2 * u * v);
    if (i + 1 < cells) put(a + 2, d);
    columns[b] = count;
    if (i > 0) put(b - 2, d);
    put(a, u * u);
    put(b, -u * u - 2 * d);
    if (i + 1 < cells) put(b + 2, d);
  }
  columns[2 * cells] = count;
  return 0;
}

}  // namespace

HandRun cvode_brusselator(std::size_t cells, double stop, double tolerance) {
  Problem problem = {cells, static_cast<double>((cells + 1) * (cells + 1)) / 50};
  const auto size = static_cast<sunindextype>(2 * cells);
  SUNContext context = nullptr;
  SUNContext_Create(nullptr, &context);
  N_Vector state = N_VNew_Serial(size, context);
  double* y = N_VGetArrayPointer(state);
  for (std::size_t i = 0; i < cells; ++i) {
    y[2 * i] = 1 + std::sin(2 * std::numbers::pi * static_cast<double>(i + 1) / static_cast<double>(cells + 1));
    y[2 * i + 1] = 3;
  }
  void* solver = CVodeCreate(CV_BDF, context);
  CVodeInit(solver, rates, 0, state);
  CVodeSStolerances(solver, tolerance, tolerance);
  CVodeSetUserData(solver, &problem);
  CVodeSetMaxNumSteps(solver, 1'000'000);
  SUNMatrix matrix = SUNSparseMatrix(size, size, 4 * size, CSC_MAT, context);
  SUNLinearSolver linear = SUNLinSol_KLU(state, matrix, context);
  CVodeSetLinearSolver(solver, linear, matrix);
  CVodeSetJacFn(solver, jacobian);
  CVodeSetStopTime(solver, stop);
  double t = 0;
  const int status = CVode(solver, stop, state, &t, CV_NORMAL);
  HandRun run;
  if (status >= 0) run.state.assign(y, y + size);
  long steps = 0, evaluations = 0;
  CVodeGetNumSteps(solver, &steps);
  CVodeGetNumRhsEvals(solver, &evaluations);
  run.steps = static_cast<std::uint64_t>(steps);
  run.evaluations = static_cast<std::uint64_t>(evaluations);
  CVodeFree(&solver);
  SUNLinSolFree(linear);
  SUNMatDestroy(matrix);
  N_VDestroy(state);
  SUNContext_Free(&context);
  return run;
}

}  // namespace hyla::bench
