#include "solve/dense_matrix.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "solve/weighted_sum.h"

namespace hyla::solve {

double* DenseMatrix::clear() {
  std::fill(values_.begin(), values_.end(), 0.0);
  return values_.data();
}

bool DenseMatrix::factorise() {
  return with_size(size_,
                   [this]<int kSize>(std::integral_constant<int, kSize> /*n*/) { return factorise_sized<kSize>(); });
}

template <int kSize>
bool DenseMatrix::factorise_sized() {
  const std::size_t n = kSize > 0 ? kSize : size_;
  double* a = values_.data();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i) {
      if (std::fabs(a[i * n + k]) > std::fabs(a[pivot * n + k])) pivot = i;
    }
    pivots_[k] = static_cast<std::uint32_t>(pivot);
    if (pivot != k) std::swap_ranges(a + k * n, a + k * n + n, a + pivot * n);
    const double inverse = 1 / a[k * n + k];
    if (!std::isfinite(inverse) || inverse == 0) return false;
    a[k * n + k] = inverse;
    const double* __restrict pivot_row = a + k * n;
    for (std::size_t i = k + 1; i < n; ++i) {
      double* __restrict row = a + i * n;
      const double factor = row[k] * inverse;
      row[k] = factor;
      if (factor == 0) continue;
      subtract_multiple(row + k + 1, factor, pivot_row + k + 1, n - k - 1);
    }
  }
  return true;
}

void DenseMatrix::solve(double* b) const {
  with_size(size_, [this, b]<int kSize>(std::integral_constant<int, kSize> /*n*/) { solve_sized<kSize>(b); });
}

template <int kSize>
void DenseMatrix::solve_sized(double* b) const {
  const std::size_t n = kSize > 0 ? kSize : size_;
  const double* a = values_.data();
  for (std::size_t k = 0; k < n; ++k) {
    if (pivots_[k] != k) std::swap(b[k], b[pivots_[k]]);
  }
  for (std::size_t i = 1; i < n; ++i) {
    double sum = b[i];
    for (std::size_t j = 0; j < i; ++j) sum -= a[i * n + j] * b[j];
    b[i] = sum;
  }
  for (std::size_t i = n; i-- > 0;) {
    double sum = b[i];
    for (std::size_t j = i + 1; j < n; ++j) sum -= a[i * n + j] * b[j];
    b[i] = sum * a[i * n + i];
  }
}

}  // namespace hyla::solve
