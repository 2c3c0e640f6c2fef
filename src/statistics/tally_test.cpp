#include "statistics/tally.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "statistics/quantiles.h"
#include "statistics/replications.h"
#include "statistics/testing.h"

namespace hyla::statistics {
namespace {

using testing::Random;

Tally tally_of(const std::vector<double>& values) {
  Tally tally;
  for (const double value : values) {
    EXPECT_TRUE(tally.add(value));
  }
  return tally;
}

struct TwoPass {
  long double mean = 0;
  long double stddev = 0;
};

TwoPass two_pass(const std::vector<double>& values) {
  TwoPass result;
  const auto number = static_cast<long double>(values.size());
  for (const double value : values) {
    result.mean += static_cast<long double>(value) - values.front();
  }
  result.mean = values.front() + result.mean / number;
  long double squares = 0;
  for (const double value : values) {
    squares += (value - result.mean) * (value - result.mean);
  }
  result.stddev = std::sqrt(squares / (number - 1));
  return result;
}

TEST(Tally, FiguresOfAFewValues) {
  const Tally tally = tally_of({3, 1, 4, 1, 5, 9, 2, 6});
  EXPECT_EQ(tally.count(), 8U);
  EXPECT_EQ(tally.sum(), 31);
  EXPECT_EQ(tally.mean(), 31.0 / 8);
  EXPECT_EQ(tally.minimum(), 1);
  EXPECT_EQ(tally.maximum(), 9);
  EXPECT_EQ(tally.final_value(), 6);
  EXPECT_NEAR(tally.stddev(), std::sqrt((173 - 31.0 * 31 / 8) / 7), 1e-14);
}

TEST(Tally, FiguresAreUpToDateAfterEveryValue) {
  Random random(200, 0);
  std::vector<double> values;
  Tally tally;
  for (int i = 0; i < 37; ++i) {
    values.push_back(random.normal());
    tally.add(values.back());
    EXPECT_EQ(tally.count(), values.size());
    EXPECT_NEAR(tally.mean(), static_cast<double>(two_pass(values).mean), 1e-15);
    if (i > 0) {
      EXPECT_NEAR(tally.stddev(), static_cast<double>(two_pass(values).stddev), 1e-14);
    }
    EXPECT_EQ(tally.minimum(), *std::min_element(values.begin(), values.end()));
    EXPECT_EQ(tally.maximum(), *std::max_element(values.begin(), values.end()));
  }
}

TEST(Tally, SmallNoiseOnALargeOffsetKeepsItsSpread) {
  for (const double offset : {0.0, 1e6, 1e9, -1e12}) {
    Random random(201, 0);
    std::vector<double> values(100'003);
    for (double& value : values) {
      value = offset + random.normal();
    }
    const Tally tally = tally_of(values);
    const TwoPass exact = two_pass(values);
    EXPECT_NEAR(tally.mean(), static_cast<double>(exact.mean), 4e-16 * std::fabs(offset) + 1e-15);
    EXPECT_NEAR(tally.stddev() / static_cast<double>(exact.stddev), 1, 1e-12) << offset;
  }
}

TEST(Tally, SumKeepsSmallValuesBesideLargeOnes) {
  Tally tally;
  for (int i = 0; i < 5; ++i) {
    tally.add(1e16);
  }
  for (int i = 0; i < 100'000; ++i) {
    tally.add(0.5);
  }
  for (int i = 0; i < 5; ++i) {
    tally.add(-1e16);
  }
  EXPECT_EQ(tally.sum(), 50'000);
}

TEST(Tally, ManyObservations) {
  constexpr std::uint64_t kCount = 5'000'000;
  Tally tally;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    tally.add(static_cast<double>(i % 1000));
  }
  EXPECT_EQ(tally.count(), kCount);
  EXPECT_EQ(tally.mean(), 499.5);
  EXPECT_NEAR(tally.stddev(), std::sqrt((1e6 - 1) / 12 * (kCount / (kCount - 1.0))), 1e-9);
  EXPECT_NEAR(tally.quantile(0.5), 500, 0.5);
  EXPECT_LE(tally.memory(), 10'000U);
}

TEST(Tally, RefusesWhatIsNoObservation) {
  const double infinity = std::numeric_limits<double>::infinity();
  Tally tally = tally_of({1, 2, 3});
  for (const double value : {infinity, -infinity, static_cast<double>(NAN), 1e141, -1e300}) {
    EXPECT_FALSE(tally.add(value));
  }
  EXPECT_EQ(tally.count(), 3U);
  EXPECT_EQ(tally.mean(), 2);
  EXPECT_EQ(tally.final_value(), 3);
  EXPECT_EQ(tally.maximum(), 3);
  EXPECT_EQ(tally.histogram().total(), 3);
}

TEST(Tally, LargestValuesOverflowNothing) {
  Tally tally;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_TRUE(tally.add(i % 2 == 0 ? kLargestValue : -kLargestValue));
  }
  EXPECT_EQ(tally.mean(), 0);
  EXPECT_NEAR(tally.stddev() / kLargestValue, std::sqrt(1000.0 / 999), 1e-12);
  EXPECT_TRUE(std::isfinite(tally.steady_state().half_width));
}

TEST(Tally, NothingIsKnownOfNoObservations) {
  const Summary summary = Tally().summary();
  EXPECT_EQ(summary.count, 0U);
  for (const double figure : {summary.mean, summary.minimum, summary.maximum, summary.final_value, summary.stddev,
                              summary.half_width, summary.steady_mean}) {
    EXPECT_TRUE(std::isnan(figure));
  }
  EXPECT_FALSE(summary.reliable);
  EXPECT_EQ(Tally().sum(), 0);
  EXPECT_TRUE(std::isnan(tally_of({5}).stddev()));
  EXPECT_EQ(tally_of({5, 5}).stddev(), 0);
}

TEST(Tally, IntervalBeginsWithFortyObservations) {
  Random random(202, 0);
  Tally tally;
  for (int i = 0; i < 39; ++i) {
    tally.add(random.normal());
  }
  EXPECT_TRUE(std::isnan(tally.summary().half_width));
  tally.add(random.normal());
  EXPECT_GT(tally.summary().half_width, 0);
  EXPECT_EQ(tally.summary().batches, 8U);
}

TEST(Tally, MemoryGrowsWithUseAndIsBounded) {
  Tally tally;
  EXPECT_LE(tally.memory(), 256U);
  for (int i = 0; i < 100; ++i) {
    tally.add(i);
  }
  EXPECT_LE(tally.memory(), 1024U);
  for (int i = 0; i < 1'000'000; ++i) {
    tally.add(i);
  }
  EXPECT_LE(tally.memory(), 10'000U);
}

TEST(Tally, CopiesGoTheirOwnWays) {
  Tally tally = tally_of({1, 2, 3, 4, 5, 6});
  const Tally copy = tally;
  tally.add(100);
  EXPECT_EQ(copy.count(), 6U);
  EXPECT_EQ(copy.maximum(), 6);
  EXPECT_EQ(copy.histogram().total(), 6);
}

TEST(Replications, FiguresOfAFewRuns) {
  Replications runs;
  for (const double value : {4.0, 7.0, 5.0, 8.0}) {
    EXPECT_TRUE(runs.add(value));
  }
  EXPECT_FALSE(runs.add(NAN));
  EXPECT_FALSE(runs.add(INFINITY));
  EXPECT_EQ(runs.mean(), 6);
  EXPECT_NEAR(runs.stddev(), std::sqrt(10.0 / 3), 1e-15);
  EXPECT_NEAR(runs.half_width(), student_t_quantile(0.975, 3) * std::sqrt(10.0 / 12), 1e-12);
  EXPECT_NEAR(runs.half_width(0.9), student_t_quantile(0.95, 3) * std::sqrt(10.0 / 12), 1e-12);
  const Summary summary = runs.summary();
  EXPECT_EQ(summary.kind, SummaryKind::Replications);
  EXPECT_EQ(summary.count, 4U);
  EXPECT_EQ(summary.minimum, 4);
  EXPECT_EQ(summary.maximum, 8);
  EXPECT_EQ(summary.final_value, 8);
  EXPECT_EQ(summary.half_width, runs.half_width());
  EXPECT_TRUE(summary.reliable);
}

TEST(Replications, OneRunHasNoInterval) {
  Replications runs;
  EXPECT_TRUE(std::isnan(runs.mean()));
  runs.add(3);
  EXPECT_EQ(runs.mean(), 3);
  EXPECT_TRUE(std::isnan(runs.half_width()));
  EXPECT_FALSE(runs.summary().reliable);
}

}  // namespace
}  // namespace hyla::statistics
