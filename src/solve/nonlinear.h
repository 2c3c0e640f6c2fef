// Solves R(x) = 0 for the unknowns of a loop: Newton with exact Jacobian, then damped, then by homotopy from the last
// known solution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "solve/system.h"

namespace hyla::solve {

class Residuals {
 public:
  virtual ~Residuals() = default;
  virtual std::size_t size() const = 0;
  virtual Evaluation evaluate(const double* x, double* residuals) = 0;
  /// Dense, row by row: jacobian[i * size + j] = dR_i / dx_j.
  virtual Evaluation jacobian(const double* x, double* jacobian) = 0;
  /// The Jacobian does not depend on x.
  virtual bool linear() const { return false; }
};

enum class Solved : std::uint8_t {
  Good,
  Singular,   ///< the equations depend on each other at this point
  Undefined,  ///< no number even close to the starting point
  NotFound,
};

struct NonlinearSettings {
  double tolerance = 1e-12;          ///< of a Newton step, relative to |x| + nominal
  const double* nominals = nullptr;  ///< by unknown; null: 1
  int most_iterations = 50;
};

struct NonlinearWork {
  std::uint64_t solutions = 0, iterations = 0, damped = 0, homotopies = 0;
};

class NonlinearSolver {
 public:
  /// `x` comes with the starting point and leaves with the solution, or with the last attempt. Allocates only when the
  /// size grows.
  Solved solve(Residuals& residuals, double* x, const NonlinearSettings& settings);

  const NonlinearWork& work() const { return work_; }
  /// Of the last failure: the unknown or row that looks worst, for messages.
  std::size_t worst() const { return worst_; }

 private:
  NonlinearWork work_;
  std::size_t worst_ = 0;
  std::vector<double> memory_;
};

}  // namespace hyla::solve
