// Integrator, interpolant and root isolation together, on the servo with pulse-width modulation of Shornikov et al.
// 2024. Its guard is searched as written, with the kink of abs(x) in it; a test of signs at the ends of steps loses a
// third of the events.
#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "solve/accumulation.h"
#include "solve/integrator.h"
#include "solve/roots.h"

namespace hyla::solve {
namespace {

enum Variable : std::size_t { kOmega, kPhi, kSaw, kVariables };

class Servo final : public System {
 public:
  Servo() {
    pattern_.size = kVariables;
    pattern_.starts = {0, 1, 1, 1};
    pattern_.rows = {kPhi};
  }
  std::size_t size() const override { return kVariables; }
  Evaluation evaluate(double, const double* y, double* f) override {
    f[kOmega] = 100 * force;
    f[kPhi] = y[kOmega];
    f[kSaw] = 1;
    return Evaluation::Good;
  }
  Evaluation jacobian(double, const double*, double* entries, double* df_dt) override {
    entries[0] = 1;
    std::fill(df_dt, df_dt + kVariables, 0.0);
    return Evaluation::Good;
  }
  const Pattern& pattern() const override { return pattern_; }
  static double x(const double* y) { return 1 - 0.1 * y[kOmega] - y[kPhi]; }
  double force = 1;

 private:
  Pattern pattern_;
};

/// Guards over the last step of the integrator: end of the pulse, end of the period.
class Guards final : public Course {
 public:
  explicit Guards(const Integrator& integrator) : integrator_(integrator) {}
  std::size_t count() const override { return 2; }
  void sample(const double* times, std::size_t number, double* values) override {
    states_.resize(kVariables * number);
    integrator_.interpolate(times, number, states_.data());
    for (std::size_t k = 0; k < number; ++k) {
      const std::array<double, kVariables> y = {states_[k], states_[number + k], states_[2 * number + k]};
      values[k] = guard(0, y.data());
      values[number + k] = guard(1, y.data());
    }
  }
  double value(std::size_t relation, double t) override {
    std::array<double, kVariables> y{};
    integrator_.interpolate(t, y.data());
    return guard(relation, y.data());
  }

 private:
  static double guard(std::size_t relation, const double* y) {
    return relation == 0 ? 0.1 * std::fabs(Servo::x(y)) - y[kSaw] : y[kSaw] - 0.1;
  }
  const Integrator& integrator_;
  std::vector<double> states_;
};

struct Event {
  double t, omega, phi;
  bool reset;
};

/// By closed form: the pulse ends at the positive root of 5 s^2 + (2 + 0.1 sign(x) omega) s - 0.1 |x| = 0.
std::vector<Event> exact_events(int periods) {
  std::vector<Event> events;
  long double omega = 0, phi = 0;
  for (int period = 0; period < periods; ++period) {
    const long double start = 0.1L * period, x = 1 - 0.1L * omega - phi, sign = x < 0 ? -1 : 1;
    const long double b = 2 + 0.1L * sign * omega, c = 0.1L * std::fabs(x);
    const long double pulse = 2 * c / (b + std::sqrt(b * b + 20 * c));
    phi += omega * pulse + 50 * sign * pulse * pulse;
    omega += 100 * sign * pulse;
    const auto add = [&](long double t, bool reset) {
      events.push_back({static_cast<double>(t), static_cast<double>(omega), static_cast<double>(phi), reset});
    };
    add(start + pulse, false);
    phi += omega * (0.1L - pulse);
    add(start + 0.1L, true);
  }
  return events;
}

std::vector<Event> located_events(Method method, double until) {
  Servo servo;
  const auto integrator = make_integrator(method);
  Guards guards(*integrator);
  RootIsolator isolator;
  const std::array<double, kVariables> absolute = {1e-9, 1e-9, 1e-9};
  Settings settings;
  settings.absolute_tolerances = absolute.data();
  std::array<double, kVariables> y{};
  std::vector<Event> events;
  std::vector<Crossing> crossings;
  integrator->start(servo, 0, y.data(), settings);
  while (integrator->end() < until) {
    if (integrator->step(until) != StepStatus::Good) break;
    crossings.clear();
    isolator.find(guards, {integrator->begin(), integrator->end(), integrator->degree(), nullptr, true}, crossings);
    for (const Crossing& crossing : crossings) {
      const bool reset = crossing.relation == 1;
      if (!(reset ? crossing.rising : !crossing.rising && servo.force != 0)) continue;
      integrator->interpolate(crossing.at, y.data());
      events.push_back({crossing.at, y[kOmega], y[kPhi], reset});
      if (reset) y[kSaw] = 0;
      servo.force = !reset ? 0 : Servo::x(y.data()) < 0 ? -1 : 1;
      integrator->start(servo, crossing.at, y.data(), settings, true);
      break;
    }
  }
  EXPECT_EQ(isolator.uncleared(), 0);
  return events;
}

class ServoEvents : public ::testing::TestWithParam<Method> {};

TEST_P(ServoEvents, AreAllFound) {
  const std::vector<Event> exact = exact_events(100);
  const std::vector<Event> located = located_events(GetParam(), 9.95);
  ASSERT_EQ(located.size(), 199);
  for (std::size_t i = 0; i < located.size(); ++i) {
    EXPECT_EQ(located[i].reset, exact[i].reset) << i;
    EXPECT_NEAR(located[i].t, exact[i].t, 1e-12) << i;
    EXPECT_NEAR(located[i].omega, exact[i].omega, 1e-11) << i;
    EXPECT_NEAR(located[i].phi, exact[i].phi, 1e-11) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, ServoEvents, ::testing::Values(Method::Rk45, Method::Rk8, Method::Rosenbrock));

/// The guard of a pulse from rest with x = start, in closed form.
class Pulse final : public Course {
 public:
  explicit Pulse(double start) : start_(start) {}
  std::size_t count() const override { return 1; }
  void sample(const double* times, std::size_t number, double* values) override {
    for (std::size_t k = 0; k < number; ++k) values[k] = value(0, times[k]);
  }
  double value(std::size_t, double t) override { return 0.1 * std::fabs(start_ - 10 * t - 50 * t * t) - t; }

 private:
  double start_;
};

TEST(Servo, ShortPulsesAreFoundInLongSteps) {
  // The kink lies so close to the begin of the step that the other samples hardly show it.
  for (const double start : {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8}) {
    Pulse pulse(start);
    RootIsolator isolator;
    std::vector<Crossing> crossings;
    isolator.find(pulse, {0, 7, 4, nullptr, false}, crossings);
    ASSERT_EQ(crossings.size(), 2) << start;
    EXPECT_FALSE(crossings[0].rising);
    EXPECT_NEAR(crossings[0].at, 0.2 * start / (2 + std::sqrt(4 + 2 * start)), 1e-9 * start) << start;
    EXPECT_TRUE(crossings[1].rising);
    EXPECT_NEAR(crossings[1].at, std::sqrt(0.02 * start), 1e-9) << start;
    EXPECT_EQ(isolator.uncleared(), 0);
  }
}

TEST(Servo, EventsDoNotAccumulate) {
  Accumulation by_kind({1e-6}), together({1e-6});
  const std::vector<Event> events = exact_events(100);
  for (const Event& event : events) {
    EXPECT_EQ(by_kind.add(event.t, event.reset ? 1 : 0), Accumulation::State::None) << event.t;
    EXPECT_EQ(together.add(event.t, 0), Accumulation::State::None) << event.t;
  }
}

}  // namespace
}  // namespace hyla::solve
