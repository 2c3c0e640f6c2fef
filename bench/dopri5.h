// The explicit Runge-Kutta pair of order 5(4) of Dormand and Prince (1980) with the dense output of order 4 of Hairer,
// Nørsett and Wanner, "Solving Ordinary Differential Equations I" (1993), as one writes it by hand for one program:
// what the engine is measured against.
//
// A step goes from `t` to `end` and is not taken before commit(): an event may cut it with commit_at().
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace hyla::bench {

/// The letters are those of the book: a_ij of the stages, e_i of the error, d_i of the dense output.
struct DormandPrince {
  static constexpr double a21 = 1.0 / 5, a31 = 3.0 / 40, a32 = 9.0 / 40;
  static constexpr double a41 = 44.0 / 45, a42 = -56.0 / 15, a43 = 32.0 / 9;
  static constexpr double a51 = 19372.0 / 6561, a52 = -25360.0 / 2187, a53 = 64448.0 / 6561, a54 = -212.0 / 729;
  static constexpr double a61 = 9017.0 / 3168, a62 = -355.0 / 33, a63 = 46732.0 / 5247, a64 = 49.0 / 176,
                          a65 = -5103.0 / 18656;
  static constexpr double a71 = 35.0 / 384, a73 = 500.0 / 1113, a74 = 125.0 / 192, a75 = -2187.0 / 6784,
                          a76 = 11.0 / 84;
  static constexpr double e1 = 71.0 / 57600, e3 = -71.0 / 16695, e4 = 71.0 / 1920, e5 = -17253.0 / 339200,
                          e6 = 22.0 / 525, e7 = -1.0 / 40;
  static constexpr double d1 = -12715105075.0 / 11282082432.0, d3 = 87487479700.0 / 32700410799.0,
                          d4 = -10690763975.0 / 1880347072.0, d5 = 701980252875.0 / 199316789632.0,
                          d6 = -1453857185.0 / 822651844.0, d7 = 69997945.0 / 29380423.0;

  /// By how much the step may grow, for an error norm; below 1 if the step has failed.
  static double growth(double error) { return error > 1e-10 ? std::clamp(0.9 * std::pow(error, -0.2), 0.2, 5.0) : 5.0; }
};

struct Tolerance {
  double relative = 1e-6;
  double absolute = 1e-6;
  double scale(double before, double after) const {
    return absolute + relative * std::max(std::fabs(before), std::fabs(after));
  }
};

/// For a handful of states. Rates is called as rates(t, y, dy).
template <std::size_t N>
class SmallDopri5 : private DormandPrince {
 public:
  using State = std::array<double, N>;

  double t = 0, end = 0;
  double next_step = 1e-3;
  double longest_step = 1e300;
  Tolerance tolerance;
  State y{}, y_end{};
  std::uint64_t steps = 0, evaluations = 0;

  /// Whoever changes y or the rates says so.
  void restart() { knows_slope_ = false; }

  /// The first step, after Hairer, Nørsett and Wanner, section II.4.
  template <class Rates>
  void guess_step(const Rates& rates) {
    begin(rates);
    State trial, slope;
    const double size = norm(y, y), speed = norm(k1_, y);
    const double h0 = size < 1e-10 || speed < 1e-10 ? 1e-6 : 0.01 * size / speed;
    for (std::size_t i = 0; i < N; ++i) trial[i] = y[i] + h0 * k1_[i];
    rates(t + h0, trial, slope);
    ++evaluations;
    for (std::size_t i = 0; i < N; ++i) slope[i] -= k1_[i];
    const double most = std::max(speed, norm(slope, y) / h0);
    const double h1 = most <= 1e-15 ? std::max(1e-6, h0 * 1e-3) : std::pow(0.01 / most, 0.2);
    next_step = std::min({100 * h0, h1, longest_step});
  }

  /// One step that satisfies the tolerance, not beyond `limit`.
  template <class Rates>
  void step(const Rates& rates, double limit) {
    begin(rates);
    while (true) {
      const double h = std::min(next_step, limit - t);
      const bool is_clipped = h < next_step;
      const double error = attempt(rates, h);
      const double grown = h * growth(error);
      if (error > 1) {
        next_step = std::min(grown, h);
        continue;
      }
      ++steps;
      h_ = h;
      end = t + h;
      const double wish = std::min(grown, longest_step);
      next_step = is_clipped ? std::max(next_step, wish) : wish;
      return;
    }
  }

  /// Before the first dense() of a step.
  void prepare_dense() {
    for (std::size_t i = 0; i < N; ++i) {
      const double rise = y_end[i] - y[i];
      const double bend = h_ * k1_[i] - rise;
      dense_[0][i] = rise;
      dense_[1][i] = bend;
      dense_[2][i] = rise - h_ * k7_[i] - bend;
      dense_[3][i] = h_ * (d1 * k1_[i] + d3 * k3_[i] + d4 * k4_[i] + d5 * k5_[i] + d6 * k6_[i] + d7 * k7_[i]);
    }
  }
  /// Variable i at the fraction s of the step.
  double dense(std::size_t i, double s) const {
    const double rest = 1 - s;
    return y[i] + s * (dense_[0][i] + rest * (dense_[1][i] + s * (dense_[2][i] + rest * dense_[3][i])));
  }
  State dense(double s) const {
    State result;
    for (std::size_t i = 0; i < N; ++i) result[i] = dense(i, s);
    return result;
  }

  void commit() {
    t = end;
    y = y_end;
    k1_ = k7_;
  }
  void commit_at(double s) {
    y = dense(s);
    t += s * h_;
    restart();
  }

 private:
  template <class Rates>
  void begin(const Rates& rates) {
    if (knows_slope_) return;
    rates(t, y, k1_);
    ++evaluations;
    knows_slope_ = true;
  }
  double norm(const State& v, const State& at) const {
    double sum = 0;
    for (std::size_t i = 0; i < N; ++i) {
      const double part = v[i] / tolerance.scale(at[i], at[i]);
      sum += part * part;
    }
    return std::sqrt(sum / static_cast<double>(N));
  }
  template <class Rates>
  double attempt(const Rates& rates, double h) {
    State k2, z;
    for (std::size_t i = 0; i < N; ++i) z[i] = y[i] + h * (a21 * k1_[i]);
    rates(t + h / 5, z, k2);
    for (std::size_t i = 0; i < N; ++i) z[i] = y[i] + h * (a31 * k1_[i] + a32 * k2[i]);
    rates(t + 0.3 * h, z, k3_);
    for (std::size_t i = 0; i < N; ++i) z[i] = y[i] + h * (a41 * k1_[i] + a42 * k2[i] + a43 * k3_[i]);
    rates(t + 0.8 * h, z, k4_);
    for (std::size_t i = 0; i < N; ++i) {
      z[i] = y[i] + h * (a51 * k1_[i] + a52 * k2[i] + a53 * k3_[i] + a54 * k4_[i]);
    }
    rates(t + h * 8 / 9, z, k5_);
    for (std::size_t i = 0; i < N; ++i) {
      z[i] = y[i] + h * (a61 * k1_[i] + a62 * k2[i] + a63 * k3_[i] + a64 * k4_[i] + a65 * k5_[i]);
    }
    rates(t + h, z, k6_);
    for (std::size_t i = 0; i < N; ++i) {
      y_end[i] = y[i] + h * (a71 * k1_[i] + a73 * k3_[i] + a74 * k4_[i] + a75 * k5_[i] + a76 * k6_[i]);
    }
    rates(t + h, y_end, k7_);
    evaluations += 6;
    double sum = 0;
    for (std::size_t i = 0; i < N; ++i) {
      const double part = h * (e1 * k1_[i] + e3 * k3_[i] + e4 * k4_[i] + e5 * k5_[i] + e6 * k6_[i] + e7 * k7_[i]) /
                          tolerance.scale(y[i], y_end[i]);
      sum += part * part;
    }
    return std::sqrt(sum / static_cast<double>(N));
  }

  State k1_{}, k3_{}, k4_{}, k5_{}, k6_{}, k7_{};  // k2 is used inside a step only
  std::array<State, 4> dense_{};
  double h_ = 0;
  bool knows_slope_ = false;
};

/// The zero of g in [a, b], where g(a) and g(b) have different signs: false position after Anderson and Björck (1973),
/// with a bisection now and then.
template <class Function>
double find_zero(const Function& g, double a, double ga, double b, double gb, double width) {
  for (int turn = 0; turn < 60; ++turn) {
    double c = turn % 8 == 7 ? 0.5 * (a + b) : b - gb * (b - a) / (gb - ga);
    if (!(c > std::min(a, b) && c < std::max(a, b))) c = 0.5 * (a + b);
    const double gc = g(c);
    if (gc == 0 || std::fabs(b - a) < width) return c;
    if ((gc > 0) != (gb > 0)) {
      a = b;
      ga = gb;
    } else {
      const double part = 1 - gc / gb;
      ga *= part > 0 ? part : 0.5;
    }
    if (std::fabs(c - b) < width) return c;
    b = c;
    gb = gc;
  }
  return b;
}

}  // namespace hyla::bench
