#include "solve/dense_lu.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace hyla::solve {

namespace {

/// A pivot below this part of its row's largest entry, times the size, is rounding error.
constexpr double kSingular = 8 * std::numeric_limits<double>::epsilon();

}  // namespace

bool factorise(double* matrix, std::size_t size, std::uint32_t* pivots, double* scales, std::size_t& blamed) {
  for (std::size_t i = 0; i < size; ++i) {
    double largest = 0;
    for (std::size_t j = 0; j < size; ++j) largest = std::max(largest, std::fabs(matrix[i * size + j]));
    pivots[i] = static_cast<std::uint32_t>(i);
    scales[i] = largest > 0 ? 1 / largest : 1;
  }
  const double least = kSingular * static_cast<double>(size);
  for (std::size_t k = 0; k < size; ++k) {
    std::size_t best = k;
    double best_size = -1;
    for (std::size_t i = k; i < size; ++i) {
      const double relative = std::fabs(matrix[i * size + k]) * scales[i];
      if (relative > best_size) {
        best = i;
        best_size = relative;
      }
    }
    if (!(best_size > least)) {
      blamed = k;
      return false;
    }
    if (best != k) {
      std::swap_ranges(matrix + k * size, matrix + (k + 1) * size, matrix + best * size);
      std::swap(pivots[k], pivots[best]);
      std::swap(scales[k], scales[best]);
    }
    const double* pivot_row = matrix + k * size;
    for (std::size_t i = k + 1; i < size; ++i) {
      double* row = matrix + i * size;
      if (row[k] == 0) continue;
      const double factor = row[k] / pivot_row[k];
      row[k] = factor;
      for (std::size_t j = k + 1; j < size; ++j) row[j] -= factor * pivot_row[j];
    }
  }
  return true;
}

void solve_factorised(const double* matrix, std::size_t size, const std::uint32_t* pivots, double* x, double* memory) {
  for (std::size_t i = 0; i < size; ++i) {
    double value = x[pivots[i]];
    for (std::size_t j = 0; j < i; ++j) value -= matrix[i * size + j] * memory[j];
    memory[i] = value;
  }
  for (std::size_t i = size; i-- > 0;) {
    double value = memory[i];
    for (std::size_t j = i + 1; j < size; ++j) value -= matrix[i * size + j] * x[j];
    x[i] = value / matrix[i * size + i];
  }
}

}  // namespace hyla::solve
