#include "experiment/sample.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

namespace hyla::experiment {
namespace {

const std::vector<std::string> kNames = {"a", "b", "c", "d", "e"};

/// How many points lie in each of `parts` equal parts of an axis.
std::vector<int> counts(const std::vector<std::vector<double>>& points, std::size_t axis, std::size_t parts) {
  std::vector<int> counts(parts);
  for (const auto& point : points) ++counts[static_cast<std::size_t>(point[axis] * static_cast<double>(parts))];
  return counts;
}

TEST(SampleCube, LiesInside) {
  for (const Sampling sampling : {Sampling::Random, Sampling::LatinHypercube, Sampling::Sobol}) {
    for (const auto& point : sample_cube(sampling, 1000, kNames, 3)) {
      ASSERT_EQ(point.size(), kNames.size());
      for (const double x : point) {
        EXPECT_GT(x, 0);
        EXPECT_LT(x, 1);
      }
    }
  }
}

TEST(SampleCube, LatinHypercubeHasOnePointInEachPart) {
  for (const std::size_t count : {1U, 2U, 17U, 100U}) {
    const auto points = sample_cube(Sampling::LatinHypercube, count, kNames, 5);
    for (std::size_t axis = 0; axis < kNames.size(); ++axis) {
      EXPECT_EQ(counts(points, axis, count), std::vector<int>(count, 1));
    }
  }
}

TEST(SampleCube, SobolHasOnePointInEachPartAndEachElementaryBox) {
  const auto points = sample_cube(Sampling::Sobol, 64, kNames, 9);
  for (std::size_t axis = 0; axis < kNames.size(); ++axis) {
    EXPECT_EQ(counts(points, axis, 64), std::vector<int>(64, 1));
  }
  // The first two axes are a (0, m, 2)-net: each box of area 1/64 with sides that are powers of two holds one point.
  for (int k = 0; k <= 6; ++k) {
    std::set<std::pair<int, int>> boxes;
    for (const auto& point : points) {
      boxes.emplace(static_cast<int>(std::ldexp(point[0], k)), static_cast<int>(std::ldexp(point[1], 6 - k)));
    }
    EXPECT_EQ(boxes.size(), 64U) << k;
  }
}

/// The integral of a product of (1 + (x - 1/2)) is 1: Sobol's error falls nearly as 1/n.
TEST(SampleCube, SobolIntegratesBetterThanRandomNumbers) {
  const auto error = [](Sampling sampling, std::uint64_t count) {
    double sum = 0;
    for (const auto& point : sample_cube(sampling, count, kNames, 1)) {
      double product = 1;
      for (const double x : point) product *= 0.5 + x;
      sum += product;
    }
    return std::abs(sum / static_cast<double>(count) - 1);
  };
  EXPECT_LT(error(Sampling::Sobol, 4096), 2e-3);
  EXPECT_LT(error(Sampling::Sobol, 4096), error(Sampling::Random, 4096));
}

TEST(SampleCube, NumbersOfANameStayWhenOthersComeOrGo) {
  for (const Sampling sampling : {Sampling::Random, Sampling::LatinHypercube}) {
    const auto both = sample_cube(sampling, 10, {"x", "y"}, 1);
    const auto one = sample_cube(sampling, 10, {"y"}, 1);
    for (std::size_t i = 0; i < one.size(); ++i) EXPECT_EQ(both[i][1], one[i][0]);
  }
}

}  // namespace
}  // namespace hyla::experiment
