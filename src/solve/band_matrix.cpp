#include "solve/band_matrix.h"

#include <algorithm>
#include <cmath>
#include <utility>

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
      for (std::size_t j = 1; j < end - k; ++j) row[j] -= factor * pivot_row[j];
    }
  }
  return true;
}

void BandMatrix::solve(double* b) const {
  const double* a = values_.data();
  for (std::size_t k = 0; k < size_; ++k) {
    if (pivots_[k] != k) std::swap(b[k], b[pivots_[k]]);
    const std::size_t last = std::min(size_ - 1, k + below_);
    for (std::size_t i = k + 1; i <= last; ++i) b[i] -= a[place(i, k)] * b[k];
  }
  for (std::size_t k = size_; k-- > 0;) {
    const double* row = a + place(k, k);
    double sum = b[k];
    for (std::size_t j = 1; j < end_of_row(k) - k; ++j) sum -= row[j] * b[k + j];
    b[k] = sum * row[0];
  }
}

}  // namespace hyla::solve
