// Owners of what SUNDIALS gives out.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>
#include <sundials/sundials_nonlinearsolver.h>

namespace hyla::solve_sundials {

template <typename Pointer, auto kFree>
struct Free {
  using pointer = Pointer;
  void operator()(Pointer object) const { kFree(object); }
};
template <typename Pointer, auto kFree>
using Handle = std::unique_ptr<std::remove_pointer_t<Pointer>, Free<Pointer, kFree>>;

inline void free_context(SUNContext context) { SUNContext_Free(&context); }

using Context = Handle<SUNContext, free_context>;
using VectorHandle = Handle<N_Vector, N_VDestroy>;
using MatrixHandle = Handle<SUNMatrix, SUNMatDestroy>;
using LinearSolverHandle = Handle<SUNLinearSolver, SUNLinSolFree>;
using NonlinearSolverHandle = Handle<SUNNonlinearSolver, SUNNonlinSolFree>;

inline Context make_context() {
  SUNContext context = nullptr;
  SUNContext_Create(nullptr, &context);
  return Context(context);
}

/// A vector without memory of its own.
inline VectorHandle make_view(std::size_t size, double* data, const Context& context) {
  return VectorHandle(N_VMake_Serial(static_cast<sunindextype>(size), data, context.get()));
}
inline double* data_of(N_Vector vector) { return N_VGetArrayPointer_Serial(vector); }

}  // namespace hyla::solve_sundials
