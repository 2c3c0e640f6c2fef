#include "solve/accumulation.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace hyla::solve {
namespace {

using State = Accumulation::State;

constexpr std::uint64_t kBounce = 1;

TEST(Accumulation, BouncingBall) {
  for (const double restitution : {0.5, 0.7, 0.8, 0.95}) {
    // Dropped from 1 m: the first bounce after sqrt(2 h / g), flights of 2 v / g.
    const double first = std::sqrt(2 / 9.81);
    const double exact = first * (1 + restitution) / (1 - restitution);
    Accumulation accumulation({1e-9});
    double t = first, flight = 2 * first;
    bool recognised = false;
    State state = State::None;
    for (int bounce = 0; bounce < 3000 && state != State::Reached; ++bounce) {
      state = accumulation.add(t, kBounce);
      if (state == State::Shrinking) {
        recognised = true;
        EXPECT_LT(t, exact);
        EXPECT_NEAR(accumulation.limit(), exact, 1e-6 * exact);
        EXPECT_NEAR(accumulation.ratio(), restitution, 1e-5);
      }
      flight *= restitution;
      t += flight;
    }
    EXPECT_TRUE(recognised);
    EXPECT_EQ(state, State::Reached);
    EXPECT_NEAR(accumulation.limit(), exact, 2e-9);
  }
}

TEST(Accumulation, IsReachedWithoutToleranceToo) {
  // Until the flights are lost in rounding, with times that are wrong by some units in the last place.
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> noise(-4e-16, 4e-16);
  Accumulation accumulation;
  double t = 1, flight = 1;
  int bounces = 0;
  while (accumulation.add(t * (1 + noise(random)), kBounce) != State::Reached && bounces < 200) {
    flight *= 0.5;
    t += flight;
    ++bounces;
  }
  EXPECT_LT(bounces, 60);
  EXPECT_NEAR(accumulation.limit(), 2, 1e-14);
}

TEST(Accumulation, TwoKindsInTurn) {
  // Water runs from one tank to the other ever faster: events of both kinds accumulate at 10.
  Accumulation accumulation({1e-6});
  State state = State::None;
  double left = 10;
  for (int i = 0; i < 200 && state != State::Reached; ++i) {
    state = accumulation.add(10 - left, static_cast<std::uint64_t>(i % 2));
    left *= i % 2 == 0 ? 0.7 : 0.9;
  }
  EXPECT_EQ(state, State::Reached);
  EXPECT_NEAR(accumulation.limit(), 10, 1e-6);
}

TEST(Accumulation, OtherEventsBetween) {
  // A sampling clock that goes on does not hide the accumulation, and is not part of it.
  Accumulation accumulation({1e-9});
  double t = 0, flight = 1, clock = 0;
  bool recognised = false;
  for (int i = 0; i < 30 && !recognised; ++i) {
    for (; clock <= t; clock += 0.01) EXPECT_EQ(accumulation.add(clock, 7), State::None);
    recognised = accumulation.add(t, kBounce) == State::Shrinking;
    flight *= 0.6;
    t += flight;
  }
  EXPECT_TRUE(recognised);
  EXPECT_NEAR(accumulation.limit(), 1.5, 1e-9);
}

TEST(Accumulation, PeriodicEventsAreNone) {
  Accumulation accumulation({1e-6});
  for (int i = 0; i < 2000; ++i) EXPECT_EQ(accumulation.add(0.1 * i, kBounce), State::None);
}

TEST(Accumulation, PulsesThatVanishInAConstantPeriodAreNone) {
  // Like the late pulses of the servo: a pulse of 0.05 * 0.7^k at the start of every period of 0.1.
  for (const bool one_kind : {false, true}) {
    Accumulation accumulation({1e-6});
    double pulse = 0.05;
    for (int period = 0; period < 100; ++period) {
      EXPECT_EQ(accumulation.add(0.1 * period, 0), State::None);
      EXPECT_EQ(accumulation.add(0.1 * period + pulse, one_kind ? 0 : 1), State::None);
      pulse *= 0.7;
    }
  }
}

TEST(Accumulation, SlowAndIrregularShrinkingIsNone) {
  Accumulation harmonic({1e-6}), random_times({1e-6}), settling({1e-6});
  std::mt19937_64 random(3);
  std::exponential_distribution<double> exponential(1.0);
  double t = 0, u = 0, v = 0;
  for (int k = 1; k < 5000; ++k) {
    t += 1.0 / k;
    u += exponential(random);
    v += 0.01 + std::pow(0.8, k);  // intervals that shrink to a constant
    EXPECT_EQ(harmonic.add(t, kBounce), State::None) << k;
    EXPECT_EQ(random_times.add(u, kBounce), State::None) << k;
    EXPECT_NE(settling.add(v, kBounce), State::Reached) << k;
  }
}

TEST(Accumulation, Chattering) {
  Accumulation accumulation;
  double t = 3;
  State state = State::None;
  int events = 0;
  while (state != State::Chattering && events < 1000) {
    t = std::nextafter(std::nextafter(t, 4), 4);
    state = accumulation.add(t, static_cast<std::uint64_t>(events % 2 + 5));
    ++events;
  }
  EXPECT_EQ(events, 50);
  EXPECT_EQ(accumulation.first_kind() + accumulation.second_kind(), 11);
  // Time passes again.
  EXPECT_EQ(accumulation.add(t + 1e-3, 5), State::None);
}

TEST(Accumulation, ManyEventsInOneInstantAreNoChattering) {
  Accumulation accumulation;
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(accumulation.add(2.5, static_cast<std::uint64_t>(i % 2)), State::None);
  // Nor are many kinds in a short time.
  double t = 3;
  for (int i = 0; i < 1000; ++i) {
    t = std::nextafter(t, 4);
    EXPECT_EQ(accumulation.add(t, static_cast<std::uint64_t>(i % 3)), State::None);
  }
}

}  // namespace
}  // namespace hyla::solve
