// The bodies of ExplicitPair, included once per tableau.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "solve/explicit_pair.h"
#include "solve/weighted_sum.h"

namespace hyla::solve {

// The rows of a tableau, as types.
template <class Tableau, int row>
struct StageRow {
  static constexpr double at(int j) { return Tableau::a[row][j]; }
};
template <class Tableau>
struct ErrorRow {
  static constexpr double at(int j) { return Tableau::error[j]; }
};
template <class Tableau>
struct SecondErrorRow {
  static constexpr double at(int j) { return Tableau::second_error[j]; }
};
template <class Tableau, int row>
struct InterpolantRow {
  static constexpr double at(int j) { return Tableau::d[row][j]; }
};

template <class Tableau>
void ExplicitPair<Tableau>::begin_system(bool resized) {
  if (resized) {
    first_ = memory();
    last_ = memory() + size();
  }
  first_known_ = false;
}

template <class Tableau>
double* ExplicitPair<Tableau>::stage(int j) const {
  if (j == 0) return first_;
  if (j == kStages - 1) return last_;
  return memory() + static_cast<std::size_t>(j < kStages - 1 ? j + 1 : j) * size();
}

template <class Tableau>
Attempt ExplicitPair<Tableau>::prepare() {
  if (first_known_) return Attempt::Made;
  ++work_.evaluations;
  const Attempt outcome = attempt_of(system().evaluate(begin_, y_, first_));
  first_known_ = outcome == Attempt::Made;
  return outcome;
}

template <class Tableau>
void ExplicitPair<Tableau>::advance(bool was_cut) {
  std::swap(first_, last_);
  first_known_ = !was_cut;
}

template <class Tableau>
Attempt ExplicitPair<Tableau>::attempt(double h, double t) {
  switch (size()) {
    case 1:
      return attempt_sized<1>(h, t);
    case 2:
      return attempt_sized<2>(h, t);
    case 3:
      return attempt_sized<3>(h, t);
    default:
      return attempt_sized<0>(h, t);
  }
}

template <class Tableau>
template <int kSize>
Attempt ExplicitPair<Tableau>::attempt_sized(double h, double t) {
  tried_ = h;
  const Evaluation evaluation = evaluate_stages<kSize>(h, t, Indices<kStages - 1>());
  if (evaluation != Evaluation::Good) return attempt_of(evaluation);
  error_ = error_norm<kSize>(h);
  return Attempt::Made;
}

template <class Tableau>
template <int kSize, int... js>
Evaluation ExplicitPair<Tableau>::evaluate_stages(double h, double t, std::integer_sequence<int, js...> /*rows*/) {
  Evaluation evaluation = Evaluation::Good;
  static_cast<void>(
      ((evaluation = evaluate_stage<kSize, js + 1>(h, t, y_new_), evaluation == Evaluation::Good) && ...));
  return evaluation;
}

/// Makes the argument of a stage in z and evaluates there. The last stage leaves the new state in z.
template <class Tableau>
template <int kSize, int row>
Evaluation ExplicitPair<Tableau>::evaluate_stage(double h, double t, double* z) const {
  const std::size_t n = kSize > 0 ? kSize : size();
  Stages k;
  for (int j = 0; j < row; ++j) k[j] = stage(j);
  const double* y = y_;
  double* __restrict out = z;
  for (std::size_t e = 0; e < n; ++e) {
    out[e] = y[e] + h * weighted_sum<StageRow<Tableau, row>>(k, e, Indices<row>());
  }
  ++work_.evaluations;
  return system().evaluate(Tableau::c[row] == 1 ? t : begin_ + Tableau::c[row] * h, z, stage(row));
}

template <class Tableau>
template <int kSize>
double ExplicitPair<Tableau>::error_norm(double h) const {
  const std::size_t n = kSize > 0 ? kSize : size();
  Stages k;
  for (int j = 0; j < kStages; ++j) k[j] = stage(j);
  const double *y = y_, *y_new = y_new_, *absolute = settings().absolute_tolerances;
  const double relative = settings().relative_tolerance;
  double sum = 0, second_sum = 0;
  for (std::size_t e = 0; e < n; ++e) {
    const double w = absolute[e] + relative * std::max(std::fabs(y[e]), std::fabs(y_new[e]));
    const double q = weighted_sum<ErrorRow<Tableau>>(k, e, Indices<kStages>()) / w;
    sum += q * q;
    if constexpr (Tableau::kTwoErrors) {
      const double p = weighted_sum<SecondErrorRow<Tableau>>(k, e, Indices<kStages>()) / w;
      second_sum += p * p;
    }
  }
  const double count = n > 0 ? static_cast<double>(n) : 1;
  if constexpr (Tableau::kTwoErrors) {
    const double both = sum + 0.01 * second_sum;
    return both == 0 ? 0 : h * sum / std::sqrt(both * count);
  }
  return h * std::sqrt(sum / count);
}

template <class Tableau>
double ExplicitPair<Tableau>::error_of(std::size_t i) const {
  Stages k;
  for (int j = 0; j < kStages; ++j) k[j] = stage(j);
  return tried_ * weighted_sum<ErrorRow<Tableau>>(k, i, Indices<kStages>());
}

template <class Tableau>
template <int... extra>
bool ExplicitPair<Tableau>::evaluate_extra_stages([[maybe_unused]] double* z,
                                                  std::integer_sequence<int, extra...> /*rows*/) const {
  return ((evaluate_stage<0, kStages + extra>(step_size(), begin_, z) == Evaluation::Good) && ...);
}

template <class Tableau>
void ExplicitPair<Tableau>::make_interpolant(double* r) const {
  const std::size_t n = size();
  const double h = step_size();
  // Without the extra stages the interpolant is the cubic one of Hermite.
  const bool complete = evaluate_extra_stages(r, Indices<Tableau::kExtraStages>());
  Stages k;
  for (int j = 0; j < kAllStages; ++j) k[j] = stage(j);
  for (std::size_t e = 0; e < n; ++e) {
    const double rise = y_new_[e] - y_[e], bend = h * first_[e] - rise;
    r[e] = rise;
    r[n + e] = bend;
    r[2 * n + e] = rise - h * last_[e] - bend;
  }
  const auto make = [&]<int row>(std::integral_constant<int, row> /*index*/) {
    double* __restrict out = r + static_cast<std::size_t>(3 + row) * n;
    for (std::size_t e = 0; e < n; ++e) {
      out[e] = complete ? h * weighted_sum<InterpolantRow<Tableau, row>>(k, e, Indices<kAllStages>()) : 0;
    }
  };
  [&]<int... rows>(std::integer_sequence<int, rows...> /*indices*/) {
    (make(std::integral_constant<int, rows>()), ...);
  }
  (Indices<Tableau::kDegree - 3>());
}

}  // namespace hyla::solve
