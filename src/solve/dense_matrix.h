// LU factorisation with partial pivoting of small dense matrices, row by row. It serves the steps of an integrator and
// is unrolled for up to three variables; dense_lu.h, for loops, weighs rows and says more about singular matrices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "solve/factorisation.h"

namespace hyla::solve {

class DenseMatrix final : public Factorisation {
 public:
  explicit DenseMatrix(std::size_t size) : size_(size), values_(size * size), pivots_(size) {}

  std::size_t place(std::size_t row, std::size_t column) const override { return row * size_ + column; }
  double* clear() override;
  bool factorise() override;
  void solve(double* b) const override;

 private:
  template <int kSize>
  bool factorise_sized();
  template <int kSize>
  void solve_sized(double* b) const;

  std::size_t size_;
  std::vector<double> values_;         // afterwards L below the diagonal, U above, and one over the pivots on it
  std::vector<std::uint32_t> pivots_;  // the row that was exchanged with row k
};

}  // namespace hyla::solve
