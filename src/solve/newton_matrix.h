// The sparse Jacobian of a large system of equations, for Newton's method. What was factorised last is kept: as long as
// the entries stay the same, as they do in linear networks with constant coefficients, nothing is factorised again.
//
// What has been solved before leaves no trace in a solution: the first matrix of each search gets pivots of its own,
// the others of the search are factorised with them. So a run does not depend on who else asks for solutions, such as a
// recorder, and goes on with the same bits from a checkpoint.
#pragma once

#include <cstddef>
#include <memory>
#include <unordered_map>

#include "solve/system.h"

namespace hyla::solve {

class Residuals;

class NewtonMatrix {
 public:
  NewtonMatrix();
  ~NewtonMatrix();
  NewtonMatrix(const NewtonMatrix&) = delete;
  NewtonMatrix& operator=(const NewtonMatrix&) = delete;

  /// A search begins for the solution of this system; its pattern lives as long as this.
  void begin(const Pattern& pattern);
  /// False: undefined, or singular as far as rounding allows to tell; `blamed` is then the unknown without pivot.
  bool linearise(Residuals& residuals, const double* x, std::size_t& blamed);
  /// Replaces b by the solution of A x = b.
  void solve(double* b) const;

 private:
  struct Known;
  std::unordered_map<const Pattern*, std::unique_ptr<Known>> known_;
  Known* present_ = nullptr;
};

}  // namespace hyla::solve
