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
  matrix_.analyse(pattern, system().algebraic());
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
  const Attempt outcome = solve_stages(h, t, Indices<kStages>());
  if (outcome != Attempt::Made) return outcome;
  const double* last = stage(kStages - 1);
  for (std::size_t i = 0; i < size(); ++i) y_new_[i] += last[i];
  error_ = error_norm();
  return Attempt::Made;
}

template <int... rows>
Attempt Rosenbrock::solve_stages(double h, double t, std::integer_sequence<int, rows...> /*indices*/) {
  Attempt outcome = Attempt::Made;
  static_cast<void>(((outcome = solve_stage<rows>(h, t), outcome == Attempt::Made) && ...));
  return outcome;
}

/// Leaves the argument of the stage in y_new_ and its u in stage(row).
template <int row>
Attempt Rosenbrock::solve_stage(double h, double t) {
  const std::size_t n = size();
  double* const u = stage(row);
  const double* k[kStages];
  for (int j = 0; j < kStages; ++j) k[j] = stage(j);
  const double* y = y_;
  double* __restrict argument = y_new_;
  if constexpr (row == 0) {
    std::copy_n(slope(), n, u);
  } else {
    if constexpr (row < Rodas5P::kFirstRepeated) {
      for (std::size_t i = 0; i < n; ++i) argument[i] = y[i] + weighted_sum<ArgumentRow<row>>(k, i, Indices<row>());
    } else {
      for (std::size_t i = 0; i < n; ++i) argument[i] += k[row - 1][i];
    }
    ++work_.evaluations;
    const double at = Rodas5P::c[row] == 1 ? t : begin_ + Rodas5P::c[row] * h;
    const Attempt outcome = attempt_of(system().evaluate(at, argument, u));
    if (outcome != Attempt::Made) return outcome;
    const double inverse = 1 / h;
    const std::uint8_t* algebraic = system().algebraic();
    double* __restrict right = u;
    for (std::size_t i = 0; i < n; ++i) {
      const double coupling = weighted_sum<CouplingRow<row>>(k, i, Indices<row>());
      right[i] += algebraic != nullptr && algebraic[i] != 0 ? 0 : inverse * coupling;
    }
  }
  if constexpr (Rodas5P::d[row] != 0) {
    const double* slopes = time_derivative();
    for (std::size_t i = 0; i < n; ++i) u[i] += h * Rodas5P::d[row] * slopes[i];
  }
  matrix_.solve(u);
  return Attempt::Made;
}

double Rosenbrock::error_norm() const {
  const double *error = stage(kStages - 1), *absolute = settings().absolute_tolerances;
  const double relative = settings().relative_tolerance;
  double sum = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    const double q = error[i] / (absolute[i] + relative * std::max(std::fabs(y_[i]), std::fabs(y_new_[i])));
    sum += q * q;
  }
  return std::sqrt(sum / static_cast<double>(std::max<std::size_t>(size(), 1)));
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
