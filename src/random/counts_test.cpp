#include <map>

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/geometric.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/poisson.hpp>
#include <fmt/core.h>

#include "random/distributions.h"
#include "random/probabilities.h"
#include "random/testing.h"

namespace hyla::random {
namespace {

using testing::kSignificance;

/// The chi-square test. Neighbouring numbers from `first` to `last` share a bin until 10 are expected in it; what lies
/// outside belongs to the outermost bins.
template <class Pmf>
double chi_square(const std::vector<std::int64_t>& sample, const Pmf& pmf, std::int64_t first, std::int64_t last) {
  std::map<std::int64_t, double> counts;
  for (const std::int64_t k : sample) ++counts[std::clamp(k, first, last)];
  const auto n = static_cast<double>(sample.size());
  struct Bin {
    double observed = 0;
    double expected = 0;
  };
  std::vector<Bin> bins(1);
  for (std::int64_t k = first; k <= last; ++k) {
    if (bins.back().expected >= 10) bins.emplace_back();
    bins.back().expected += n * pmf(k);
    if (const auto found = counts.find(k); found != counts.end()) bins.back().observed += found->second;
  }
  if (bins.size() > 1 && bins.back().expected < 10) {
    const Bin rest = bins.back();
    bins.pop_back();
    bins.back().observed += rest.observed;
    bins.back().expected += rest.expected;
  }
  double sum = 0;
  for (const Bin& bin : bins) sum += (bin.observed - bin.expected) * (bin.observed - bin.expected) / bin.expected;
  if (bins.size() == 1) return 1;
  const boost::math::chi_squared distribution(static_cast<double>(bins.size() - 1));
  return cdf(complement(distribution, sum));
}

/// Tests the fit, the mean and the variance of counts from 0 to `most`, drawn from each of the test streams.
template <class Distribution, class Draw>
void expect_fit(const std::string& what, const Distribution& distribution, double most, const Draw& draw) {
  const double centre = mean(distribution);
  const double reach = 12 * (std::sqrt(variance(distribution)) + 1);
  const auto first = static_cast<std::int64_t>(std::max(0.0, centre - reach));
  const auto last = static_cast<std::int64_t>(std::min(most, centre + reach));
  const auto probability = [&](std::int64_t k) { return pdf(distribution, static_cast<double>(k)); };
  for (Stream stream : testing::test_streams()) {
    const std::vector<std::int64_t> sample = testing::draws(stream, draw);
    EXPECT_GT(chi_square(sample, probability, first, last), kSignificance) << what;
    testing::expect_moments(sample, {centre, variance(distribution)}, what);
    const auto [least, greatest] = std::minmax_element(sample.begin(), sample.end());
    EXPECT_TRUE(*least >= 0 && static_cast<double>(*greatest) <= most) << what;
  }
}

/// For means too great for bins: numbers that are normal to more digits than the sample can tell.
template <class Draw>
void expect_normal(const std::string& what, double mean, double deviation, const Draw& draw) {
  const boost::math::normal standard;
  for (Stream stream : testing::test_streams()) {
    const auto sample =
        testing::draws(stream, [&](Stream& s) { return (static_cast<double>(draw(s)) - mean) / deviation; });
    EXPECT_GT(testing::kolmogorov_smirnov(sample, [&](double x) { return cdf(standard, x); }), kSignificance) << what;
    testing::expect_moments(sample, {0, 1}, what);
  }
}

TEST(Counts, TestOfFitRefusesWhatDoesNotFit) {
  Stream stream;
  const auto sample = testing::draws(stream, [](Stream& s) { return poisson(s, 20.2); });
  const boost::math::poisson other(20);
  const auto probability = [&](std::int64_t k) { return pdf(other, static_cast<double>(k)); };
  EXPECT_LT(chi_square(sample, probability, 0, 100), kSignificance);
}

TEST(Counts, Poisson) {
  for (const double m : {0.01, 0.7, 4.0, 9.99, 10.0, 12.3, 40.0, 1000.0, 100'000.0})
    expect_fit(fmt::format("poisson({})", m), boost::math::poisson(m), 1e9, [m](Stream& s) { return poisson(s, m); });
  expect_normal("poisson(1e12)", 1e12, 1e6, [](Stream& s) { return poisson(s, 1e12); });
  expect_normal("poisson(1e15)", 1e15, std::sqrt(1e15), [](Stream& s) { return poisson(s, 1e15); });
  Stream stream;
  EXPECT_EQ(poisson(stream, 0), 0);
}

TEST(Counts, Binomial) {
  const auto expect_binomial = [](double n, double p) {
    expect_fit(fmt::format("binomial({}, {})", n, p), boost::math::binomial(n, p), n,
               [=](Stream& s) { return binomial(s, n, p); });
  };
  expect_binomial(1, 0.3);
  expect_binomial(10, 0.5);
  expect_binomial(19, 0.5);
  expect_binomial(20, 0.5);
  expect_binomial(25, 0.41);
  expect_binomial(25, 0.9);
  expect_binomial(1000, 0.002);
  expect_binomial(1000, 0.3);
  expect_binomial(1000, 0.995);
  expect_binomial(100'000, 0.7);
  expect_normal("binomial(1e13, 0.2)", 2e12, std::sqrt(1.6e12), [](Stream& s) { return binomial(s, 1e13, 0.2); });
}

TEST(Counts, BinomialAtItsEnds) {
  Stream stream;
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(binomial(stream, 0, 0.5), 0);
    EXPECT_EQ(binomial(stream, 1e15, 0), 0);
    EXPECT_EQ(binomial(stream, 1e15, 1), 1'000'000'000'000'000);
  }
}

TEST(Counts, Geometric) {
  for (const double p : {0.9, 0.5, 0.1, 0.003})
    expect_fit(fmt::format("geometric({})", p), boost::math::geometric(p), 1e9,
               [p](Stream& s) { return geometric(s, p); });
  Stream stream;
  EXPECT_EQ(geometric(stream, 1), 0);
  const auto rare = testing::draws(stream, [](Stream& s) { return geometric(s, 1e-15); });
  testing::expect_moments(rare, {1e15, 1e30}, "geometric(1e-15)");
}

TEST(Counts, Bernoulli) {
  for (const double p : {0.001, 0.3, 0.5, 0.99})
    expect_fit(fmt::format("bernoulli({})", p), boost::math::binomial(1, p), 1,
               [p](Stream& s) { return std::int64_t{bernoulli(s, p)}; });
  Stream stream;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(bernoulli(stream, 0));
    EXPECT_TRUE(bernoulli(stream, 1));
  }
}

TEST(Counts, Discrete) {
  const std::vector<double> p = {0, 0.2, 0.05, 0, 0.6, 0.15, 0};
  const auto probability = [&](std::int64_t i) { return p[static_cast<std::size_t>(i - 1)]; };
  for (Stream stream : testing::test_streams()) {
    const auto sample = testing::draws(stream, [&](Stream& s) { return discrete(s, p); });
    EXPECT_GT(chi_square(sample, probability, 1, 7), kSignificance);
    for (const std::int64_t i : sample) ASSERT_TRUE(i == 2 || i == 3 || i == 5 || i == 6) << i;
  }
}

// Rounding may leave a little over after the last probability: it belongs to the last index that can come up.
TEST(Counts, DiscreteNeverMissesTheList) {
  Stream greatest({0, 0, 1, 0, 1, 0});  // the next number is the greatest there is
  const std::vector<double> p = {0.5, 0.4999999995, 0};
  EXPECT_EQ(discrete(greatest, p), 2);
}

TEST(Counts, EmpiricalGivesTheValues) {
  const std::vector<double> x = {3, -1, 10};
  const std::vector<double> p = {0.25, 0.5, 0.25};
  for (Stream stream : testing::test_streams()) {
    Stream same = stream;
    for (int i = 0; i < 1000; ++i)
      ASSERT_EQ(empirical(stream, x, p), x[static_cast<std::size_t>(discrete(same, p)) - 1]);
    const auto sample = testing::draws(stream, [&](Stream& s) { return empirical(s, x, p); });
    testing::expect_moments(sample, {2.75, 20.1875}, "empirical");
  }
}

TEST(Probabilities, PoissonIsExact) {
  for (const double m : {0.5, 10.0, 300.0, 1e6}) {
    const boost::math::poisson distribution(m);
    for (int i = 0; i < 120; ++i) {
      const double k = i * std::max(1.0, std::floor(m / 37));
      const double exact = pdf(distribution, k);
      if (exact < 1e-290) continue;
      EXPECT_NEAR(plain_exp(log_poisson_probability(k, m)), exact, 1e-10 * exact) << k << " " << m;
    }
  }
}

TEST(Probabilities, BinomialIsExact) {
  for (const double n : {1.0, 20.0, 1000.0, 1e6})
    for (const double p : {0.001, 0.3, 0.5}) {
      const boost::math::binomial distribution(n, p);
      for (int i = 0; i <= 97; ++i) {
        const double k = std::floor(n * i / 97);
        const double exact = pdf(distribution, k);
        if (exact < 1e-290) continue;
        EXPECT_NEAR(plain_exp(log_binomial_probability(k, n, p)), exact, 1e-9 * exact) << k << " " << n << " " << p;
      }
    }
}

}  // namespace
}  // namespace hyla::random
