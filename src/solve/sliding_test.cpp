#include "solve/sliding.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "solve/roots.h"

namespace hyla::solve {
namespace {

TEST(Sliding, MotionsOnTheSurface) {
  EXPECT_EQ(motion_on_surface(1, 2), SurfaceMotion::Up);
  EXPECT_EQ(motion_on_surface(-1, -2), SurfaceMotion::Down);
  EXPECT_EQ(motion_on_surface(1, -2), SurfaceMotion::Slides);
  EXPECT_EQ(motion_on_surface(-1, 2), SurfaceMotion::Parts);
  EXPECT_EQ(motion_on_surface(1, 0), SurfaceMotion::Up);
  EXPECT_EQ(motion_on_surface(0, -1), SurfaceMotion::Down);
  EXPECT_EQ(motion_on_surface(0, 1), SurfaceMotion::Up);
  EXPECT_EQ(motion_on_surface(-1, 0), SurfaceMotion::Down);
}

TEST(Sliding, WeightMakesTheRateZero) {
  for (const double negative : {0.1, 1.0, 7.0}) {
    for (const double positive : {-0.3, -1.0, -50.0}) {
      const double weight = sliding_weight(negative, positive);
      EXPECT_GE(weight, 0);
      EXPECT_LE(weight, 1);
      EXPECT_NEAR((1 - weight) * negative + weight * positive, 0, 1e-14 * (negative - positive));
      const double pulled = sliding_weight(negative, positive, -0.05);
      EXPECT_NEAR((1 - pulled) * negative + pulled * positive, -0.05, 1e-14 * (negative - positive));
    }
  }
  const double a[] = {1, 2}, b[] = {3, -2};
  double mixed[2];
  mix_fields(a, b, 0.25, 2, mixed);
  EXPECT_DOUBLE_EQ(mixed[0], 1.5);
  EXPECT_DOUBLE_EQ(mixed[1], 1);
}

// --- a relay: x' = -sign(x) + c sin t --------------------------------------------------------------------------------

constexpr double kAmplitude = 1.5;

/// The rates that end sliding, as the engine watches them; or the state of the relay away from the surface.
class RelayRates final : public Course {
 public:
  std::size_t count() const override { return 2; }
  void sample(const double* times, std::size_t number, double* values) override {
    for (std::size_t r = 0; r < 2; ++r) {
      for (std::size_t k = 0; k < number; ++k) values[r * number + k] = value(r, times[k]);
    }
  }
  double value(std::size_t relation, double t) override {
    return 1 + (relation == 0 ? 1 : -1) * kAmplitude * std::sin(t);
  }
};

TEST(Sliding, RelayLeavesWhereAFieldTurns) {
  EXPECT_EQ(motion_on_surface(1, -1), SurfaceMotion::Slides);  // at t = 0
  RelayRates rates;
  RootIsolator isolator;
  std::vector<Crossing> crossings;
  isolator.find(rates, {0, 2, 4, nullptr, true}, crossings);
  ASSERT_FALSE(crossings.empty());
  const double leaves = crossings[0].at;
  EXPECT_NEAR(leaves, std::asin(1 / kAmplitude), 1e-15);
  EXPECT_EQ(crossings[0].relation, 1);
  const double negative = rates.value(0, leaves), positive = -rates.value(1, leaves);
  EXPECT_EQ(motion_after_sliding(negative, positive), SurfaceMotion::Up);
  EXPECT_EQ(motion_on_surface(negative, positive), SurfaceMotion::Up);
  // Until then the mean of the fields stands still.
  for (double t = 0; t < leaves; t += 0.05) {
    const double down = kAmplitude * std::sin(t) + 1, up = kAmplitude * std::sin(t) - 1;
    double field = 1;
    mix_fields(&down, &up, sliding_weight(down, up), 1, &field);
    EXPECT_NEAR(field, 0, 1e-15);
  }
  // It comes back with x = c (cos t1 - cos t) - (t - t1) = 0 and slides again, now towards the negative side.
  double low = 2, high = 4;
  const auto x = [&](double t) { return kAmplitude * (std::cos(leaves) - std::cos(t)) - (t - leaves); };
  ASSERT_GT(x(low), 0);
  ASSERT_LT(x(high), 0);
  while (high - low > 1e-14) (x((low + high) / 2) > 0 ? low : high) = (low + high) / 2;
  EXPECT_EQ(motion_on_surface(rates.value(0, low), -rates.value(1, low)), SurfaceMotion::Slides);
  crossings.clear();
  isolator.find(rates, {low, 5, 4, nullptr, true}, crossings);
  ASSERT_FALSE(crossings.empty());
  EXPECT_NEAR(crossings[0].at, std::numbers::pi + std::asin(1 / kAmplitude), 1e-14);
  EXPECT_EQ(motion_after_sliding(rates.value(0, crossings[0].at), -rates.value(1, crossings[0].at)),
            SurfaceMotion::Down);
}

// --- stick and slip: a mass on a spring on a belt --------------------------------------------------------------------

constexpr double kBelt = 0.3, kFriction = 1.0;

struct State {
  double x, v;
};

/// `side`: sign of v - kBelt, or a number in between for a mean.
double acceleration(const State& s, double side) { return -s.x - side * kFriction / (1 + 2 * std::fabs(s.v - kBelt)); }

template <typename Acceleration>
State runge_kutta(const State& s, double h, const Acceleration& a) {
  const State k1 = {s.v, a(s)};
  const State s2 = {s.x + h / 2 * k1.x, s.v + h / 2 * k1.v}, k2 = {s2.v, a(s2)};
  const State s3 = {s.x + h / 2 * k2.x, s.v + h / 2 * k2.v}, k3 = {s3.v, a(s3)};
  const State s4 = {s.x + h * k3.x, s.v + h * k3.v}, k4 = {s4.v, a(s4)};
  return {s.x + h / 6 * (k1.x + 2 * k2.x + 2 * k3.x + k4.x), s.v + h / 6 * (k1.v + 2 * k2.v + 2 * k3.v + k4.v)};
}

/// The times at which sticking ends, with sliding on the surface v = kBelt.
std::vector<double> ends_of_sticking(double until) {
  std::vector<double> ends;
  State s = {0, 0};
  double side = -1, t = 0;
  bool sticks = false;
  const auto field = [&](const State& at) {
    if (!sticks) return acceleration(at, side);
    const double weight = sliding_weight(acceleration(at, -1), acceleration(at, 1));
    return (1 - weight) * acceleration(at, -1) + weight * acceleration(at, 1);
  };
  /// Positive until the phase ends.
  const auto margin = [&](const State& at) {
    if (!sticks) return side * (at.v - kBelt);
    return std::min(acceleration(at, -1), -acceleration(at, 1));
  };
  while (t < until) {
    const double h = 0.005;
    const State next = runge_kutta(s, h, field);
    if (margin(next) > 0 || (!sticks && margin(s) <= 0)) {
      s = next;
      t += h;
      continue;
    }
    double low = 0, high = h;
    while (high - low > 1e-15) (margin(runge_kutta(s, (low + high) / 2, field)) > 0 ? low : high) = (low + high) / 2;
    s = runge_kutta(s, high, field);
    t += high;
    const double negative = acceleration(s, -1), positive = acceleration(s, 1);
    if (sticks) {
      ends.push_back(t);
      EXPECT_NEAR(s.v, kBelt, 1e-12);
      EXPECT_NEAR(s.x, kFriction, 1e-11);  // where the spring is as strong as the friction
      EXPECT_EQ(motion_after_sliding(negative, positive), SurfaceMotion::Down);
      sticks = false;
      side = -1;
    } else {
      const SurfaceMotion motion = motion_on_surface(negative, positive);
      EXPECT_EQ(motion, SurfaceMotion::Slides);
      sticks = true;
    }
  }
  return ends;
}

/// The same with friction that passes smoothly, but fast, through zero: times of the downward passages through x = 0.
double period_of_smooth_friction(double until) {
  State s = {0, 0};
  double last = 0, period = 0;
  const double h = 2e-4;
  for (double t = 0; t < until; t += h) {
    const State next =
        runge_kutta(s, h, [](const State& at) { return acceleration(at, std::tanh((at.v - kBelt) / 1e-3)); });
    if (s.x > 0 && next.x <= 0) {
      period = t - last;
      last = t;
    }
    s = next;
  }
  return period;
}

TEST(Sliding, StickAndSlip) {
  const std::vector<double> ends = ends_of_sticking(60);
  ASSERT_GE(ends.size(), 4);
  const double period = ends[3] - ends[2];
  EXPECT_NEAR(period, ends[2] - ends[1], 1e-8);
  EXPECT_NEAR(period, period_of_smooth_friction(60), 0.02 * period);
}

}  // namespace
}  // namespace hyla::solve
