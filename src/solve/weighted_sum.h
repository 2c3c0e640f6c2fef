// Sums over stages with the coefficients of a tableau, written out when they are compiled.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace hyla::solve {

template <int count>
using Indices = std::make_integer_sequence<int, count>;

/// The sum of a row's entries times the stages, for one element, without the zeros. The first entry of every row
/// differs from zero.
template <class Row, class Stages, int... js>
[[gnu::always_inline]] inline double weighted_sum(const Stages& k, std::size_t e,
                                                  std::integer_sequence<int, js...> /*indices*/) {
  double sum = Row::at(0) * k[0][e];
  const auto add = [&]<int j>(std::integral_constant<int, j> /*index*/) {
    if constexpr (j > 0 && Row::at(j) != 0) sum += Row::at(j) * k[j][e];
  };
  (add(std::integral_constant<int, js>()), ...);
  return sum;
}

/// Calls f with the number of variables as a type: 1, 2, 3, or 0 for any other number, so that loops over the variables
/// of small systems are unrolled.
template <class F>
inline auto with_size(std::size_t n, const F& f) {
  switch (n) {
    case 1:
      return f(std::integral_constant<int, 1>());
    case 2:
      return f(std::integral_constant<int, 2>());
    case 3:
      return f(std::integral_constant<int, 3>());
    default:
      return f(std::integral_constant<int, 0>());
  }
}

#if defined(__x86_64__)
/// Vectors of four numbers. AVX2 does not contain fused multiplication and addition, so the bits stay the same.
template <class F>
[[gnu::target("avx2")]] void for_each_wide(std::size_t n, const F& f) {
#pragma omp simd
  for (std::size_t e = 0; e < n; ++e) f(e);
}
inline constexpr std::size_t kWorthWideVectors = 32;
#endif

/// Calls f(0) to f(n - 1), side by side if n is not known when compiled. The calls must not depend on each other.
template <int kSize, class F>
inline void for_each_variable([[maybe_unused]] std::size_t n, const F& f) {
  if constexpr (kSize > 0) {
    [&]<int... es>(std::integer_sequence<int, es...> /*indices*/) { (f(static_cast<std::size_t>(es)), ...); }
    (Indices<kSize>());
  } else {
#if defined(__x86_64__)
    if (n >= kWorthWideVectors && __builtin_cpu_supports("avx2")) return for_each_wide(n, f);
#endif
#pragma omp simd
    for (std::size_t e = 0; e < n; ++e) f(e);
  }
}

/// The elementary operation of an elimination. Short rows are not worth the preparation of a vectorised loop.
inline void subtract_multiple(double* __restrict row, double factor, const double* __restrict pivot_row,
                              std::size_t count) {
  if (count < 8) {
    for (std::size_t j = 0; j < count; ++j) row[j] -= factor * pivot_row[j];
  } else {
#pragma omp simd
    for (std::size_t j = 0; j < count; ++j) row[j] -= factor * pivot_row[j];
  }
}

/// The sum of term(0) to term(n - 1). Many terms are added in four lanes, so that they can be computed side by side.
template <int kSize, class Term>
inline double sum_up(std::size_t n, const Term& term) {
  double sum = 0;
  if constexpr (kSize > 0) {
    for_each_variable<kSize>(n, [&](std::size_t e) { sum += term(e); });
  } else {
    double lanes[4] = {};
    std::size_t e = 0;
    for (; e + 4 <= n; e += 4) {
#pragma omp simd
      for (std::size_t lane = 0; lane < 4; ++lane) lanes[lane] += term(e + lane);
    }
    sum = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
    for (; e < n; ++e) sum += term(e);
  }
  return sum;
}

}  // namespace hyla::solve
