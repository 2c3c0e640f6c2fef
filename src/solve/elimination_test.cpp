#include "solve/elimination.h"

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace hyla::solve {
namespace {

using Row = Elimination::Row;
using Flags = std::vector<std::uint8_t>;

double determinant(std::vector<std::vector<double>> matrix) {
  double result = 1;
  for (std::size_t k = 0; k < matrix.size(); ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < matrix.size(); ++i) {
      if (std::abs(matrix[i][k]) > std::abs(matrix[pivot][k])) pivot = i;
    }
    std::swap(matrix[k], matrix[pivot]);
    if (matrix[k][k] == 0) return 0;
    result *= matrix[k][k];
    for (std::size_t i = k + 1; i < matrix.size(); ++i) {
      const double factor = matrix[i][k] / matrix[k][k];
      for (std::size_t j = k; j < matrix.size(); ++j) matrix[i][j] -= factor * matrix[k][j];
    }
  }
  return std::abs(result);
}

/// The determinant of some columns.
double determinant(const std::vector<Row>& rows, const Flags& columns) {
  std::vector<std::vector<double>> matrix;
  for (const Row& row : rows) {
    matrix.emplace_back();
    for (std::uint32_t j = 0; j < columns.size(); ++j) {
      if (columns[j] == 0) continue;
      double value = 0;
      for (const Elimination::Entry& entry : row) value += entry.column == j ? entry.value : 0;
      matrix.back().push_back(value);
    }
  }
  return determinant(matrix);
}

TEST(Elimination, takes_the_larger_of_two) {
  Elimination circle({{{0, 0.6}, {1, 1.6}}}, {1, 1});  // x^2 + y^2 = 1 at (0.3, 0.8)
  ASSERT_TRUE(circle.choose());
  EXPECT_EQ(circle.chosen(), (Flags{0, 1}));
  EXPECT_NEAR(circle.worst(), 0.375, 1e-15);
  EXPECT_EQ(circle.column_of(0), 1U);
}

TEST(Elimination, gives_way_to_weights) {
  Elimination circle({{{0, 0.6}, {1, 1.6}}}, {1, 0.01});
  ASSERT_TRUE(circle.choose());
  EXPECT_EQ(circle.chosen(), (Flags{1, 0}));
}

TEST(Elimination, tells_how_bad_a_given_choice_is) {
  Elimination circle({{{0, 0.2}, {1, 1.6}}}, {1, 1});
  ASSERT_TRUE(circle.take({1, 0}));
  EXPECT_NEAR(circle.worst(), 8, 1e-14);
  Elimination at_top({{{0, 0}, {1, 2}}}, {1, 1});
  EXPECT_FALSE(at_top.take({1, 0}));
}

TEST(Elimination, finds_rows_that_depend_on_each_other) {
  Elimination twice({{{0, 1}, {1, -1}}, {{1, 1}, {2, -1}}, {{0, 3}, {2, -3}}}, {1, 1, 1});
  EXPECT_FALSE(twice.choose());
  EXPECT_EQ(twice.left_over(), (std::vector<std::uint32_t>{2}));
  Elimination zero({{{0, 0}, {1, 0}}}, {1, 1});
  EXPECT_FALSE(zero.choose());
}

TEST(Elimination, is_not_misled_by_scales) {
  Elimination rows({{{0, 1e-8}, {1, 2e-8}}, {{0, 1e6}, {1, 1e5}, {2, 1e4}}}, {1, 1, 1});
  ASSERT_TRUE(rows.choose());
  EXPECT_EQ(rows.chosen(), (Flags{1, 1, 0}));
}

TEST(Elimination, leaves_no_exchange_that_would_help_much) {
  std::minstd_rand random(3);
  std::uniform_real_distribution<double> value(-1, 1);
  for (int trial = 0; trial < 400; ++trial) {
    const auto height = static_cast<std::uint32_t>(1 + random() % 5);
    const auto width = static_cast<std::uint32_t>(height + random() % 5);
    std::vector<Row> rows(height);
    for (Row& row : rows) {
      for (std::uint32_t j = 0; j < width; ++j) {
        if (random() % 3 != 0) row.push_back({j, value(random)});
      }
    }
    Elimination elimination(rows, std::vector<double>(width, 1));
    if (!elimination.choose()) continue;
    const Flags chosen = elimination.chosen();
    const double best = determinant(rows, chosen);
    double ratio = 0;
    for (std::uint32_t i = 0; i < width; ++i) {
      for (std::uint32_t j = 0; j < width; ++j) {
        if (chosen[i] == 0 || chosen[j] != 0) continue;
        Flags other = chosen;
        std::swap(other[i], other[j]);
        ratio = std::max(ratio, determinant(rows, other) / best);
      }
    }
    EXPECT_NEAR(ratio, elimination.worst(), 1e-9 * (1 + ratio));
    EXPECT_LE(ratio, 1.2 + 1e-9);
    Elimination again(rows, std::vector<double>(width, 1));
    ASSERT_TRUE(again.take(chosen));
    EXPECT_NEAR(again.worst(), elimination.worst(), 1e-9);
  }
}

TEST(Elimination, long_chains_take_linear_time) {
  constexpr std::uint32_t kCount = 20'000;
  std::vector<Row> rows;
  for (std::uint32_t i = 0; i + 1 < kCount; ++i) rows.push_back({{i, 1}, {i + 1, -1}});
  for (int turn = 0; turn < 2; ++turn) {
    Elimination chain(rows, std::vector<double>(kCount, 1));
    ASSERT_TRUE(chain.choose());
    EXPECT_NEAR(chain.worst(), 1, 1e-12);
    std::reverse(rows.begin(), rows.end());
  }
}

}  // namespace
}  // namespace hyla::solve
