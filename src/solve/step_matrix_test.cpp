#include "solve/step_matrix.h"

#include <cmath>

#include <gtest/gtest.h>

namespace hyla::solve {
namespace {

/// A chain of `count` cells with two variables each; the first of all cells, then the second of all cells. Each
/// variable is joined with its neighbours in the chain, and with the other variable of its cell.
struct TwoArrays {
  explicit TwoArrays(std::size_t count) {
    const std::size_t size = 2 * count;
    std::vector<std::vector<double>> dense(size, std::vector<double>(size));
    for (std::size_t i = 0; i < count; ++i) {
      for (const std::size_t array : {std::size_t{0}, count}) {
        dense[array + i][array + i] = -3 - std::sin(static_cast<double>(array + i));
        if (i > 0) dense[array + i][array + i - 1] = 1.1;
        if (i + 1 < count) dense[array + i][array + i + 1] = 0.7;
      }
      dense[i][count + i] = 0.4;
      dense[count + i][i] = -0.6;
    }
    pattern.size = size;
    pattern.starts.push_back(0);
    for (std::size_t column = 0; column < size; ++column) {
      for (std::size_t row = 0; row < size; ++row) {
        if (dense[row][column] == 0) continue;
        pattern.rows.push_back(static_cast<std::int32_t>(row));
        entries.push_back(dense[row][column]);
      }
      pattern.starts.push_back(static_cast<std::int32_t>(pattern.rows.size()));
    }
  }

  /// (shift - J) x.
  std::vector<double> times(const std::vector<double>& x, double shift) const {
    std::vector<double> result(x.size());
    for (std::size_t column = 0; column < x.size(); ++column) {
      result[column] += shift * x[column];
      for (auto at = pattern.starts[column]; at < pattern.starts[column + 1]; ++at) {
        const auto place = static_cast<std::size_t>(at);
        result[static_cast<std::size_t>(pattern.rows[place])] -= entries[place] * x[column];
      }
    }
    return result;
  }

  Pattern pattern;
  std::vector<double> entries;
};

TEST(StepMatrix, SolvesWhateverTheOrderOfTheVariables) {
  for (const std::size_t count : {3u, 15u, 16u, 40u, 200u}) {
    const TwoArrays system(count);
    std::vector<double> solution(2 * count);
    for (std::size_t i = 0; i < solution.size(); ++i) solution[i] = std::cos(static_cast<double>(i * i));
    StepMatrix matrix;
    matrix.analyse(system.pattern, nullptr);
    ASSERT_TRUE(matrix.factorise(system.entries.data(), 2.5));
    std::vector<double> x = system.times(solution, 2.5);
    matrix.solve(x.data());
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], solution[i], 1e-13) << count << ", " << i;
  }
}

TEST(StepMatrix, TellsASingularMatrixInAnyOrder) {
  TwoArrays system(40);
  std::fill(system.entries.begin(), system.entries.end(), 0.0);
  StepMatrix matrix;
  matrix.analyse(system.pattern, nullptr);
  EXPECT_FALSE(matrix.factorise(system.entries.data(), 0));
  EXPECT_TRUE(matrix.factorise(system.entries.data(), 1));
}

}  // namespace
}  // namespace hyla::solve
