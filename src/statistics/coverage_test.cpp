// Whether 95 % intervals cover the truth in 95 % of cases: 1000 independent runs each, with processes whose long-run
// means have closed forms. Seeds are fixed, so a figure changes only with the method. The standard error of a coverage
// is 0.7 %.
#include <cmath>
#include <cstddef>
#include <cstdint>

#include <gtest/gtest.h>

#include "statistics/replications.h"
#include "statistics/tally.h"
#include "statistics/testing.h"
#include "statistics/time_weighted.h"

namespace hyla::statistics {
namespace {

using testing::Autoregression;
using testing::Random;
using testing::WaitingTimes;

constexpr std::uint64_t kRuns = 1000;

struct Coverage {
  int covered = 0;
  int reliable = 0;
  int cut = 0;
  double error = 0;  // mean of steady_mean - truth

  void count(const SteadyState& steady, double truth) {
    covered += std::fabs(steady.mean - truth) <= steady.half_width ? 1 : 0;
    reliable += steady.reliable ? 1 : 0;
    cut += steady.warm_up > 0 ? 1 : 0;
    error += (steady.mean - truth) / static_cast<double>(kRuns);
  }
};

void expect_honest(const Coverage& coverage) {
  EXPECT_GE(coverage.covered, 930);
  EXPECT_LE(coverage.covered, 970);
}

Coverage queue_coverage(std::uint64_t test, double load, std::size_t customers, double first_wait = 0) {
  Coverage coverage;
  for (std::uint64_t run = 0; run < kRuns; ++run) {
    WaitingTimes queue(Random(test, run), load, first_wait);
    Tally tally;
    for (std::size_t i = 0; i < customers; ++i) {
      tally.add(queue.next());
    }
    coverage.count(tally.steady_state(), queue.long_run_mean());
  }
  return coverage;
}

template <class Next>
Coverage independent_coverage(std::uint64_t test, std::size_t observations, double truth, Next next) {
  Coverage coverage;
  for (std::uint64_t run = 0; run < kRuns; ++run) {
    Random random(test, run);
    Tally tally;
    for (std::size_t i = 0; i < observations; ++i) {
      tally.add(next(random));
    }
    coverage.count(tally.steady_state(), truth);
  }
  return coverage;
}

TEST(Coverage, WaitingTimesAtHalfLoad) {
  const Coverage coverage = queue_coverage(1, 0.5, 10'000);
  expect_honest(coverage);
  EXPECT_GE(coverage.reliable, 930);
  EXPECT_LE(coverage.cut, 30);
  EXPECT_LE(std::fabs(coverage.error), 0.01);
}

TEST(Coverage, WaitingTimesAtHalfLoadInLongerRuns) {
  const Coverage coverage = queue_coverage(2, 0.5, 30'000);
  expect_honest(coverage);
  EXPECT_GE(coverage.reliable, 970);
}

TEST(Coverage, WaitingTimesAtHighLoad) {
  const Coverage coverage = queue_coverage(3, 0.9, 200'000);
  expect_honest(coverage);
  EXPECT_GE(coverage.reliable, 700);
  EXPECT_LE(coverage.cut, 30);
}

TEST(Coverage, RunsThatAreTooShortAreNotCalledReliable) {
  const Coverage coverage = queue_coverage(4, 0.9, 10'000);
  EXPECT_LT(coverage.covered, 930);
  EXPECT_LE(coverage.reliable, 5);
}

TEST(Coverage, QueueThatBeginsCrowded) {
  const Coverage coverage = queue_coverage(5, 0.5, 20'000, 100);
  expect_honest(coverage);
  EXPECT_EQ(coverage.cut, 1000);
}

TEST(Coverage, IndependentObservations) {
  expect_honest(independent_coverage(6, 1000, 0, [](Random& random) { return random.normal(); }));
  expect_honest(independent_coverage(7, 1000, 1, [](Random& random) { return random.exponential(1); }));
  expect_honest(independent_coverage(8, 100, 0, [](Random& random) { return random.normal(); }));
}

TEST(Coverage, CorrelatedObservationsThatBeginFarAway) {
  Coverage coverage;
  double warm_up = 0;
  for (std::uint64_t run = 0; run < kRuns; ++run) {
    Autoregression process(Random(9, run), 0.9, 50);
    Tally tally;
    for (int i = 0; i < 10'000; ++i) {
      tally.add(process.next());
    }
    const SteadyState steady = tally.steady_state();
    coverage.count(steady, 0);
    // 50 * 0.9^25 is 3.6: the warm-up lasts longer. 50 * 0.9^60 is 0.09.
    EXPECT_GE(steady.warm_up, 25);
    warm_up += steady.warm_up / static_cast<double>(kRuns);
  }
  expect_honest(coverage);
  EXPECT_LE(warm_up, 150);
}

/// The number of customers in an M/M/1 queue, as a course over time.
SteadyState number_in_queue(Random random, double load, double end) {
  TimeWeighted number;
  double time = 0;
  double present = 0;
  double arrival = random.exponential(1 / load);
  double departure = INFINITY;
  number.set(0, 0);
  while ((time = std::fmin(arrival, departure)) < end) {
    if (arrival <= departure) {
      present += 1;
      arrival = time + random.exponential(1 / load);
      departure = present == 1 ? time + random.exponential(1) : departure;
    } else {
      present -= 1;
      departure = present > 0 ? time + random.exponential(1) : INFINITY;
    }
    number.set(time, present);
  }
  number.finish(end);
  return number.steady_state();
}

TEST(Coverage, NumberInQueueOverTime) {
  Coverage coverage;
  for (std::uint64_t run = 0; run < kRuns; ++run) {
    coverage.count(number_in_queue(Random(10, run), 0.5, 20'000), 0.5 / (1 - 0.5));
  }
  expect_honest(coverage);
  EXPECT_GE(coverage.reliable, 930);
}

TEST(Coverage, NumberInQueueOverTimeAtHighLoad) {
  Coverage coverage;
  for (std::uint64_t run = 0; run < kRuns; ++run) {
    coverage.count(number_in_queue(Random(11, run), 0.7, 30'000), 0.7 / (1 - 0.7));
  }
  expect_honest(coverage);
}

TEST(Coverage, Replications) {
  int normal = 0;
  int queues = 0;
  for (std::uint64_t experiment = 0; experiment < kRuns; ++experiment) {
    Random random(12, experiment);
    Replications values;
    Replications means;
    for (std::uint64_t replication = 0; replication < 10; ++replication) {
      values.add(5 + random.normal());
      WaitingTimes queue(Random(13, experiment * 10 + replication), 0.5);
      Tally tally;
      for (int i = 0; i < 2000; ++i) {
        tally.add(queue.next());
      }
      means.add(tally.mean());
    }
    normal += std::fabs(values.mean() - 5) <= values.half_width() ? 1 : 0;
    queues += std::fabs(means.mean() - 1) <= means.half_width() ? 1 : 0;
  }
  EXPECT_GE(normal, 930);
  EXPECT_LE(normal, 970);
  EXPECT_GE(queues, 930);
  EXPECT_LE(queues, 970);
}

}  // namespace
}  // namespace hyla::statistics
