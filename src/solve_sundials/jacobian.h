// The matrix of the Newton iterations and its solver: dense, band or sparse (KLU), whatever suits the pattern.
#pragma once

#include <cstdint>
#include <vector>

#include "solve/factorisation.h"
#include "solve_sundials/handles.h"

namespace hyla::solve_sundials {

class JacobianMatrix {
 public:
  /// Begins anew with a pattern. The pattern may be gone afterwards.
  void prepare(const solve::Pattern& pattern, N_Vector model, const Context& context);

  SUNMatrix matrix() const { return matrix_.get(); }
  SUNLinearSolver solver() const { return solver_.get(); }

  /// Where system.jacobian() stores; fill() reads it.
  double* entries() { return entries_.data(); }
  /// `matrix` = factor * entries, in the storage of this matrix.
  void fill(SUNMatrix matrix, double factor) const;
  /// The same, row by row: factors[i] * entries of row i + diagonal[i].
  void fill_rows(SUNMatrix matrix, const double* factors, const double* diagonal) const;

 private:
  void place_entries(const solve::Pattern& pattern);
  void place_sparse(const solve::Pattern& pattern);
  double* clear(SUNMatrix matrix) const;

  solve::MatrixKind kind_ = solve::MatrixKind::Dense;
  std::size_t size_ = 0;
  std::int64_t below_ = 0, above_ = 0;  // width of the band
  std::vector<double> entries_;
  std::vector<std::int32_t> rows_;                  // by entry
  std::vector<std::size_t> positions_, diagonal_;   // by entry, by row: where in the matrix's memory
  std::vector<sunindextype> starts_, sparse_rows_;  // of the sparse matrix, whose pattern has the whole diagonal
  MatrixHandle matrix_;
  LinearSolverHandle solver_;
};

}  // namespace hyla::solve_sundials
