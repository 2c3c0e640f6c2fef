#include "statistics/time_weighted.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "statistics/testing.h"

namespace hyla::statistics {
namespace {

using testing::Random;

TEST(TimeWeighted, FiguresOfASmallCourse) {
  TimeWeighted queue;
  queue.set(10, 0);
  queue.set(12, 1);
  queue.set(13, 3);
  queue.set(17, 1);
  EXPECT_TRUE(queue.finish(20));
  EXPECT_EQ(queue.count(), 3U);
  EXPECT_EQ(queue.duration(), 10);
  EXPECT_NEAR(queue.mean(), (0 * 2 + 1 * 1 + 3 * 4 + 1 * 3) / 10.0, 1e-15);
  EXPECT_NEAR(queue.stddev(), std::sqrt((1 + 36 + 3) / 10.0 - 1.6 * 1.6), 1e-15);
  EXPECT_EQ(queue.minimum(), 0);
  EXPECT_EQ(queue.maximum(), 3);
  EXPECT_EQ(queue.final_value(), 1);
  EXPECT_EQ(queue.histogram().total(), 10);
  EXPECT_NEAR(queue.quantile(0.9), 3, queue.histogram().width());
}

TEST(TimeWeighted, AgreesWithTwoPassesOverTheCourse) {
  for (const double offset : {0.0, 1e9}) {
    Random random(300, 0);
    std::vector<double> lengths;
    std::vector<double> values;
    TimeWeighted course;
    double time = 1e6;
    for (int i = 0; i < 50'000; ++i) {
      values.push_back(offset + random.normal());
      course.set(time, values.back());
      const double next = time + random.exponential(1);
      lengths.push_back(next - time);
      time = next;
    }
    course.finish(time);
    long double duration = 0;
    long double integral = 0;
    long double squares = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      duration += lengths[i];
      integral += static_cast<long double>(lengths[i]) * values[i];
    }
    const long double mean = integral / duration;
    for (std::size_t i = 0; i < values.size(); ++i) {
      squares += lengths[i] * (values[i] - mean) * (values[i] - mean);
    }
    EXPECT_NEAR(course.mean(), static_cast<double>(mean), 1e-14 * (1 + offset));
    EXPECT_NEAR(course.stddev() / static_cast<double>(std::sqrt(squares / duration)), 1, 1e-11);
    EXPECT_EQ(course.duration(), time - 1e6);
  }
}

TEST(TimeWeighted, ValuesThatLastNoTimeCountAsChangesOnly) {
  TimeWeighted course;
  course.set(0, 5);
  course.set(1, 100);
  course.set(1, -100);
  course.set(1, 5);
  course.finish(3);
  EXPECT_EQ(course.mean(), 5);
  EXPECT_EQ(course.stddev(), 0);
  EXPECT_EQ(course.minimum(), 5);
  EXPECT_EQ(course.maximum(), 5);
  EXPECT_EQ(course.count(), 3U);
  course.set(4, 5);
  EXPECT_EQ(course.count(), 3U);
}

TEST(TimeWeighted, BeforeTimeHasPassedTheValueIsTheMean) {
  TimeWeighted course;
  EXPECT_FALSE(course.finish(1));
  EXPECT_TRUE(std::isnan(course.mean()));
  EXPECT_TRUE(std::isnan(course.minimum()));
  EXPECT_TRUE(std::isnan(course.stddev()));
  EXPECT_TRUE(std::isnan(course.quantile(0.5)));
  EXPECT_TRUE(course.set(7, 2));
  EXPECT_EQ(course.mean(), 2);
  EXPECT_EQ(course.stddev(), 0);
  EXPECT_EQ(course.maximum(), 2);
  EXPECT_EQ(course.quantile(0.5), 2);
  EXPECT_EQ(course.duration(), 0);
  EXPECT_TRUE(std::isnan(course.summary().half_width));
}

TEST(TimeWeighted, RefusesWhatIsNoValueAndTimesThatGoBack) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  TimeWeighted course;
  EXPECT_FALSE(course.set(nan, 1));
  EXPECT_FALSE(course.set(-infinity, 1));
  course.set(0, 1);
  course.set(2, 4);
  EXPECT_FALSE(course.set(3, nan));
  EXPECT_FALSE(course.set(3, infinity));
  EXPECT_FALSE(course.set(3, 1e141));
  EXPECT_FALSE(course.set(1, 2));
  EXPECT_FALSE(course.set(infinity, 2));
  EXPECT_FALSE(course.finish(1.5));
  EXPECT_FALSE(course.finish(1e19));
  EXPECT_EQ(course.duration(), 2);
  EXPECT_EQ(course.count(), 1U);
  EXPECT_EQ(course.mean(), 1);
  EXPECT_TRUE(course.finish(4));
  EXPECT_EQ(course.mean(), 2.5);
}

TEST(TimeWeighted, LookingAheadChangesNothing) {
  TimeWeighted course;
  course.set(0, 1);
  course.set(1, 3);
  const Moments ahead = course.moments_at(4);
  EXPECT_EQ(ahead.weight, 4);
  EXPECT_EQ(ahead.mean, 2.5);
  EXPECT_EQ(course.at(4).mean(), 2.5);
  EXPECT_EQ(course.at(4).duration(), 4);
  EXPECT_EQ(course.mean(), 1);
  EXPECT_EQ(course.moments_at(0.5).mean, 1);
  course.finish(4);
  EXPECT_EQ(course.mean(), 2.5);
}

TEST(TimeWeighted, PiecesOfAnyLengthStayCheapAndBounded) {
  TimeWeighted course;
  double time = 0;
  double integral = 0;
  course.set(0, 1);
  for (int i = 0; i < 40; ++i) {
    const double length = std::pow(10, i % 2 == 0 ? -15 + i / 2 : i / 3);
    time += length;
    integral += length * static_cast<double>(1 + i % 7);
    course.set(time, static_cast<double>(1 + (i + 1) % 7));
  }
  EXPECT_NEAR(course.mean(), integral / time, 1e-9);
  EXPECT_LE(course.memory(), 10'000U);
}

TEST(TimeWeighted, PeriodicCourseHasANarrowInterval) {
  TimeWeighted course;
  for (int i = 0; i < 10'000; ++i) {
    course.set(i, i % 2);
  }
  course.finish(10'000);
  const Summary summary = course.summary();
  EXPECT_EQ(summary.kind, SummaryKind::TimeWeighted);
  EXPECT_EQ(summary.count, 9'999U);
  EXPECT_EQ(summary.duration, 10'000);
  EXPECT_NEAR(summary.mean, 0.5, 1e-12);
  EXPECT_NEAR(summary.stddev, 0.5, 1e-12);
  EXPECT_LE(summary.half_width, 0.001);
  EXPECT_TRUE(summary.reliable);
}

TEST(TimeWeighted, WarmUpIsATime) {
  Random random(301, 0);
  TimeWeighted course;
  for (int i = 0; i < 40'000; ++i) {
    const double time = i * 0.25;
    course.set(time, 100 * std::exp(-time / 50) + random.normal());
  }
  const Summary summary = course.at(10'000).summary();
  EXPECT_GE(summary.warm_up, 150);
  EXPECT_LE(summary.warm_up, 1000);
  EXPECT_NEAR(summary.mean, 0.5, 0.05);
  EXPECT_NEAR(summary.steady_mean, 0, summary.half_width);
  EXPECT_LE(summary.half_width, 0.05);
}

}  // namespace
}  // namespace hyla::statistics
