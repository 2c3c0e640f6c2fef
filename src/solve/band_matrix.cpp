#include "solve/band_matrix.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "solve/weighted_sum.h"

namespace hyla::solve {

BandMatrix::BandMatrix(std::size_t size, std::size_t below, std::size_t above)
    : size_(size), below_(below), above_(above), width_(2 * below + above + 1), values_(size * width_), pivots_(size) {}

double* BandMatrix::clear() {
  std::fill(values_.begin(), values_.end(), 0.0);
  return values_.data();
}

std::size_t BandMatrix::end_of_row(std::size_t k) const { return std::min(size_, k + below_ + above_ + 1); }

bool BandMatrix::factorise() {
  double* a = values_.data();
  for (std::size_t k = 0; k < size_; ++k) {
    const std::size_t last = std::min(size_ - 1, k + below_), end = end_of_row(k);
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i <= last; ++i) {
      if (std::fabs(a[place(i, k)]) > std::fabs(a[place(pivot, k)])) pivot = i;
    }
    pivots_[k] = static_cast<std::uint32_t>(pivot);
    if (pivot != k) std::swap_ranges(a + place(k, k), a + place(k, end), a + place(pivot, k));
    double* __restrict pivot_row = a + place(k, k);
    const double inverse = 1 / pivot_row[0];
    if (!std::isfinite(inverse) || inverse == 0) return false;
    pivot_row[0] = inverse;
    for (std::size_t i = k + 1; i <= last; ++i) {
      double* __restrict row = a + place(i, k);
      const double factor = row[0] * inverse;
      row[0] = factor;
      if (factor == 0) continue;
      subtract_multiple(row + 1, factor, pivot_row + 1, end - k - 1);
    }
  }
  return true;
}

void BandMatrix::solve(double* b) const {
  if (below_ == 1 && above_ == 1) {
    solve_sized<1, 2>(b);
  } else if (below_ == 2 && above_ == 2) {
    solve_sized<2, 4>(b);
  } else if (below_ == 3 && above_ == 3) {
    solve_sized<3, 6>(b);
  } else {
    solve_sized<0, 0>(b);
  }
}

template <int kBelow, int kReach>
void BandMatrix::solve_sized(double* b) const {
  const std::size_t n = size_;
  const std::size_t below = kBelow > 0 ? kBelow : below_, reach = kReach > 0 ? kReach : below_ + above_;
  const double* a = values_.data();
  const auto eliminate = [&](std::size_t k, std::size_t count) {
    if (pivots_[k] != k) std::swap(b[k], b[pivots_[k]]);
    const double* factor = a + place(k, k);
    const double value = b[k];
    for (std::size_t i = 1; i <= count; ++i) b[k + i] -= factor[i * (width_ - 1)] * value;
  };
  const std::size_t full = n - std::min(n, below);
  for (std::size_t k = 0; k < full; ++k) eliminate(k, below);
  for (std::size_t k = full; k < n; ++k) eliminate(k, n - 1 - k);

  // The nearest unknown comes last, because it has only just been computed.
  const auto substitute = [&](std::size_t k, std::size_t count) {
    const double* row = a + place(k, k);
    double sum = b[k];
    for (std::size_t j = count; j >= 1; --j) sum -= row[j] * b[k + j];
    b[k] = sum * row[0];
  };
  const std::size_t short_rows = std::min(n, reach);
  for (std::size_t k = n; k-- > n - short_rows;) substitute(k, n - 1 - k);
  for (std::size_t k = n - short_rows; k-- > 0;) substitute(k, reach);
}

}  // namespace hyla::solve
