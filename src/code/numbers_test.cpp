#include "code/numbers.h"

#include <gtest/gtest.h>

#include "code/graph.h"
#include "code/machine_impl.h"

namespace hyla::code {
namespace {

TEST(Numbers, SmallPowersAreProducts) {
  for (const double x : {1.1, -0.37, 1e-200, 3e150, 0.0, -0.0, HUGE_VAL}) {
    EXPECT_EQ(power(x, 2), x * x);
    EXPECT_EQ(power(x, 3), x * x * x);
    EXPECT_EQ(power(x, 4), (x * x) * (x * x));
    EXPECT_EQ(power(x, -1), 1 / x);
    EXPECT_EQ(power(x, 1), x);
    EXPECT_EQ(power(x, 0), 1);
    EXPECT_DOUBLE_EQ(power(x, 3), std::pow(x, 3));
    EXPECT_DOUBLE_EQ(power(x, 4), std::pow(x, 4));
    for (const double exponent : {-1.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 0.5}) {
      const double machine = real_function(model::Builtin::Pow, x, exponent),
                   graph = apply(NodeOp::Power, x, exponent, 0);
      EXPECT_TRUE(machine == graph || (std::isnan(machine) && std::isnan(graph))) << x << "^" << exponent;
    }
  }
}

TEST(Numbers, GraphsRoundLikeTheMachine) {
  constexpr std::pair<model::Builtin, NodeOp> kRoundings[] = {{model::Builtin::Floor, NodeOp::Floor},
                                                              {model::Builtin::Ceil, NodeOp::Ceil},
                                                              {model::Builtin::Round, NodeOp::Round},
                                                              {model::Builtin::ToInteger, NodeOp::Truncate}};
  for (const auto& [builtin, op] : kRoundings) {
    for (const double x : {-0.0, 0.0, -0.3, 0.3, -0.5, 0.5, 1.5, -2.5, 1e15 + 0.5, -7.0}) {
      std::int64_t whole = 0;
      ASSERT_TRUE(round_number(builtin, x, whole));
      const double rounded = apply(op, x, 0, 0);
      EXPECT_EQ(rounded, static_cast<double>(whole)) << x;
      EXPECT_FALSE(rounded == 0 && std::signbit(rounded)) << x;
    }
  }
}

TEST(Numbers, RemaindersHaveTheSignOfTheDivisor) {
  EXPECT_EQ(floored_remainder(7, 3), 1);
  EXPECT_EQ(floored_remainder(-7, 3), 2);
  EXPECT_EQ(floored_remainder(7, -3), -2);
  EXPECT_EQ(floored_remainder(-7, -3), -1);
  EXPECT_TRUE(std::isnan(floored_remainder(1, 0)));
}

TEST(Numbers, PolygammaHasItsKnownValues) {
  constexpr double kEuler = 0.57721566490153286061, kPi = 3.14159265358979323846, kZeta3 = 1.2020569031595942854;
  EXPECT_NEAR(polygamma(0, 1), -kEuler, 1e-15);
  EXPECT_NEAR(polygamma(0, 0.5), -kEuler - 2 * std::log(2), 4e-15);
  EXPECT_NEAR(polygamma(1, 1), kPi * kPi / 6, 4e-15);
  EXPECT_NEAR(polygamma(1, 0.5), kPi * kPi / 2, 1e-14);
  EXPECT_NEAR(polygamma(2, 1), -2 * kZeta3, 4e-15);
  EXPECT_NEAR(polygamma(3, 1), std::pow(kPi, 4) / 15, 4e-14);
  EXPECT_NEAR(polygamma(0, 1e10), std::log(1e10), 1e-9);
  EXPECT_TRUE(std::isnan(polygamma(0, -2)));
}

TEST(Numbers, PolygammaObeysItsRecurrenceOnBothSides) {
  for (int n = 0; n <= 8; ++n) {
    double factorial = 1;
    for (int k = 2; k <= n; ++k) factorial *= k;
    for (const double x : {-100.3, -2.7, -0.4, 0.1, 3.2, 40.0}) {
      const double step = (n % 2 == 0 ? 1 : -1) * factorial / std::pow(x, n + 1);
      const double here = polygamma(n, x), next = polygamma(n, x + 1);
      EXPECT_NEAR(next - here, step, 1e-12 * (std::abs(here) + std::abs(next))) << n << " at " << x;
    }
  }
}

}  // namespace
}  // namespace hyla::code
