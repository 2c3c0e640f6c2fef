// LU factorisation with partial pivoting of banded matrices.
//
// A row is stored from `below` entries left of the diagonal to `above` + `below` entries right of it: exchanging rows
// moves entries up to `below` places further to the right.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "solve/factorisation.h"

namespace hyla::solve {

class BandMatrix final : public Factorisation {
 public:
  BandMatrix(std::size_t size, std::size_t below, std::size_t above);

  std::size_t place(std::size_t row, std::size_t column) const override {
    return row * width_ + (column + below_ - row);
  }
  double* clear() override;
  bool factorise() override;
  void solve(double* b) const override;

 private:
  /// One past the last column that a row exchanged into place k can reach.
  std::size_t end_of_row(std::size_t k) const;

  /// Bandwidths known when compiled: entries below the diagonal, and above it after exchanges; 0: any.
  template <int kBelow, int kReach>
  void solve_sized(double* b) const;

  std::size_t size_, below_, above_, width_;
  std::vector<double> values_;  // afterwards the factors of the elimination, U, and one over the pivots
  std::vector<std::uint32_t> pivots_;
};

}  // namespace hyla::solve
