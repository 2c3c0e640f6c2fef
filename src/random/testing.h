// Tests of fit, shared by the tests of streams and distributions. A test of fit answers with the probability to see a
// sample as odd as this one if the distribution is right; the tests refuse less than 1e-4. Seeds are fixed, so a test
// does not change its mind.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "random/stream.h"

namespace hyla::random::testing {

inline constexpr double kSignificance = 1e-4;
inline constexpr double kSigmas = 3.89;  // a normal number is farther out with probability 1e-4
inline constexpr int kDraws = 100'000;

/// Kolmogorov and Smirnov's test: the greatest distance between the sample's distribution function and `cdf`.
template <class Cdf>
double kolmogorov_smirnov(std::vector<double> sample, const Cdf& cdf) {
  std::sort(sample.begin(), sample.end());
  const auto n = static_cast<double>(sample.size());
  double distance = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double expected = cdf(sample[i]);
    const auto below = static_cast<double>(i);
    distance = std::max({distance, expected - below / n, (below + 1) / n - expected});
  }
  const double lambda = (std::sqrt(n) + 0.12 + 0.11 / std::sqrt(n)) * distance;
  if (lambda < 0.3) return 1;  // the series converges badly there, and its sum is 1 to four digits
  double sum = 0;
  for (int j = 1; j <= 100; ++j) sum += (j % 2 == 1 ? 2 : -2) * std::exp(-2.0 * j * j * lambda * lambda);
  return std::min(sum, 1.0);
}

struct Moments {
  double mean = 0;
  double variance = 0;
};

/// Holds mean and variance of a sample to the expected ones, within what chance explains.
template <class Number>
void expect_moments(const std::vector<Number>& sample, const Moments& expected, const std::string& what) {
  const auto n = static_cast<double>(sample.size());
  double sum = 0;
  for (const Number x : sample) sum += static_cast<double>(x);
  const double mean = sum / n;
  double squares = 0;
  double fourths = 0;
  for (const Number x : sample) {
    const double square = (static_cast<double>(x) - expected.mean) * (static_cast<double>(x) - expected.mean);
    squares += square;
    fourths += square * square;
  }
  squares /= n;
  fourths /= n;
  const double room = 1e-12 * (std::fabs(expected.mean) + expected.variance);  // rounding, for constants
  EXPECT_NEAR(mean, expected.mean, kSigmas * std::sqrt(expected.variance / n) + room) << what;
  EXPECT_NEAR(squares, expected.variance, kSigmas * std::sqrt(std::max(0.0, fourths - squares * squares) / n) + room)
      << what;
}

/// Two streams far apart, for each test of a distribution.
inline std::vector<Stream> test_streams() {
  return {make_stream(1, "test", "draws", 0), make_stream(2, "another.test", "draws", 7)};
}

template <class Draw>
auto draws(Stream& stream, const Draw& draw, int count = kDraws) {
  std::vector<decltype(draw(stream))> sample;
  sample.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) sample.push_back(draw(stream));
  return sample;
}

}  // namespace hyla::random::testing
