#include "statistics/histogram.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "statistics/moments.h"
#include "statistics/testing.h"

namespace hyla::statistics {
namespace {

using testing::Random;

Histogram histogram_of(const std::vector<double>& values) {
  Histogram histogram;
  for (const double value : values) {
    histogram.add(value, 1);
  }
  return histogram;
}

/// The second method: sorts each value into its bin by comparing with the edges.
void expect_exact_counts(const Histogram& histogram, const std::vector<double>& values) {
  ASSERT_EQ(histogram.bins().size(), Histogram::kBins);
  std::vector<double> counts(Histogram::kBins);
  for (const double value : values) {
    std::size_t bin = 0;
    while (bin + 1 < counts.size() && value >= histogram.low() + static_cast<double>(bin + 1) * histogram.width()) {
      ++bin;
    }
    counts[bin] += 1;
  }
  EXPECT_TRUE(std::equal(counts.begin(), counts.end(), histogram.bins().begin()));
  EXPECT_LE(histogram.low(), histogram.minimum());
  EXPECT_GT(histogram.low() + histogram.width() * static_cast<double>(Histogram::kBins), histogram.maximum());
}

std::vector<double> random_values(std::uint64_t test, std::size_t number, double offset, double scale) {
  Random random(100, test);
  std::vector<double> values(number);
  for (double& value : values) {
    value = offset + scale * random.normal();
  }
  return values;
}

TEST(Histogram, CountsAreExactAtAnyOffsetAndScale) {
  std::uint64_t test = 0;
  for (const double offset : {0.0, 1.0, -1000.0, 1e9, -1e-5}) {
    for (const double scale : {1e-6, 1.0, 1e3, 1e30}) {
      const auto values = random_values(++test, 3000, offset, scale);
      const Histogram histogram = histogram_of(values);
      expect_exact_counts(histogram, values);
      EXPECT_EQ(histogram.total(), 3000);
      if (scale < 1e-9 * std::fabs(offset)) {
        continue;  // closer together than the least width
      }
      const double used = (histogram.maximum() - histogram.minimum()) / histogram.width();
      EXPECT_GT(used, 30);
      EXPECT_LE(used, 64);
    }
  }
}

TEST(Histogram, OrderOfValuesDoesNotMatter) {
  auto values = random_values(50, 1000, 3, 1);
  const Histogram mixed = histogram_of(values);
  std::sort(values.begin(), values.end());
  const Histogram rising = histogram_of(values);
  std::reverse(values.begin(), values.end());
  const Histogram falling = histogram_of(values);
  for (const Histogram& other : {rising, falling}) {
    EXPECT_EQ(mixed.low(), other.low());
    EXPECT_EQ(mixed.width(), other.width());
    EXPECT_TRUE(std::equal(mixed.bins().begin(), mixed.bins().end(), other.bins().begin()));
  }
}

TEST(Histogram, SurvivesExtremeRanges) {
  const std::vector<double> values = {0, -0.0, -1e-150, 1e-60, kLargestValue, -kLargestValue, -1, 1e-150, 3, 1e139};
  const Histogram histogram = histogram_of(values);
  EXPECT_EQ(histogram.total(), 10);
  EXPECT_EQ(histogram.quantile(0), -kLargestValue);
  EXPECT_EQ(histogram.quantile(1), kLargestValue);
  expect_exact_counts(histogram, values);
}

TEST(Histogram, LosesNoValueThatIsAlmostZero) {
  const Histogram histogram = histogram_of({-1e-300, 1e-320, -1e-308, kLargestValue, -5e-324, 7});
  EXPECT_EQ(histogram.total(), 6);
  EXPECT_EQ(histogram.bins()[0], 5);
  EXPECT_EQ(histogram.minimum(), -1e-300);
  EXPECT_EQ(histogram.quantile(1), kLargestValue);
}

TEST(Histogram, QuantilesAreOffByLessThanAWidth) {
  Random random(101, 0);
  std::vector<double> values(20'001);
  for (double& value : values) {
    value = random.exponential(2);
  }
  const Histogram histogram = histogram_of(values);
  std::sort(values.begin(), values.end());
  for (const double p : {0.0, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 1.0}) {
    const double exact = values[static_cast<std::size_t>(p * 20'000)];
    EXPECT_LE(std::fabs(histogram.quantile(p) - exact), histogram.width()) << p;
  }
  EXPECT_EQ(histogram.quantile(0), values.front());
  EXPECT_EQ(histogram.quantile(-1), values.front());
  EXPECT_EQ(histogram.quantile(1), values.back());
  EXPECT_EQ(histogram.quantile(2), values.back());
}

TEST(Histogram, InterpolatesUniformValuesAlmostExactly) {
  std::vector<double> values(64'000);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<double>(i) / 1000;
  }
  const Histogram histogram = histogram_of(values);
  for (const double p : {0.1, 0.33, 0.5, 0.87}) {
    EXPECT_NEAR(histogram.quantile(p), 64 * p, 0.002);
  }
}

TEST(Histogram, OneValueIsEveryQuantile) {
  for (const double value : {0.0, 0.1, -7.5, 1e100}) {
    const Histogram histogram = histogram_of({value, value, value});
    EXPECT_EQ(histogram.quantile(0.3), value);
    EXPECT_EQ(histogram.quantile(0.9), value);
  }
}

TEST(Histogram, WeightsCountInsteadOfNumbers) {
  Histogram histogram;
  histogram.add(1, 0.25);
  histogram.add(2, 9.5);
  histogram.add(3, 0.25);
  EXPECT_EQ(histogram.total(), 10);
  EXPECT_NEAR(histogram.quantile(0.5), 2, histogram.width());
  EXPECT_NEAR(histogram.quantile(0.03), 2, histogram.width());
  EXPECT_NEAR(histogram.quantile(0.02), 1, histogram.width());
}

TEST(Histogram, EmptyKnowsNothingAndHoldsNothing) {
  const Histogram histogram;
  EXPECT_TRUE(histogram.empty());
  EXPECT_TRUE(std::isnan(histogram.quantile(0.5)));
  EXPECT_EQ(histogram.total(), 0);
  EXPECT_EQ(histogram.memory(), 0U);
  EXPECT_TRUE(std::isnan(histogram_of({1, 2}).quantile(NAN)));
}

}  // namespace
}  // namespace hyla::statistics
