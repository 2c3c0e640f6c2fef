// Rows that depend on others, against elimination of dense matrices of fractions.
#include "structure/dependencies.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "structure/testing.h"

namespace hyla::structure {
namespace {

using Numbers = std::vector<std::vector<double>>;

ResidueMatrix matrix_of(const Numbers& rows) {
  ResidueMatrix result;
  for (const std::vector<double>& row : rows) {
    result.columns = row.size();
    std::vector<ResidueMatrix::Entry>& entries = result.rows.emplace_back();
    for (std::uint32_t j = 0; j < row.size(); ++j) {
      if (row[j] != 0) entries.push_back({j, Residue::of(row[j])});
    }
  }
  return result;
}

/// Without division, so that whole numbers stay whole.
std::size_t rank(Numbers rows) {
  std::size_t found = 0;
  for (std::size_t column = 0; !rows.empty() && column < rows[0].size(); ++column) {
    const auto pivot = std::find_if(rows.begin() + static_cast<std::ptrdiff_t>(found), rows.end(),
                                    [&](const std::vector<double>& row) { return row[column] != 0; });
    if (pivot == rows.end()) continue;
    std::swap(*pivot, rows[found]);
    for (std::size_t i = found + 1; i < rows.size(); ++i) {
      const double own = rows[i][column], other = rows[found][column];
      std::int64_t divisor = 0;
      for (std::size_t j = 0; j < rows[i].size(); ++j) {
        rows[i][j] = rows[i][j] * other - rows[found][j] * own;
        divisor = std::gcd(divisor, static_cast<std::int64_t>(rows[i][j]));
      }
      for (double& value : rows[i]) value /= divisor == 0 ? 1.0 : static_cast<double>(divisor);
    }
    ++found;
  }
  return found;
}

TEST(Residue, CountsLikeNumbers) {
  EXPECT_TRUE((Residue::of(0.1) - Residue::of(0.1)).is_zero());
  EXPECT_EQ(Residue::of(0.75) * Residue::of(-4), Residue::of(-3));
  EXPECT_EQ(Residue::of(1e300) / Residue::of(1e300), Residue::of(1));
  EXPECT_EQ(Residue::of(1) / Residue::of(8), Residue::of(0.125));
  EXPECT_EQ(Residue::of(0x1p-1074) * Residue::of(0x1p1000), Residue::of(0x1p-74));
  EXPECT_EQ(Residue::of(1) / Residue::any(7) * Residue::any(7), Residue::of(1));
  EXPECT_NE(Residue::any(7), Residue::any(8));
}

TEST(Dependencies, TwoDifferencesOfTheSame) {
  // a - b, b - c, a - c, c: the third is the sum of the first two.
  const std::vector<Dependency> found = dependencies(matrix_of({{1, -1, 0}, {0, 1, -1}, {1, 0, -1}, {0, 0, 1}}));
  ASSERT_EQ(found.size(), 1U);
  std::vector<std::uint32_t> rows = found[0].others;
  rows.push_back(found[0].row);
  std::sort(rows.begin(), rows.end());
  EXPECT_EQ(rows, (std::vector<std::uint32_t>{0, 1, 2}));
}

TEST(Dependencies, WhatCanHaveAnyValueDependsOnNothing) {
  ResidueMatrix matrix = matrix_of({{1, -1}, {1, -1}});
  matrix.rows[1][1].value = Residue::any(1);
  EXPECT_TRUE(dependencies(matrix).empty());
  matrix.rows[0][1].value = Residue::any(1);
  EXPECT_EQ(dependencies(matrix).size(), 1U);
}

TEST(Dependencies, AreAsManyAsRanksAreLess) {
  Random random(5);
  for (int round = 0; round < 3000; ++round) {
    const std::uint32_t size = 1 + draw(random, 7), columns = 1 + draw(random, 7), density = 10 + draw(random, 60);
    Numbers rows(size, std::vector<double>(columns));
    for (std::vector<double>& row : rows) {
      for (double& value : row) value = draw(random, 100) < density ? static_cast<double>(draw(random, 5)) - 2 : 0;
    }
    const std::vector<Dependency> found = dependencies(matrix_of(rows));
    ASSERT_EQ(found.size(), size - rank(rows)) << round;
    for (const Dependency& one : found) {
      Numbers with;
      for (const std::uint32_t other : one.others) with.push_back(rows[other]);
      ASSERT_EQ(rank(with), with.size()) << round << ": others depend on each other";
      with.push_back(rows[one.row]);
      ASSERT_EQ(rank(with), with.size() - 1) << round << ": the row does not depend on them";
      // None of them can be left out.
      for (std::size_t i = 0; i < one.others.size(); ++i) {
        Numbers fewer = with;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
        ASSERT_EQ(rank(fewer), fewer.size()) << round;
      }
    }
  }
}

/// A square grid of resistors: the equations of all nodes, and the same with two parts side by side inside.
TEST(Dependencies, LargeGrid) {
  constexpr std::uint32_t kSide = 100;
  ResidueMatrix grid;
  grid.columns = kSide * kSide;
  std::uint64_t key = 0;
  const auto at = [](std::uint32_t i, std::uint32_t j) { return i * kSide + j; };
  std::vector<std::vector<std::pair<std::uint32_t, Residue>>> rows(grid.columns);
  const auto join = [&](std::uint32_t a, std::uint32_t b) {
    const Residue value = Residue::any(++key);
    for (const auto& [own, other] : {std::pair(a, b), std::pair(b, a)}) {
      rows[own].emplace_back(own, value);
      rows[own].emplace_back(other, Residue() - value);
    }
  };
  for (std::uint32_t i = 0; i < kSide; ++i) {
    for (std::uint32_t j = 0; j < kSide; ++j) {
      if (i + 1 < kSide) join(at(i, j), at(i + 1, j));
      if (j + 1 < kSide) join(at(i, j), at(i, j + 1));
    }
  }
  for (std::uint32_t i = 0; i < grid.columns; ++i) {
    std::vector<ResidueMatrix::Entry>& entries = grid.rows.emplace_back();
    for (const auto& [column, value] : rows[i]) {
      const auto found = std::find_if(entries.begin(), entries.end(),
                                      [&, c = column](const ResidueMatrix::Entry& entry) { return entry.column == c; });
      if (found == entries.end()) {
        entries.push_back({column, value});
      } else {
        found->value = found->value + value;
      }
    }
  }
  // All potentials can move together.
  const std::vector<Dependency> found = dependencies(grid);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].others.size(), grid.columns - 1);
  grid.rows[0][0].value = grid.rows[0][0].value + Residue::any(++key);  // a resistor to the ground
  EXPECT_TRUE(dependencies(grid).empty());
}

}  // namespace
}  // namespace hyla::structure
