#include "solve/band_matrix.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "solve/weighted_sum.h"

namespace hyla::solve {
namespace {

/// Numbers of rows seen from one end of the matrix.
struct FromAbove {
  std::size_t row(std::size_t i) const { return i; }
};
struct FromBelow {
  std::size_t last;
  std::size_t row(std::size_t i) const { return last - i; }
};

/// The elements of b by row of the matrix.
struct AsTheyAre {
  double* b;
  double& operator[](std::size_t row) const { return b[row]; }
};
struct InOrder {
  double* b;
  const std::uint32_t* variables;
  double& operator[](std::size_t row) const { return b[variables[row]]; }
};

/// Elimination and substitution at one end, with the elements of the next steps in registers if the bandwidths are
/// known when compiled; only then can `b` and `work` be different.
template <int kBelow, int kReach, class Side, class Elements>
class Sweep {
 public:
  Sweep(Side side, Elements b, double* work, const double* diagonal, std::size_t below, std::size_t reach,
        std::size_t width, const std::uint32_t* pivots)
      : side_(side),
        b_(b),
        work_(work),
        diagonal_(diagonal),
        below_(kBelow > 0 ? kBelow : below),
        reach_(kReach > 0 ? kReach : reach),
        width_(width),
        pivots_(pivots) {}

  void begin_elimination() {
    if constexpr (kBelow > 0) {
      for_each_variable<kBelow>(below_, [&](std::size_t i) { next_[i] = b_[side_.row(i)]; });
    }
  }
  void eliminate(std::size_t k) {
    const double* const factors = diagonal_ + k * width_;
    if constexpr (kBelow > 0) {
      next_[kBelow] = b_[side_.row(k + kBelow)];
      if (pivots_[k] != 0) exchange(pivots_[k]);
      const double value = next_[0];
      work(k) = value * factors[0];
      for_each_variable<kBelow>(
          below_, [&](std::size_t i) { next_[i] = next_[i + 1] - factors[(i + 1) * (width_ - 1)] * value; });
    } else {
      if (pivots_[k] != 0) std::swap(work(k), work(k + pivots_[k]));
      const double value = work(k);
      work(k) = value * factors[0];
      for (std::size_t i = 1; i <= below_; ++i) work(k + i) -= factors[i * (width_ - 1)] * value;
    }
  }
  void end_elimination(std::size_t columns) {
    if constexpr (kBelow > 0) {
      for_each_variable<kBelow>(below_, [&](std::size_t i) { work(columns + i) = next_[i]; });
    }
  }

  void begin_substitution(std::size_t columns) {
    if constexpr (kReach > 0) {
      for_each_variable<kReach>(reach_, [&](std::size_t j) { next_[j] = work(columns + j); });
    }
  }
  /// The nearest unknown comes last, because it has only just been computed.
  void substitute(std::size_t k) {
    const double* const row = diagonal_ + k * width_;
    double sum = work(k);
    if constexpr (kReach > 0) {
      for_each_variable<kReach>(reach_, [&](std::size_t j) { sum -= row[kReach - j] * next_[kReach - 1 - j]; });
      for_each_variable<kReach - 1>(reach_ - 1, [&](std::size_t j) { next_[kReach - 1 - j] = next_[kReach - 2 - j]; });
      next_[0] = sum;
    } else {
      for (std::size_t j = reach_; j >= 1; --j) sum -= row[j] * work(k + j);
    }
    b_[side_.row(k)] = sum;
  }

 private:
  double& work(std::size_t k) const { return work_[side_.row(k)]; }
  void exchange(std::size_t with) {
    for (std::size_t i = 1; i <= below_; ++i) {
      if (i == with) std::swap(next_[0], next_[i]);
    }
  }

  Side side_;
  Elements b_;
  double* work_;
  const double* diagonal_;
  std::size_t below_, reach_, width_;
  const std::uint32_t* pivots_;
  double next_[(kReach > 0 ? kReach : 1) + 1] = {};
};

/// Calls f with the number of entries below the diagonal, if it is one of those that are known when compiled, there are
/// as many above, and the ends do not overlap; else with 0.
template <class F>
auto with_bandwidth(std::size_t size, std::size_t below, std::size_t reach, const F& f) {
  const bool is_known = reach == 2 * below && reach <= size;
  if (is_known && below == 1) return f(std::integral_constant<int, 1>());
  if (is_known && below == 2) return f(std::integral_constant<int, 2>());
  if (is_known && below == 3) return f(std::integral_constant<int, 3>());
  return f(std::integral_constant<int, 0>());
}

}  // namespace

BandMatrix::End::End(std::size_t eliminated, std::size_t entries_below, std::size_t entries_above, std::size_t first)
    : columns(eliminated),
      below(entries_below),
      reach(entries_below + entries_above),
      width(below + reach + 1),
      begin(first),
      pivots(eliminated) {}

BandMatrix::BandMatrix(std::size_t size, std::size_t below, std::size_t above)
    : size_(size),
      upper_((size - std::min(size, below + above)) / 2, std::min(below, size), above, 0),
      lower_(size - std::min(size, below + above) - upper_.columns, above, below, upper_.end()),
      middle_(std::min(size, below + above)),
      middle_size_(std::min(size, below + above)),
      values_(lower_.end()) {}

std::size_t BandMatrix::place(std::size_t row, std::size_t column) const {
  if (row < upper_.columns + upper_.below) return upper_.place(row, column);
  return lower_.place(size_ - 1 - row, size_ - 1 - column);
}

double* BandMatrix::clear() {
  std::fill(values_.begin(), values_.end(), 0.0);
  return values_.data();
}

bool BandMatrix::factorise() {
  return with_bandwidth(
      size_, upper_.below, upper_.reach,
      [&]<int kBelow>(std::integral_constant<int, kBelow> /*below*/) { return factorise_sized<kBelow, 2 * kBelow>(); });
}

template <int kBelow, int kReach>
bool BandMatrix::factorise_sized() {
  for (std::size_t k = 0; k < upper_.columns; ++k) {
    if (!eliminate<kBelow, kReach>(upper_, k) || !eliminate<kBelow, kReach>(lower_, k)) return false;
  }
  for (std::size_t k = upper_.columns; k < lower_.columns; ++k) {
    if (!eliminate<kBelow, kReach>(lower_, k)) return false;
  }
  return factorise_middle();
}

template <int kBelow, int kReach>
inline bool BandMatrix::eliminate(End& end, std::size_t k) {
  const std::size_t below = kBelow > 0 ? kBelow : end.below, reach = kReach > 0 ? kReach : end.reach;
  const std::size_t down = end.width - 1;
  double* __restrict const pivot_row = values_.data() + end.place(k, k);
  std::size_t pivot = 0;
  for (std::size_t i = 1; i <= below; ++i) {
    if (std::fabs(pivot_row[i * down]) > std::fabs(pivot_row[pivot * down])) pivot = i;
  }
  end.pivots[k] = static_cast<std::uint32_t>(pivot);
  if (pivot != 0) std::swap_ranges(pivot_row, pivot_row + reach + 1, pivot_row + pivot * down);
  const double inverse = 1 / pivot_row[0];
  if (!std::isfinite(inverse) || inverse == 0) return false;
  for (std::size_t i = 1; i <= below; ++i) {
    double* __restrict const row = pivot_row + i * down;
    const double factor = row[0] * inverse;
    row[0] = factor;
    if (factor == 0) continue;
    if constexpr (kReach > 0) {
      for_each_variable<kReach>(reach, [&](std::size_t j) { row[j + 1] -= factor * pivot_row[j + 1]; });
    } else {
      subtract_multiple(row + 1, factor, pivot_row + 1, reach);
    }
  }
  pivot_row[0] = inverse;
  for_each_variable<kReach>(reach, [&](std::size_t j) { pivot_row[j + 1] *= inverse; });
  return true;
}

bool BandMatrix::factorise_middle() {
  double* const middle = middle_.clear();
  const std::size_t first = upper_.columns;
  for (std::size_t i = 0; i < middle_size_; ++i) {
    for (std::size_t j = 0; j < middle_size_; ++j) {
      const std::size_t row = first + i, column = first + j;
      const bool is_upper = i < upper_.below;
      const std::size_t a = is_upper ? row : size_ - 1 - row, b = is_upper ? column : size_ - 1 - column;
      const End& end = is_upper ? upper_ : lower_;
      if (b + end.below < a || b > a + end.reach) continue;
      middle[middle_.place(i, j)] = values_[end.place(a, b)];
    }
  }
  return middle_.factorise();
}

void BandMatrix::solve(double* b) const {
  with_bandwidth(size_, upper_.below, upper_.reach, [&]<int kBelow>(std::integral_constant<int, kBelow> /*below*/) {
    solve_sized<kBelow, 2 * kBelow>(AsTheyAre{b}, b);
  });
}

void BandMatrix::solve_in_order(double* b, const std::uint32_t* variables, std::size_t size, double* work) const {
  with_bandwidth(size_, upper_.below, upper_.reach, [&]<int kBelow>(std::integral_constant<int, kBelow> /*below*/) {
    if constexpr (kBelow > 0) {
      solve_sized<kBelow, 2 * kBelow>(InOrder{b, variables}, work);
    } else {
      Factorisation::solve_in_order(b, variables, size, work);
    }
  });
}

template <int kBelow, int kReach, class Elements>
void BandMatrix::solve_sized(Elements b, double* work) const {
  const auto sweep = [&]<class Side>(Side side, const End& end) {
    return Sweep<kBelow, kReach, Side, Elements>(side, b, work, values_.data() + end.place(0, 0), end.below, end.reach,
                                                 end.width, end.pivots.data());
  };
  Sweep upper = sweep(FromAbove{}, upper_);
  Sweep lower = sweep(FromBelow{size_ - 1}, lower_);
  const std::size_t both = upper_.columns, all = lower_.columns;  // the same, or one more
  upper.begin_elimination();
  lower.begin_elimination();
  for (std::size_t k = 0; k < both; ++k) {
    upper.eliminate(k);
    lower.eliminate(k);
  }
  for (std::size_t k = both; k < all; ++k) lower.eliminate(k);
  upper.end_elimination(both);
  lower.end_elimination(all);

  middle_.solve(work + both);

  upper.begin_substitution(both);
  lower.begin_substitution(all);
  for (std::size_t k = both; k < both + middle_size_; ++k) b[k] = work[k];
  for (std::size_t k = all; k-- > both;) lower.substitute(k);
  for (std::size_t k = both; k-- > 0;) {
    upper.substitute(k);
    lower.substitute(k);
  }
}

}  // namespace hyla::solve
