// LU factorisation with partial pivoting of banded matrices, from both ends at once.
//
// Each unknown of a band depends on the one before, so that a processor mostly waits. The rows at the upper end are
// eliminated downwards and those at the lower end upwards, in turn: two computations that do not wait for each other.
// They meet in a dense matrix in the middle, as large as the band is wide ("burn at both ends", van der Vorst 1987).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "solve/dense_matrix.h"
#include "solve/factorisation.h"

namespace hyla::solve {

class BandMatrix final : public Factorisation {
 public:
  BandMatrix(std::size_t size, std::size_t below, std::size_t above);

  std::size_t place(std::size_t row, std::size_t column) const override;
  double* clear() override;
  bool factorise() override;
  void solve(double* b) const override;
  void solve_in_order(double* b, const std::uint32_t* variables, std::size_t size, double* work) const override;

 private:
  /// One end of the matrix. At the lower end rows and columns are counted from the last one, upwards. A row is stored
  /// from `below` entries left of the diagonal to `reach` entries right of it: exchanging rows moves entries up to
  /// `below` places further to the right.
  struct End {
    std::size_t columns = 0;  ///< that are eliminated; `below` more rows take part
    std::size_t below = 0, reach = 0, width = 0;
    std::size_t begin = 0;              ///< in values_
    std::vector<std::uint32_t> pivots;  ///< the row that was exchanged with row k, less k

    End(std::size_t eliminated, std::size_t entries_below, std::size_t entries_above, std::size_t first);
    std::size_t place(std::size_t row, std::size_t column) const {
      return begin + row * width + (column + below - row);
    }
    std::size_t end() const { return begin + (columns + below) * width; }
  };

  template <int kBelow, int kReach>
  bool factorise_sized();
  /// Bandwidths known when compiled: entries below the diagonal, and above it after exchanges; 0: any.
  template <int kBelow, int kReach>
  bool eliminate(End& end, std::size_t k);
  bool factorise_middle();

  /// The right side comes from and the solution goes to b; what is between is in `work`.
  template <int kBelow, int kReach, class Elements>
  void solve_sized(Elements b, double* work) const;

  std::size_t size_;
  End upper_, lower_;
  DenseMatrix middle_;
  std::size_t middle_size_;
  std::vector<double> values_;  // afterwards the factors of the elimination, one over the pivots, and U times that
};

}  // namespace hyla::solve
