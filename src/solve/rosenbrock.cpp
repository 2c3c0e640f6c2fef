#include "solve/rosenbrock.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "solve/rosenbrock_tableau.h"
#include "solve/weighted_sum.h"

namespace hyla::solve {

namespace {

constexpr int kStages = Rodas5P::kStages;

template <int row>
struct ArgumentRow {
  static constexpr double at(int j) { return Rodas5P::a[row][j]; }
};
template <int row>
struct CouplingRow {
  static constexpr double at(int j) { return Rodas5P::coupling[row][j]; }
};
template <int row>
struct InterpolantRow {
  static constexpr double at(int j) { return Rodas5P::interpolant[row][j]; }
};

}  // namespace

std::size_t Rosenbrock::vectors() const { return 3 + kStages; }

void Rosenbrock::begin_system(bool /*resized*/) {
  const Pattern& pattern = system().pattern();
  algebraic_ = system().algebraic();
  matrix_.analyse(pattern, algebraic_);
  jacobian_.resize(pattern.entries());
  prepared_ = false;
}

Attempt Rosenbrock::prepare() {
  if (prepared_) return Attempt::Made;
  ++work_.evaluations;
  const Attempt outcome = attempt_of(system().evaluate(begin_, y_, memory()));
  if (outcome != Attempt::Made) return outcome;
  ++work_.jacobians;
  const Attempt second = attempt_of(system().jacobian(begin_, y_, jacobian_.data(), time_derivative()));
  prepared_ = second == Attempt::Made;
  return second;
}

void Rosenbrock::advance(bool /*was_cut*/) { prepared_ = false; }

Attempt Rosenbrock::attempt(double h, double t) {
  ++work_.factorisations;
  if (!matrix_.factorise(jacobian_.data(), 1 / (Rodas5P::kGamma * h))) {
    return jacobian_is_number() ? Attempt::SingularMatrix : Attempt::Undefined;
  }
  return with_size(size(),
                   [&]<int kSize>(std::integral_constant<int, kSize> /*n*/) { return attempt_sized<kSize>(h, t); });
}

template <int kSize>
Attempt Rosenbrock::attempt_sized(double h, double t) {
  const std::size_t n = kSize > 0 ? kSize : size();
  Frame frame{.y = y_, .stages = {}, .begin = begin_, .h = h, .end = t, .system = &system(), .algebraic = algebraic_};
  for (int j = 0; j < kStages; ++j) frame.stages[j] = stage(0) + static_cast<std::size_t>(j) * n;
  const Evaluation evaluation = solve_stages<kSize>(frame, Indices<kStages>());
  if (evaluation != Evaluation::Good) return attempt_of(evaluation);
  const double* last = frame.stages[kStages - 1];
  double* const y_new = y_new_;
  for_each_variable<kSize>(n, [&](std::size_t i) { y_new[i] += last[i]; });
  error_ = error_norm<kSize>();
  return Attempt::Made;
}

template <int kSize, int... rows>
inline Evaluation Rosenbrock::solve_stages(const Frame& frame, std::integer_sequence<int, rows...> /*indices*/) {
  Evaluation evaluation = Evaluation::Good;
  static_cast<void>(((evaluation = solve_stage<kSize, rows>(frame, y_new_), evaluation == Evaluation::Good) && ...));
  return evaluation;
}

/// Leaves the argument of the stage in `argument` and its u in the frame. The argument is that of the stage before.
template <int kSize, int row>
inline Evaluation Rosenbrock::solve_stage(const Frame& frame, double* argument) {
  const std::size_t n = kSize > 0 ? kSize : size();
  double* const u = frame.stages[row];
  if constexpr (row == 0) {
    std::copy_n(slope(), n, u);
  } else {
    double* __restrict z = argument;
    for_each_variable<kSize>(n, [&](std::size_t i) {
      if constexpr (row < Rodas5P::kFirstRepeated) {
        z[i] = frame.y[i] + weighted_sum<ArgumentRow<row>>(frame.stages, i, Indices<row>());
      } else {
        z[i] += frame.stages[row - 1][i];
      }
    });
    ++work_.evaluations;
    const double t = Rodas5P::c[row] == 1 ? frame.end : frame.begin + Rodas5P::c[row] * frame.h;
    const Evaluation evaluation = frame.system->evaluate(t, argument, u);
    if (evaluation != Evaluation::Good) return evaluation;
    const double inverse = 1 / frame.h;
    double* __restrict right = u;
    const auto coupling = [&](std::size_t i) {
      return inverse * weighted_sum<CouplingRow<row>>(frame.stages, i, Indices<row>());
    };
    if (frame.algebraic == nullptr) {
      for_each_variable<kSize>(n, [&](std::size_t i) { right[i] += coupling(i); });
    } else {
      for_each_variable<kSize>(n, [&](std::size_t i) { right[i] += frame.algebraic[i] != 0 ? 0 : coupling(i); });
    }
  }
  if constexpr (Rodas5P::d[row] != 0) {
    const double *slopes = time_derivative(), factor = frame.h * Rodas5P::d[row];
    for_each_variable<kSize>(n, [&](std::size_t i) { u[i] += factor * slopes[i]; });
  }
  matrix_.solve(u);
  return Evaluation::Good;
}

template <int kSize>
inline double Rosenbrock::error_norm() const {
  const std::size_t n = kSize > 0 ? kSize : size();
  const double *error = stage(kStages - 1), *absolute = settings().absolute_tolerances, *y = y_, *y_new = y_new_;
  const double relative = settings().relative_tolerance;
  const double sum = sum_up<kSize>(n, [&](std::size_t i) {
    const double q = error[i] / (absolute[i] + relative * std::max(std::fabs(y[i]), std::fabs(y_new[i])));
    return q * q;
  });
  return std::sqrt(sum / (n > 0 ? static_cast<double>(n) : 1));
}

double Rosenbrock::error_of(std::size_t i) const { return stage(kStages - 1)[i]; }

bool Rosenbrock::jacobian_is_number() const {
  return std::all_of(jacobian_.begin(), jacobian_.end(), [](double x) { return std::isfinite(x); });
}

double Rosenbrock::iterate_spectral_radius(double* v) {
  const Pattern& pattern = system().pattern();
  double* product = scratch();
  std::fill_n(product, size(), 0.0);
  for (std::size_t column = 0; column < size(); ++column) {
    for (auto at = static_cast<std::size_t>(pattern.starts[column]);
         at < static_cast<std::size_t>(pattern.starts[column + 1]); ++at) {
      product[pattern.rows[at]] += jacobian_[at] * v[column];
    }
  }
  double before = 0, after = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    before += v[i] * v[i];
    after += product[i] * product[i];
  }
  if (!(before > 0) || !(after > 0)) return 0;
  const double scale = 1 / std::sqrt(after);
  for (std::size_t i = 0; i < size(); ++i) v[i] = scale * product[i];
  return std::sqrt(after / before);
}

/// The formula of Steinebach, y + s (rise + (1-s) (p + s (q + s w))), brought into the common form.
void Rosenbrock::make_interpolant(double* r) const {
  const std::size_t n = size();
  const double* k[kStages];
  for (int j = 0; j < kStages; ++j) k[j] = stage(j);
  for (std::size_t i = 0; i < n; ++i) {
    const double w = weighted_sum<InterpolantRow<2>>(k, i, Indices<kStages>());
    r[i] = y_new_[i] - y_[i];
    r[n + i] = weighted_sum<InterpolantRow<0>>(k, i, Indices<kStages>());
    r[2 * n + i] = weighted_sum<InterpolantRow<1>>(k, i, Indices<kStages>()) + w;
    r[3 * n + i] = -w;
  }
}

}  // namespace hyla::solve
