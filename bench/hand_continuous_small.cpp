// Programs of two and three states: the two-state model, the servo drive, the pendulum.
#include <array>
#include <cmath>
#include <numbers>

#include "hand_continuous.h"
#include "rodas4.h"

namespace hyla::bench {
namespace {

constexpr double kZeroWidth = 1e-14;  // of a located zero, as a fraction of the step

// --- C5

/// One of the two parameter sets of C5, left when y1 passes `level` in the direction `sense`.
struct TwoStateMode {
  double c2, c4, level, sense;
};
constexpr std::array<TwoStateMode, 2> kModes = {{{0.4, 5.5, 5.8, 1}, {-0.3, 2.73, 2.5, -1}}};
constexpr double kC1 = 2.7e6, kC3 = 3.5651205;

using Pair = std::array<double, 2>;

/// The stages of one attempt and the state behind it.
struct TwoStateStep {
  std::array<Pair, Rodas4::kStages> k{};
  Pair end{};

  void attempt(const Pair& y, const TwoStateMode& mode, double h) {
    // E = I / (h g) - J with J = [[-c1, c1], [0, -c3]]
    const double first = 1 / (1 / (h * Rodas4::g) + kC1);
    const double second = 1 / (1 / (h * Rodas4::g) + kC3);
    const double per_step = 1 / h;
    Pair u = y;
    for (std::size_t i = 0; i < Rodas4::kStages; ++i) {
      for (std::size_t n = 0; n < 2 && i > 0; ++n) {
        if (i == Rodas4::kStages - 1) {
          u[n] += k[i - 1][n];
          continue;
        }
        u[n] = y[n];
        for (std::size_t j = 0; j < i; ++j) u[n] += Rodas4::a[i - 1][j] * k[j][n];
      }
      Pair right = {kC1 * (u[1] + mode.c2 - u[0]), kC3 * (mode.c4 - u[1])};
      for (std::size_t n = 0; n < 2 && i > 0; ++n) {
        double sum = 0;
        for (std::size_t j = 0; j < i; ++j) sum += Rodas4::c[i - 1][j] * k[j][n];
        right[n] += sum * per_step;
      }
      k[i][1] = right[1] * second;
      k[i][0] = (right[0] + kC1 * k[i][1]) * first;
    }
    for (std::size_t n = 0; n < 2; ++n) end[n] = u[n] + k.back()[n];
  }
  double error(const Pair& y, const Tolerance& tolerance) const {
    double sum = 0;
    for (std::size_t n = 0; n < 2; ++n) {
      const double part = k.back()[n] / tolerance.scale(y[n], end[n]);
      sum += part * part;
    }
    return std::sqrt(sum / 2);
  }
  double dense(const Pair& y, std::size_t n, double s) const {
    double bend = 0, twist = 0;
    for (std::size_t j = 0; j < Rodas4::d2.size(); ++j) {
      bend += Rodas4::d2[j] * k[j][n];
      twist += Rodas4::d3[j] * k[j][n];
    }
    return y[n] * (1 - s) + s * (end[n] + (1 - s) * (bend + s * twist));
  }
};

}  // namespace

HandRun hand_two_state(double tolerance) {
  constexpr double kStop = 5, kFirstStep = 1e-8;
  HandRun run;
  Pair y = {4.2, 0.3};
  double t = 0, next_step = kFirstStep;
  std::size_t now = 0;
  TwoStateStep step;
  while (t < kStop) {
    const TwoStateMode& mode = kModes[now];
    const double h = std::min(next_step, kStop - t);
    step.attempt(y, mode, h);
    run.evaluations += Rodas4::kStages;
    const double error = step.error(y, {tolerance, tolerance});
    next_step = h * Rodas4::growth(error);
    if (error > 1) continue;
    ++run.steps;
    const auto guard = [&](double y1) { return (y1 - mode.level) * mode.sense; };
    if (guard(y[0]) < 0 && guard(step.end[0]) >= 0) {
      const double s = find_zero([&](double x) { return guard(step.dense(y, 0, x)); }, 0, guard(y[0]), 1,
                                 guard(step.end[0]), kZeroWidth);
      y = {step.dense(y, 0, s), step.dense(y, 1, s)};
      t += s * h;
      now = 1 - now;
      run.event_times.push_back(t);
      next_step = kFirstStep;  // the fast transient begins again
      continue;
    }
    t = kStop - (t + h) < 1e-14 ? kStop : t + h;
    y = step.end;
  }
  run.events = run.event_times.size();
  run.state = {y[0], y[1]};
  return run;
}

// --- servo drive

HandRun hand_servo(double tolerance) {
  constexpr double kStop = 9.95, kPeriod = 0.1, kGain = 100, kWidth = 0.1;
  HandRun run;
  SmallDopri5<3> solver;
  solver.tolerance = {tolerance, tolerance};
  solver.longest_step = 1;
  double direction = 1;
  const auto signal = [](const std::array<double, 3>& y) { return 1 - 0.1 * y[0] - y[1]; };
  const auto rates = [&](double, const std::array<double, 3>& y, std::array<double, 3>& dy) {
    dy = {kGain * direction, y[0], 1};
  };
  const auto guard = [&](const std::array<double, 3>& y) { return kWidth * direction * signal(y) - y[2]; };
  while (solver.t < kStop) {
    solver.step(rates, kStop);
    const bool is_reset = solver.y_end[2] >= kPeriod;
    const bool is_off = direction != 0 && guard(solver.y_end) < 0;
    if (!is_reset && !is_off) {
      solver.commit();
      continue;
    }
    solver.prepare_dense();
    const auto guard_at = [&](double s) { return guard(solver.dense(s)); };
    double s = 1;
    double end_guard = guard(solver.y_end);
    if (is_reset) {
      s = find_zero([&](double x) { return solver.dense(2, x) - kPeriod; }, 0, solver.y[2] - kPeriod, 1,
                    solver.y_end[2] - kPeriod, kZeroWidth);
      end_guard = guard_at(s);
    }
    const bool pulse_ends = direction != 0 && end_guard < 0;
    if (pulse_ends) s = find_zero(guard_at, 0, guard(solver.y), s, end_guard, kZeroWidth);
    solver.commit_at(s);
    if (pulse_ends) {
      direction = 0;
    } else {
      solver.y[2] = 0;
      direction = signal(solver.y) >= 0 ? 1 : -1;
    }
    run.event_times.push_back(solver.t);
  }
  run.events = run.event_times.size();
  run.steps = solver.steps;
  run.evaluations = solver.evaluations;
  run.state.assign(solver.y.begin(), solver.y.end());
  return run;
}

// --- C7

HandRun hand_pendulum(double tolerance) {
  constexpr double kStop = 10, kPin = -std::numbers::pi / 12, kShort = 0.3, kGravity = 9.81, kDamping = 0.2 / 1.02;
  HandRun run;
  SmallDopri5<2> solver;
  solver.tolerance = {tolerance, tolerance};
  solver.longest_step = 0.5;
  solver.y = {std::numbers::pi / 6, 0};
  bool is_short = false;
  double pull = kGravity;
  const auto rates = [&](double, const std::array<double, 2>& y, std::array<double, 2>& dy) {
    dy = {y[1], -pull * std::sin(y[0]) - kDamping * y[1]};
  };
  solver.guess_step(rates);
  while (kStop - solver.t > 1e-13) {
    solver.step(rates, kStop);
    const double before = solver.y[0] - kPin, after = solver.y_end[0] - kPin;
    if (is_short ? after <= 0 : after >= 0) {
      solver.commit();
      continue;
    }
    solver.prepare_dense();
    solver.commit_at(find_zero([&](double s) { return solver.dense(0, s) - kPin; }, 0, before, 1, after, kZeroWidth));
    run.event_times.push_back(solver.t);
    is_short = !is_short;
    solver.y = {kPin, solver.y[1] * (is_short ? 1 / kShort : kShort)};
    pull = is_short ? kGravity / kShort : kGravity;
  }
  run.events = run.event_times.size();
  run.steps = solver.steps;
  run.evaluations = solver.evaluations;
  run.state.assign(solver.y.begin(), solver.y.end());
  return run;
}

}  // namespace hyla::bench
