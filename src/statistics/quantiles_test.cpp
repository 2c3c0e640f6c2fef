#include "statistics/quantiles.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

namespace hyla::statistics {
namespace {

/// Student's distribution function for an odd number of degrees above 1, as a finite sum (Abramowitz and
/// Stegun 26.7.3).
double student_distribution(double t, int degrees) {
  const double angle = std::atan(t / std::sqrt(degrees));
  double term = std::cos(angle);
  double sum = term;
  for (int j = 3; j <= degrees - 2; j += 2) {
    term *= (j - 1.0) / j * std::cos(angle) * std::cos(angle);
    sum += term;
  }
  return 0.5 + (angle + std::sin(angle) * sum) / std::numbers::pi;
}

TEST(Quantiles, StudentInvertsItsDistributionFunction) {
  for (const int degrees : {3, 5, 7, 9, 11, 15, 19, 31}) {
    for (const double p : {0.005, 0.05, 0.3, 0.8, 0.95, 0.975, 0.995}) {
      EXPECT_NEAR(student_distribution(student_t_quantile(p, degrees), degrees), p, 1e-14) << degrees << ' ' << p;
    }
  }
  EXPECT_NEAR(student_t_quantile(0.975, 9), 2.262157, 5e-7);
  EXPECT_NEAR(student_t_quantile(0.975, 19), 2.093024, 5e-7);
}

TEST(Quantiles, StudentHasClosedFormsForOneAndTwoDegrees) {
  for (const double p : {0.01, 0.3, 0.5, 0.9, 0.975, 0.9999}) {
    const double one = std::tan(std::numbers::pi * (p - 0.5));
    const double two = (2 * p - 1) / std::sqrt(2 * p * (1 - p));
    EXPECT_NEAR(student_t_quantile(p, 1), one, 1e-11 * (1 + std::fabs(one))) << p;
    EXPECT_NEAR(student_t_quantile(p, 2), two, 1e-11 * (1 + std::fabs(two))) << p;
  }
}

TEST(Quantiles, StudentApproachesNormal) {
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-13);
  EXPECT_NEAR(student_t_quantile(0.975, 1e9), normal_quantile(0.975), 1e-8);
  EXPECT_NEAR(normal_quantile(0.1), -normal_quantile(0.9), 1e-13);
}

TEST(Quantiles, TwoSidedLeavesHalfOnEachSide) {
  EXPECT_DOUBLE_EQ(two_sided_t(0.95, 9), student_t_quantile(0.975, 9));
  EXPECT_DOUBLE_EQ(two_sided_t(0.9, 4), -student_t_quantile(0.05, 4));
}

TEST(Quantiles, NothingIsKnownOutsideTheDomain) {
  for (const double p : {0.0, 1.0, -0.5, 2.0, static_cast<double>(NAN)}) {
    EXPECT_TRUE(std::isnan(student_t_quantile(p, 5)));
    EXPECT_TRUE(std::isnan(normal_quantile(p)));
  }
  EXPECT_TRUE(std::isnan(student_t_quantile(0.5, 0)));
  EXPECT_TRUE(std::isnan(student_t_quantile(0.5, -1)));
  EXPECT_TRUE(std::isnan(student_t_quantile(0.5, NAN)));
}

}  // namespace
}  // namespace hyla::statistics
