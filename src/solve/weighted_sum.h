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
inline double weighted_sum(const Stages& k, std::size_t e, std::integer_sequence<int, js...> /*indices*/) {
  double sum = Row::at(0) * k[0][e];
  const auto add = [&]<int j>(std::integral_constant<int, j> /*index*/) {
    if constexpr (j > 0 && Row::at(j) != 0) sum += Row::at(j) * k[j][e];
  };
  (add(std::integral_constant<int, js>()), ...);
  return sum;
}

}  // namespace hyla::solve
