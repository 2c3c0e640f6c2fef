#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/exponential.hpp>
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/lognormal.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/triangular.hpp>
#include <boost/math/distributions/uniform.hpp>
#include <boost/math/distributions/weibull.hpp>
#include <fmt/core.h>

#include "random/distributions.h"
#include "random/testing.h"

namespace hyla::random {
namespace {

using testing::kSignificance;

/// Tests the fit, the mean and the variance of numbers drawn from each of the test streams.
template <class Distribution, class Draw>
void expect_fit(const std::string& what, const Distribution& distribution, const Draw& draw) {
  for (Stream stream : testing::test_streams()) {
    const std::vector<double> sample = testing::draws(stream, draw);
    const auto distribution_function = [&](double x) { return cdf(distribution, x); };
    EXPECT_GT(testing::kolmogorov_smirnov(sample, distribution_function), kSignificance) << what;
    testing::expect_moments(sample, {mean(distribution), variance(distribution)}, what);
  }
}

TEST(Continuous, TestOfFitRefusesWhatDoesNotFit) {
  for (Stream stream : testing::test_streams()) {
    const auto sample = testing::draws(stream, [](Stream& s) { return normal(s, 0, 1.05); });
    const boost::math::normal standard;
    EXPECT_LT(testing::kolmogorov_smirnov(sample, [&](double x) { return cdf(standard, x); }), kSignificance);
  }
}

TEST(Continuous, Uniform) {
  expect_fit("uniform", boost::math::uniform(0, 1), [](Stream& s) { return uniform(s, 0, 1); });
  expect_fit("uniform", boost::math::uniform(-3, 40), [](Stream& s) { return uniform(s, -3, 40); });
  Stream stream;
  EXPECT_EQ(uniform(stream, 5, 5), 5);
}

TEST(Continuous, Exponential) {
  for (const double m : {0.001, 1.0, 250.0})
    expect_fit("exponential", boost::math::exponential(1 / m), [m](Stream& s) { return exponential(s, m); });
  Stream stream;
  EXPECT_EQ(exponential(stream, 0), 0);
}

TEST(Continuous, Normal) {
  expect_fit("normal", boost::math::normal(0, 1), [](Stream& s) { return normal(s, 0, 1); });
  expect_fit("normal", boost::math::normal(-7, 0.25), [](Stream& s) { return normal(s, -7, 0.25); });
  Stream stream;
  EXPECT_EQ(normal(stream, 5, 0), 5);
}

TEST(Continuous, NormalQuantileIsExact) {
  const boost::math::normal standard;
  const auto expect_near = [&](double p) {
    const double exact = quantile(standard, p);
    EXPECT_NEAR(normal_quantile(p), exact, 1e-15 * std::fabs(exact)) << p;
  };
  for (int i = 1; i < 1000; ++i) expect_near(i / 1000.0);
  for (int i = 1; i < 1000; ++i) expect_near(std::pow(0.5, i));
  for (int i = 1; i < 50; ++i) {
    const double p = std::pow(0.5, i);
    const double exact = quantile(standard, 1 - p);
    EXPECT_NEAR(normal_quantile(1 - p), exact, 1e-15 * exact) << p;
  }
  EXPECT_EQ(normal_quantile(0.5), 0);
}

TEST(Continuous, Triangular) {
  const auto expect_triangular = [](double a, double mode, double b) {
    expect_fit(fmt::format("triangular({}, {}, {})", a, mode, b), boost::math::triangular(a, mode, b),
               [=](Stream& s) { return triangular(s, a, mode, b); });
  };
  expect_triangular(0, 0.3, 1);
  expect_triangular(-2, -2, 5);
  expect_triangular(10, 12, 12);
  Stream stream;
  EXPECT_EQ(triangular(stream, 3, 3, 3), 3);
}

TEST(Continuous, Erlang) {
  for (const double k : {1.0, 2.0, 5.0, 16.0, 17.0, 100.0})
    expect_fit(fmt::format("erlang({}, 3)", k), boost::math::gamma_distribution(k, 3 / k),
               [k](Stream& s) { return erlang(s, k, 3); });
}

TEST(Continuous, Gamma) {
  for (const double shape : {0.1, 0.5, 0.99, 1.0, 1.5, 3.7, 50.0})
    expect_fit(fmt::format("gamma({}, 2)", shape), boost::math::gamma_distribution(shape, 2.0),
               [shape](Stream& s) { return gamma(s, shape, 2); });
}

TEST(Continuous, Beta) {
  const auto expect_beta = [](double a, double b) {
    expect_fit(fmt::format("beta({}, {})", a, b), boost::math::beta_distribution(a, b),
               [=](Stream& s) { return beta(s, a, b); });
  };
  expect_beta(2, 3);
  expect_beta(1, 1);
  expect_beta(0.3, 0.4);
  expect_beta(0.5, 4);
  expect_beta(30, 0.8);
  expect_beta(100, 200);
}

// Most gamma numbers of such shapes are too small for a double; the beta numbers are near 0 or near 1, and even.
TEST(Continuous, BetaWithTinyArgumentsIsANumber) {
  Stream stream;
  const auto sample = testing::draws(stream, [](Stream& s) { return beta(s, 1e-4, 1e-4); });
  testing::expect_moments(sample, {0.5, 0.25 / (1 + 2e-4)}, "beta");
}

TEST(Continuous, Weibull) {
  for (const double shape : {0.7, 1.0, 2.5, 20.0})
    expect_fit(fmt::format("weibull({}, 3)", shape), boost::math::weibull(shape, 3.0),
               [shape](Stream& s) { return weibull(s, shape, 3); });
}

TEST(Continuous, Lognormal) {
  expect_fit("lognormal", boost::math::lognormal(0, 1), [](Stream& s) { return lognormal(s, 0, 1); });
  expect_fit("lognormal", boost::math::lognormal(2, 0.1), [](Stream& s) { return lognormal(s, 2, 0.1); });
}

// One draw gives one number, and a greater draw a greater number.
TEST(Continuous, InversionKeepsRunsAligned) {
  for (int i = 0; i < 1000; ++i) {
    const Stream start = Stream::numbered(static_cast<std::uint64_t>(i));
    Stream after = start;
    after.next();
    const auto expect_one_draw = [&](auto draw) {
      Stream stream = start;
      draw(stream);
      EXPECT_EQ(stream, after);
    };
    expect_one_draw([](Stream& s) { return uniform(s, 0, 1); });
    expect_one_draw([](Stream& s) { return exponential(s, 1); });
    expect_one_draw([](Stream& s) { return normal(s, 0, 1); });
    expect_one_draw([](Stream& s) { return lognormal(s, 0, 1); });
    expect_one_draw([](Stream& s) { return triangular(s, 0, 1, 2); });
    expect_one_draw([](Stream& s) { return weibull(s, 2, 1); });
    expect_one_draw([](Stream& s) { return geometric(s, 0.3); });
    expect_one_draw([](Stream& s) { return bernoulli(s, 0.3); });
    expect_one_draw([](Stream& s) { return poisson(s, 9.9); });
    expect_one_draw([](Stream& s) { return binomial(s, 1000, 0.999); });
  }
  Stream stream;
  Stream other = Stream::numbered(1);
  for (int i = 0; i < 1000; ++i) {
    Stream a = stream;
    Stream b = other;
    const bool less = stream.next() < other.next();
    const auto in_order = [less, a, b](auto draw) {
      Stream first = a;
      Stream second = b;
      return less ? draw(first) <= draw(second) : draw(first) >= draw(second);
    };
    EXPECT_TRUE(in_order([](Stream& s) { return exponential(s, 1); }));
    EXPECT_TRUE(in_order([](Stream& s) { return normal(s, 0, 1); }));
    EXPECT_TRUE(in_order([](Stream& s) { return triangular(s, 0, 1, 2); }));
    EXPECT_TRUE(in_order([](Stream& s) { return weibull(s, 2, 1); }));
    EXPECT_TRUE(in_order([](Stream& s) { return geometric(s, 0.3); }));
    EXPECT_TRUE(in_order([](Stream& s) { return poisson(s, 9); }));
    EXPECT_TRUE(in_order([](Stream& s) { return binomial(s, 20, 0.2); }));
    EXPECT_TRUE(in_order([](Stream& s) { return binomial(s, 20, 0.8); }));
  }
}

}  // namespace
}  // namespace hyla::random
