// LU factorisation of sparse matrices by KLU (Davis, Palamadai Natarajan 2010).
//
// The order of elimination is found once for the pattern. Later matrices are factorised with the same pivots, which is
// several times quicker, as long as these remain good.
#pragma once

#include <cstddef>
#include <vector>

#include <suitesparse/klu.h>

#include "solve/factorisation.h"

namespace hyla::solve {

class SparseMatrix final : public Factorisation {
 public:
  explicit SparseMatrix(const Pattern& pattern);
  ~SparseMatrix() override;
  SparseMatrix(const SparseMatrix&) = delete;
  SparseMatrix& operator=(const SparseMatrix&) = delete;

  std::size_t place(std::size_t row, std::size_t column) const override;
  double* clear() override;
  bool factorise() override;
  /// With pivots chosen for these values, whatever was factorised before.
  bool factorise_anew();
  void solve(double* b) const override;
  /// Pivots belong to the matrix for which they were chosen.
  void transfer(base::Archive& archive) override;

  /// After factorise(), also where that failed.
  struct Pivot {
    std::size_t column = 0;
    double size = 0;  ///< in units of its row and of the largest entry of its column
  };
  Pivot weakest_pivot() const;

 private:
  bool factorise_with_old_pivots();
  void choose_pivots();

  Pattern pattern_;
  std::vector<double> values_;
  std::vector<double> pivoted_;  ///< the values for which the pivots were chosen
  mutable klu_common common_;
  klu_symbolic* symbolic_ = nullptr;
  klu_numeric* numeric_ = nullptr;
};

}  // namespace hyla::solve
