// Large systems without events: a chain of oscillators and the Brusselator.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "hand_continuous.h"
#include "rodas4.h"

namespace hyla::bench {
namespace {

// --- the chain

/// DOPRI5 for a state vector of any size.
class LargeDopri5 : private DormandPrince {
 public:
  LargeDopri5(std::vector<double> start, double tolerance)
      : y(std::move(start)), tolerance_{tolerance, tolerance}, end_(y.size()), trial_(y.size()) {
    for (std::vector<double>& k : k_) k.resize(y.size());
  }

  template <class Rates>
  void run(const Rates& rates, double stop) {
    double t = 0, next_step = 1e-3;
    rates(y.data(), k_[0].data());
    while (stop - t > 1e-12) {
      const double h = std::min(next_step, stop - t);
      const double error = attempt(rates, h);
      next_step = h * growth(error);
      if (error > 1) continue;
      t += h;
      y.swap(end_);
      k_[0].swap(k_[6]);
      ++steps;
    }
  }

  std::vector<double> y;
  std::uint64_t steps = 0, evaluations = 0;

 private:
  template <class Rates>
  double attempt(const Rates& rates, double h) {
    const std::size_t n = y.size();
    const double *__restrict p = y.data(), *__restrict k1 = k_[0].data(), *__restrict k2 = k_[1].data(),
                 *__restrict k3 = k_[2].data(), *__restrict k4 = k_[3].data(), *__restrict k5 = k_[4].data(),
                 *__restrict k6 = k_[5].data(), *__restrict k7 = k_[6].data();
    double* __restrict z = trial_.data(), * __restrict end = end_.data();
    for (std::size_t i = 0; i < n; ++i) z[i] = p[i] + h * (a21 * k1[i]);
    rates(z, k_[1].data());
    for (std::size_t i = 0; i < n; ++i) z[i] = p[i] + h * (a31 * k1[i] + a32 * k2[i]);
    rates(z, k_[2].data());
    for (std::size_t i = 0; i < n; ++i) z[i] = p[i] + h * (a41 * k1[i] + a42 * k2[i] + a43 * k3[i]);
    rates(z, k_[3].data());
    for (std::size_t i = 0; i < n; ++i) z[i] = p[i] + h * (a51 * k1[i] + a52 * k2[i] + a53 * k3[i] + a54 * k4[i]);
    rates(z, k_[4].data());
    for (std::size_t i = 0; i < n; ++i) {
      z[i] = p[i] + h * (a61 * k1[i] + a62 * k2[i] + a63 * k3[i] + a64 * k4[i] + a65 * k5[i]);
    }
    rates(z, k_[5].data());
    for (std::size_t i = 0; i < n; ++i) {
      end[i] = p[i] + h * (a71 * k1[i] + a73 * k3[i] + a74 * k4[i] + a75 * k5[i] + a76 * k6[i]);
    }
    rates(end, k_[6].data());
    evaluations += 6;
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double part = h * (e1 * k1[i] + e3 * k3[i] + e4 * k4[i] + e5 * k5[i] + e6 * k6[i] + e7 * k7[i]) /
                          tolerance_.scale(p[i], end[i]);
      sum += part * part;
    }
    return std::sqrt(sum / static_cast<double>(n));
  }

  Tolerance tolerance_;
  std::vector<double> end_, trial_;
  std::array<std::vector<double>, 7> k_;
};

// --- the Brusselator

using Vector = std::vector<double>;

/// u' = 1 + u^2 v - 4 u + d (u_left - 2 u + u_right), v' = 3 u - u^2 v + d (v_left - 2 v + v_right), with u = 1 and
/// v = 3 at both ends and d = (cells + 1)^2 / 50.
class Brusselator {
 public:
  explicit Brusselator(std::size_t cells)
      : cells_(cells), d_(static_cast<double>((cells + 1) * (cells + 1)) / 50), inverse_(cells) {}

  std::size_t size() const { return 2 * cells_; }
  Vector start() const {
    Vector y(size());
    for (std::size_t i = 0; i < cells_; ++i) {
      y[2 * i] = 1 + std::sin(2 * std::numbers::pi * static_cast<double>(i + 1) / static_cast<double>(cells_ + 1));
      y[2 * i + 1] = 3;
    }
    return y;
  }
  void rates(const double* __restrict y, double* __restrict dy) const {
    for (std::size_t i = 0; i < cells_; ++i) {
      const double u = y[2 * i], v = y[2 * i + 1];
      const bool is_first = i == 0, is_last = i + 1 == cells_;
      const double u_left = is_first ? 1 : y[2 * i - 2], v_left = is_first ? 3 : y[2 * i - 1];
      const double u_right = is_last ? 1 : y[2 * i + 2], v_right = is_last ? 3 : y[2 * i + 3];
      dy[2 * i] = 1 + u * u * v - 4 * u + d_ * (u_left - 2 * u + u_right);
      dy[2 * i + 1] = 3 * u - u * u * v + d_ * (v_left - 2 * v + v_right);
    }
  }
  /// E = shift I - J as a chain of blocks of 2 x 2; those beside the diagonal are -d I.
  void factor(const Vector& y, double shift) {
    std::array<double, 4> last{};
    for (std::size_t i = 0; i < cells_; ++i) {
      const double u = y[2 * i], v = y[2 * i + 1], square = i == 0 ? 0 : d_ * d_;
      const double a = shift - (2 * u * v - 4 - 2 * d_) - square * last[0];
      const double b = -u * u - square * last[1];
      const double c = -(3 - 2 * u * v) - square * last[2];
      const double e = shift + u * u + 2 * d_ - square * last[3];
      const double scale = 1 / (a * e - b * c);
      last = {e * scale, -b * scale, -c * scale, a * scale};
      inverse_[i] = last;
    }
  }
  /// In place.
  void solve(double* __restrict x) const {
    double c0 = 0, c1 = 0;
    for (std::size_t i = 0; i < cells_; ++i) {
      const double b0 = x[2 * i] + d_ * c0, b1 = x[2 * i + 1] + d_ * c1;
      const std::array<double, 4>& q = inverse_[i];
      c0 = q[0] * b0 + q[1] * b1;
      c1 = q[2] * b0 + q[3] * b1;
      x[2 * i] = c0;
      x[2 * i + 1] = c1;
    }
    for (std::size_t i = cells_ - 1; i-- > 0;) {
      const double e0 = d_ * x[2 * i + 2], e1 = d_ * x[2 * i + 3];
      const std::array<double, 4>& q = inverse_[i];
      x[2 * i] += q[0] * e0 + q[1] * e1;
      x[2 * i + 1] += q[2] * e0 + q[3] * e1;
    }
  }

 private:
  std::size_t cells_;
  double d_;
  std::vector<std::array<double, 4>> inverse_;
};

/// One attempt of Rodas4 from y; `end` is the state behind it, the last of `k` the estimate of its error.
void attempt(Brusselator& system, const Vector& y, double h, std::array<Vector, Rodas4::kStages>& k, Vector& end) {
  const std::size_t n = y.size();
  system.factor(y, 1 / (h * Rodas4::g));
  end = y;
  for (std::size_t i = 0; i < Rodas4::kStages; ++i) {
    if (i + 1 == Rodas4::kStages) {
      for (std::size_t m = 0; m < n; ++m) end[m] += k[i - 1][m];
    } else if (i > 0) {
      for (std::size_t m = 0; m < n; ++m) {
        double sum = y[m];
        for (std::size_t j = 0; j < i; ++j) sum += Rodas4::a[i - 1][j] * k[j][m];
        end[m] = sum;
      }
    }
    system.rates(end.data(), k[i].data());
    for (std::size_t m = 0; m < n && i > 0; ++m) {
      double sum = 0;
      for (std::size_t j = 0; j < i; ++j) sum += Rodas4::c[i - 1][j] * k[j][m];
      k[i][m] += sum / h;
    }
    system.solve(k[i].data());
  }
  for (std::size_t m = 0; m < n; ++m) end[m] += k.back()[m];
}

}  // namespace

HandRun hand_oscillators(std::size_t count, double stop, double tolerance) {
  std::vector<double> start(2 * count, 0);
  for (std::size_t i = 0; i < count; ++i) {
    start[i] = std::sin(6 * std::numbers::pi * static_cast<double>(i + 1) / static_cast<double>(count + 1)) +
               (i == count / 2 ? 1 : 0);
  }
  LargeDopri5 solver(std::move(start), tolerance);
  const auto rates = [count](const double* __restrict y, double* __restrict dy) {
    const double *q = y, *p = y + count;
    double *dq = dy, *dp = dy + count;
    for (std::size_t i = 0; i < count; ++i) dq[i] = p[i];
    dp[0] = -q[0] - 0.1 * q[0] * q[0] * q[0] + (q[1] - 2 * q[0]);
    for (std::size_t i = 1; i + 1 < count; ++i) {
      dp[i] = -q[i] - 0.1 * q[i] * q[i] * q[i] + (q[i + 1] - 2 * q[i] + q[i - 1]);
    }
    const double last = q[count - 1];
    dp[count - 1] = -last - 0.1 * last * last * last + (q[count - 2] - 2 * last);
  };
  solver.run(rates, stop);
  HandRun run;
  run.steps = solver.steps;
  run.evaluations = solver.evaluations;
  run.state = std::move(solver.y);
  return run;
}

HandRun hand_brusselator(std::size_t cells, double stop, double tolerance) {
  Brusselator system(cells);
  HandRun run;
  Vector y = system.start(), end(y.size());
  std::array<Vector, Rodas4::kStages> k;
  for (Vector& stage : k) stage.resize(y.size());
  const Tolerance limits = {tolerance, tolerance};
  double t = 0, next_step = 1e-4;
  while (stop - t > 1e-12) {
    const double h = std::min(next_step, stop - t);
    attempt(system, y, h, k, end);
    run.evaluations += Rodas4::kStages;
    double sum = 0;
    for (std::size_t m = 0; m < y.size(); ++m) {
      const double part = k.back()[m] / limits.scale(y[m], end[m]);
      sum += part * part;
    }
    const double error = std::sqrt(sum / static_cast<double>(y.size()));
    next_step = h * Rodas4::growth(error);
    if (error > 1) continue;
    t += h;
    y.swap(end);
    ++run.steps;
  }
  run.state = std::move(y);
  return run;
}

}  // namespace hyla::bench
