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
/// The argument of the last stage less that of the one before.
template <class Tableau>
struct LastDifferenceRow {
  static constexpr double at(int j) {
    return Tableau::a[Tableau::kStages - 1][j] - Tableau::a[Tableau::kStages - 2][j];
  }
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
    last_ = memory() + (kStages - 1) * size();
  }
  first_known_ = false;
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
  return with_size(size(),
                   [&]<int kSize>(std::integral_constant<int, kSize> /*n*/) { return attempt_sized<kSize>(h, t); });
}

template <class Tableau>
inline typename ExplicitPair<Tableau>::Frame ExplicitPair<Tableau>::frame(std::size_t n, double h, double t) const {
  Frame frame{.y = y_, .stages = {}, .begin = begin_, .h = h, .end = t, .system = &system()};
  for (int j = 0; j < kAllStages; ++j) frame.stages[j] = memory() + static_cast<std::size_t>(j) * n;
  frame.stages[0] = first_;
  frame.stages[kStages - 1] = last_;
  return frame;
}

template <class Tableau>
template <int kSize>
Attempt ExplicitPair<Tableau>::attempt_sized(double h, double t) {
  tried_ = h;
  const Frame frame = this->frame(kSize > 0 ? kSize : size(), h, t);
  const Evaluation evaluation = evaluate_stages<kSize>(frame, y_new_, Indices<kStages - 1>());
  if (evaluation != Evaluation::Good) return attempt_of(evaluation);
  error_ = error_norm<kSize>(frame);
  return Attempt::Made;
}

template <class Tableau>
template <int kSize, int... rows>
inline Evaluation ExplicitPair<Tableau>::evaluate_stages(const Frame& frame, double* z,
                                                         std::integer_sequence<int, rows...> /*indices*/) const {
  Evaluation evaluation = Evaluation::Good;
  std::uint64_t evaluations = 0;
  static_cast<void>(((++evaluations, evaluation = evaluate_stage<kSize, rows + 1>(frame, z),  //
                      evaluation == Evaluation::Good) &&
                     ...));
  work_.evaluations += evaluations;
  return evaluation;
}

/// Makes the argument of a stage in z and evaluates there. The last stage leaves the new state in z.
template <class Tableau>
template <int kSize, int row>
inline Evaluation ExplicitPair<Tableau>::evaluate_stage(const Frame& frame, double* z) const {
  const std::size_t n = kSize > 0 ? kSize : size();
  const double* y = frame.y;
  double* __restrict out = z;
  for_each_variable<kSize>(n, [&](std::size_t e) {
    out[e] = y[e] + frame.h * weighted_sum<StageRow<Tableau, row>>(frame.stages, e, Indices<row>());
  });
  const double t = Tableau::c[row] == 1 ? frame.end : frame.begin + Tableau::c[row] * frame.h;
  return frame.system->evaluate(t, z, frame.stages[row]);
}

template <class Tableau>
template <int kSize>
inline double ExplicitPair<Tableau>::error_norm(const Frame& frame) const {
  const std::size_t n = kSize > 0 ? kSize : size();
  const double *y = frame.y, *y_new = y_new_, *absolute = settings().absolute_tolerances;
  const double relative = settings().relative_tolerance;
  const auto error_at = [&]<class Row>(std::size_t e, Row /*row*/) {
    const double w = absolute[e] + relative * std::max(std::fabs(y[e]), std::fabs(y_new[e]));
    const double q = weighted_sum<Row>(frame.stages, e, Indices<kStages>()) / w;
    return q * q;
  };
  const double sum = sum_up<kSize>(n, [&](std::size_t e) { return error_at(e, ErrorRow<Tableau>()); });
  const double count = n > 0 ? static_cast<double>(n) : 1;
  if constexpr (Tableau::kTwoErrors) {
    const double second = sum_up<kSize>(n, [&](std::size_t e) { return error_at(e, SecondErrorRow<Tableau>()); });
    const double both = sum + 0.01 * second;
    return both == 0 ? 0 : frame.h * sum / std::sqrt(both * count);
  }
  return frame.h * std::sqrt(sum / count);
}

template <class Tableau>
double ExplicitPair<Tableau>::error_of(std::size_t i) const {
  return tried_ * weighted_sum<ErrorRow<Tableau>>(frame(size(), 0, 0).stages, i, Indices<kStages>());
}

template <class Tableau>
double ExplicitPair<Tableau>::stiffness() const {
  const std::size_t n = size();
  const Frame last = frame(n, 0, 0);
  const double *y = y_, *y_new = y_new_, *absolute = settings().absolute_tolerances;
  const double relative = settings().relative_tolerance;
  const auto square = [&](std::size_t e, double x) {
    const double q = x / (absolute[e] + relative * std::max(std::fabs(y[e]), std::fabs(y_new[e])));
    return q * q;
  };
  const double slopes =
      sum_up<0>(n, [&](std::size_t e) { return square(e, last.stages[kStages - 1][e] - last.stages[kStages - 2][e]); });
  const double arguments = sum_up<0>(n, [&](std::size_t e) {
    return square(e, weighted_sum<LastDifferenceRow<Tableau>>(last.stages, e, Indices<kStages - 1>()));
  });
  return arguments > 0 ? std::sqrt(slopes / arguments) : 0;
}

template <class Tableau>
template <int... extra>
bool ExplicitPair<Tableau>::evaluate_extra_stages([[maybe_unused]] double* z,
                                                  std::integer_sequence<int, extra...> /*rows*/) const {
  [[maybe_unused]] const Frame last = frame(size(), step_size(), begin_);
  work_.evaluations += sizeof...(extra);
  return ((evaluate_stage<0, kStages + extra>(last, z) == Evaluation::Good) && ...);
}

template <class Tableau>
void ExplicitPair<Tableau>::make_interpolant(double* r) const {
  // Without the extra stages the interpolant is the cubic one of Hermite.
  const bool complete = evaluate_extra_stages(r, Indices<Tableau::kExtraStages>());
  with_size(size(), [&]<int kSize>(std::integral_constant<int, kSize> /*n*/) {
    make_hermite<kSize>(r);
    if (complete) {
      make_higher_terms<kSize>(r, Indices<Tableau::kDegree - 3>());
    } else {
      std::fill_n(r + 3 * size(), (Tableau::kDegree - 3) * size(), 0.0);
    }
  });
}

template <class Tableau>
template <int kSize>
inline void ExplicitPair<Tableau>::make_hermite(double* r) const {
  const std::size_t n = kSize > 0 ? kSize : size();
  const double *y = y_, *y_new = y_new_, *first = first_, *last = last_, h = step_size();
  double* __restrict out = r;
  for_each_variable<kSize>(n, [&](std::size_t e) {
    const double rise = y_new[e] - y[e], bend = h * first[e] - rise;
    out[e] = rise;
    out[n + e] = bend;
    out[2 * n + e] = rise - h * last[e] - bend;
  });
}

template <class Tableau>
template <int kSize, int... rows>
inline void ExplicitPair<Tableau>::make_higher_terms(double* r, std::integer_sequence<int, rows...> /*indices*/) const {
  const std::size_t n = kSize > 0 ? kSize : size();
  const Frame last = frame(n, step_size(), end_);
  const auto make = [&]<int row>(std::integral_constant<int, row> /*index*/) {
    double* __restrict out = r + static_cast<std::size_t>(3 + row) * n;
    for_each_variable<kSize>(n, [&](std::size_t e) {
      out[e] = last.h * weighted_sum<InterpolantRow<Tableau, row>>(last.stages, e, Indices<kAllStages>());
    });
  };
  (make(std::integral_constant<int, rows>()), ...);
}

}  // namespace hyla::solve
