#include "random/elementary.h"

#include <cmath>

#include <gtest/gtest.h>

#include "random/stream.h"

namespace hyla::random {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kSamples = 300'000;

/// The error of `value` in units of the last place of a double, measured with the C library's long double functions.
double error_in_ulps(double value, long double exact) {
  const auto rounded = static_cast<double>(exact);
  const double ulp = std::nextafter(std::fabs(rounded), kInfinity) - std::fabs(rounded);
  return static_cast<double>(std::fabs(static_cast<long double>(value) - exact) / ulp);
}

template <class Argument, class Function, class Exact>
double greatest_error(const Argument& argument, const Function& function, const Exact& exact) {
  Stream stream;
  double greatest = 0;
  for (int i = 0; i < kSamples; ++i) {
    const double x = argument(stream.next_53());
    greatest = std::max(greatest, error_in_ulps(function(x), exact(static_cast<long double>(x))));
  }
  return greatest;
}

TEST(Elementary, ExpIsWithinOneUnitInTheLastPlace) {
  const auto exact = [](long double x) { return std::exp(x); };
  EXPECT_LT(greatest_error([](double u) { return u - 0.5; }, plain_exp, exact), 0.6);
  EXPECT_LT(greatest_error([](double u) { return 60 * u - 40; }, plain_exp, exact), 0.6);
  EXPECT_LT(greatest_error([](double u) { return 1417 * u - 708; }, plain_exp, exact), 0.6);
  EXPECT_LT(greatest_error([](double u) { return -708 - 37 * u; }, plain_exp, exact), 1.1);  // rounded twice
}

TEST(Elementary, ExpEndsWhereDoublesEnd) {
  EXPECT_EQ(plain_exp(0), 1);
  EXPECT_EQ(plain_exp(710), kInfinity);
  EXPECT_EQ(plain_exp(709.79), kInfinity);
  EXPECT_NEAR(plain_exp(709.78) / 1.7928e308, 1, 1e-4);
  EXPECT_EQ(plain_exp(kInfinity), kInfinity);
  EXPECT_EQ(plain_exp(-kInfinity), 0);
  EXPECT_EQ(plain_exp(-745.1), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(plain_exp(-746), 0);
  EXPECT_TRUE(std::isnan(plain_exp(std::numeric_limits<double>::quiet_NaN())));
}

TEST(Elementary, LogIsWithinOneUnitInTheLastPlace) {
  const auto exact = [](long double x) { return std::log(x); };
  EXPECT_LT(greatest_error([](double u) { return u; }, plain_log, exact), 1);
  EXPECT_LT(greatest_error([](double u) { return 0.7 + 0.8 * u; }, plain_log, exact), 1);
  EXPECT_LT(greatest_error([](double u) { return 1 + 1e-6 * (u - 0.5); }, plain_log, exact), 1);
  EXPECT_LT(greatest_error([](double u) { return std::exp(1400 * u - 700); }, plain_log, exact), 1);
  EXPECT_LT(greatest_error([](double u) { return u * 1e-310; }, plain_log, exact), 1);
}

TEST(Elementary, LogEndsWhereDoublesEnd) {
  EXPECT_EQ(plain_log(1), 0);
  EXPECT_EQ(plain_log(0), -kInfinity);
  EXPECT_EQ(plain_log(kInfinity), kInfinity);
  EXPECT_TRUE(std::isnan(plain_log(-1)));
  EXPECT_TRUE(std::isnan(plain_log(std::numeric_limits<double>::quiet_NaN())));
}

TEST(Elementary, Log1pKeepsSmallNumbers) {
  const auto exact = [](long double x) { return std::log1p(x); };
  EXPECT_LT(greatest_error([](double u) { return 1e-10 * (u - 0.5); }, plain_log1p, exact), 3);
  EXPECT_LT(greatest_error([](double u) { return 2 * u - 1; }, plain_log1p, exact), 3);
  EXPECT_EQ(plain_log1p(-1e-300), -1e-300);
}

TEST(Elementary, PowIsCloseToThePower) {
  Stream stream;
  for (int i = 0; i < kSamples; ++i) {
    const double x = 10 * stream.next();
    const double y = 20 * stream.next() - 10;
    const double exact = std::pow(x, y);
    ASSERT_NEAR(plain_pow(x, y), exact, 2e-16 * (2 + std::fabs(y * std::log(x))) * exact) << x << " " << y;
  }
  EXPECT_EQ(plain_pow(0, 2), 0);
}

}  // namespace
}  // namespace hyla::random
