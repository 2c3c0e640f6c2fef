#include "statistics/steady_state.h"

#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "statistics/tally.h"
#include "statistics/testing.h"

namespace hyla::statistics {
namespace {

using testing::Autoregression;
using testing::Random;
using testing::WaitingTimes;

TEST(Batches, MeansAreThoseOfConsecutivePieces) {
  Batches batches(5);
  std::vector<double> blocks;
  for (int i = 0; i < 3000; ++i) {
    blocks.push_back(i % 17);
    batches.add(blocks.back(), 5);
  }
  // 3000 blocks: joined in pairs at 1024, 2048.
  EXPECT_EQ(batches.batch_weight(), 20);
  ASSERT_EQ(batches.means().size(), 750U);
  for (std::size_t i = 0; i < 750; ++i) {
    const double sum =
        std::accumulate(blocks.begin() + static_cast<long>(4 * i), blocks.begin() + static_cast<long>(4 * i + 4), 0.0);
    EXPECT_EQ(batches.means()[i], sum / 4);
  }
}

TEST(Batches, OnePieceMayFillManyBatches) {
  Batches batches(1);
  batches.add(2, 0.5);
  batches.add(4, 2.75);
  batches.add(8, 1);
  EXPECT_EQ(std::vector<double>(batches.means().begin(), batches.means().end()), (std::vector<double>{3, 4, 4, 7}));
}

TEST(Batches, OneHugePieceIsJoinedWithWhatWasBefore) {
  Batches batches(1);
  for (const double value : {1, 3, 5}) {
    batches.add(value, 1);
  }
  batches.add(7, 1e12);
  const auto means = batches.means();
  EXPECT_GE(means.size(), 512U);
  EXPECT_LE(means.size(), 1024U);
  const double weight = batches.batch_weight();
  EXPECT_NEAR(means[0], (1 + 3 + 5 + 7 * (weight - 3)) / weight, 1e-12);
  EXPECT_EQ(means[1], 7);
  EXPECT_LE(static_cast<double>(means.size()) * weight, 1e12 + 3);
  EXPECT_GT(static_cast<double>(means.size() + 1) * weight, 1e12 + 3);
}

TEST(Batches, WeightOfCompleteBatchesFollowsTheRun) {
  Random random(400, 0);
  Batches batches(0.01);
  double weight = 0;
  double sum = 0;
  for (int i = 0; i < 20'000; ++i) {
    const double piece = random.exponential(1);
    const double value = random.normal();
    batches.add(value, piece);
    weight += piece;
    sum += piece * value;
  }
  const auto means = batches.means();
  const double complete = static_cast<double>(means.size()) * batches.batch_weight();
  EXPECT_LE(complete, weight + 1e-6);
  EXPECT_GT(complete + batches.batch_weight(), weight - 1e-6);
  const double mean = std::accumulate(means.begin(), means.end(), 0.0) / static_cast<double>(means.size());
  EXPECT_NEAR(mean, sum / weight, 0.01);
}

/// The second method: the formula of MSER for each cut on its own.
std::size_t cut_by_definition(const std::vector<double>& values, std::size_t last) {
  std::size_t best = 0;
  double least = INFINITY;
  for (std::size_t cut = 0; cut <= last; ++cut) {
    const double rest = static_cast<double>(values.size() - cut);
    const double mean = std::accumulate(values.begin() + static_cast<long>(cut), values.end(), 0.0) / rest;
    double squares = 0;
    for (std::size_t i = cut; i < values.size(); ++i) {
      squares += (values[i] - mean) * (values[i] - mean);
    }
    if (squares / (rest * rest) < least) {
      least = squares / (rest * rest);
      best = cut;
    }
  }
  return best;
}

TEST(WarmUp, CutFollowsTheDefinition) {
  for (std::uint64_t run = 0; run < 20; ++run) {
    Autoregression process(Random(401, run), 0.8, static_cast<double>(run));
    std::vector<double> values(101);
    for (double& value : values) {
      value = process.next();
    }
    EXPECT_EQ(marginal_standard_error_cut(values, 50), cut_by_definition(values, 50));
    EXPECT_EQ(marginal_standard_error_cut(values, 7), cut_by_definition(values, 7));
  }
}

TEST(WarmUp, StepAtTheBeginningIsCutTwiceOver) {
  Random random(402, 0);
  std::vector<double> values(200);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = (i < 30 ? 20.0 : 0.0) + random.normal();
  }
  EXPECT_EQ(marginal_standard_error_cut(values, 100), 30U);
  EXPECT_EQ(warm_up_length(values), 60U);
}

TEST(WarmUp, ExcursionLaterOnIsNotCut) {
  Random random(403, 0);
  std::vector<double> values(200);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = (i >= 40 && i < 60 ? 10.0 : 0.0) + random.normal();
  }
  EXPECT_EQ(marginal_standard_error_cut(values, 100), 60U);
  EXPECT_EQ(warm_up_length(values), 0U);
}

TEST(WarmUp, LaterExcursionDoesNotHideAShortWarmUp) {
  Random random(404, 0);
  std::vector<double> values(400);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool excursion = i >= 100 && i < 160;
    values[i] = (i < 4 ? 30.0 : 0.0) + (excursion ? 10.0 : 0.0) + random.normal();
  }
  EXPECT_GE(marginal_standard_error_cut(values, 200), 160U);
  EXPECT_EQ(warm_up_length(values), 8U);
}

TEST(WarmUp, RunThatNeverSettlesIsNotReliable) {
  Tally tally;
  Random random(405, 0);
  for (int i = 0; i < 20'000; ++i) {
    tally.add(0.001 * i + random.normal());
  }
  EXPECT_FALSE(tally.steady_state().reliable);
}

TEST(VonNeumann, KnowsAlikeFromAlternating) {
  const std::vector<double> rising = {1, 2, 3, 4, 5, 6, 7, 8};
  const std::vector<double> alternating = {1, -1, 1, -1, 1, -1, 1, -1};
  // Squares of deviations 42, of steps 7.
  EXPECT_NEAR(von_neumann_statistic(rising), (1 - 7 / 84.0) / std::sqrt(6 / 63.0), 1e-14);
  EXPECT_NEAR(von_neumann_statistic(alternating), (1 - 28 / 16.0) / std::sqrt(6 / 63.0), 1e-14);
  EXPECT_NEAR(neighbour_correlation(alternating), -7 / 8.0 + 1 / 8.0, 1e-15);
  EXPECT_EQ(von_neumann_statistic(std::vector<double>(8, 3.0)), 0);
  EXPECT_EQ(neighbour_correlation(std::vector<double>(8, 3.0)), 0);
}

TEST(VonNeumann, IsAboutStandardNormalForIndependentValues) {
  Moments statistic;
  for (std::uint64_t run = 0; run < 20'000; ++run) {
    Random random(406, run);
    std::vector<double> values(20);
    for (double& value : values) {
      value = random.normal();
    }
    statistic.add(von_neumann_statistic(values), 1);
  }
  EXPECT_NEAR(statistic.mean, 0, 0.03);
  EXPECT_NEAR(statistic.variance(), 1, 0.05);
}

TEST(SteadyState, WithoutWarmUpTheMiddleIsTheMean) {
  Tally tally;
  WaitingTimes queue(Random(407, 0), 0.5);
  for (int i = 0; i < 12'347; ++i) {
    tally.add(queue.next());
  }
  const SteadyState steady = tally.steady_state();
  ASSERT_EQ(steady.warm_up, 0);
  EXPECT_EQ(steady.mean, tally.mean());
}

TEST(SteadyState, RunCutInHalfIsNotReliable) {
  Random random(411, 0);
  Tally tally;
  for (int i = 0; i < 10'005; ++i) {
    tally.add((i < 4000 ? 50 : 0) + random.normal());
  }
  const SteadyState steady = tally.steady_state();
  EXPECT_GE(steady.warm_up, 4960);
  EXPECT_NEAR(steady.mean, 0, 0.1);
  EXPECT_GE(steady.independent, 1000);
  EXPECT_FALSE(steady.reliable);
}

TEST(SteadyState, ShortRunsHaveAMeanWithoutAnInterval) {
  Tally tally;
  for (int i = 1; i <= 9; ++i) {
    tally.add(i);
  }
  EXPECT_EQ(tally.steady_state().mean, 5);
  EXPECT_EQ(tally.steady_state().warm_up, 0);
  EXPECT_TRUE(std::isnan(tally.steady_state().half_width));
}

TEST(SteadyState, WarmUpIsLeftOutOfTheMean) {
  Random random(408, 0);
  std::vector<double> values;
  Tally tally;
  for (int i = 0; i < 30'000; ++i) {
    values.push_back((i < 1000 ? 50 : 0) + random.normal());
    tally.add(values.back());
  }
  const SteadyState steady = tally.steady_state();
  ASSERT_GE(steady.warm_up, 1000);
  const auto cut = static_cast<long>(steady.warm_up);
  const double mean = std::accumulate(values.begin() + cut, values.end(), 0.0) / static_cast<double>(30'000 - cut);
  EXPECT_NEAR(steady.mean, mean, 1e-13);
}

TEST(SteadyState, HalfWidthIsStudentsForIndependentNormalValues) {
  double ratio = 0;
  double independent = 0;
  for (std::uint64_t run = 0; run < 500; ++run) {
    Random random(409, run);
    Tally tally;
    for (int i = 0; i < 2000; ++i) {
      tally.add(random.normal());
    }
    const SteadyState steady = tally.steady_state();
    ratio += steady.half_width / (1.96 / std::sqrt(2000.0)) / 500;
    independent += steady.independent / 500;
  }
  // The price of not knowing that the values are independent.
  EXPECT_GT(ratio, 1);
  EXPECT_LT(ratio, 1.25);
  EXPECT_NEAR(independent, 2000, 300);
}

TEST(SteadyState, ConfidenceWidensTheInterval) {
  Random random(410, 0);
  Tally tally;
  for (int i = 0; i < 5000; ++i) {
    tally.add(random.normal());
  }
  EXPECT_LT(tally.steady_state(0.9).half_width, tally.steady_state(0.95).half_width);
  EXPECT_LT(tally.steady_state(0.95).half_width, tally.steady_state(0.99).half_width);
}

TEST(SteadyState, NothingVariesNothingIsPromised) {
  for (const double value : {0.0, 0.1, -1e9}) {
    Tally tally;
    for (int i = 0; i < 10'000; ++i) {
      tally.add(value);
    }
    const SteadyState steady = tally.steady_state();
    EXPECT_EQ(steady.half_width, 0);
    EXPECT_EQ(steady.warm_up, 0);
    EXPECT_FALSE(steady.reliable);
  }
}

}  // namespace
}  // namespace hyla::statistics
