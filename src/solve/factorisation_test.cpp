#include "solve/factorisation.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "solve/step_matrix.h"
#include "solve/test_systems.h"

namespace hyla::solve {
namespace {

/// A matrix with random entries in a pattern, kept densely as well, so that solutions can be checked.
struct RandomMatrix {
  Pattern pattern;
  std::vector<double> dense;

  RandomMatrix(const Pattern& of, std::mt19937& random) : pattern(of), dense(of.size * of.size) {
    std::uniform_real_distribution<double> uniform(-1, 1);
    for_each([&](std::size_t row, std::size_t column) { dense[row * pattern.size + column] = uniform(random); });
  }

  template <class F>
  void for_each(F&& f) const {
    for (std::size_t column = 0; column < pattern.size; ++column) {
      for (auto at = static_cast<std::size_t>(pattern.starts[column]);
           at < static_cast<std::size_t>(pattern.starts[column + 1]); ++at) {
        f(static_cast<std::size_t>(pattern.rows[at]), column);
      }
    }
  }

  bool factorise(Factorisation& factorisation) const {
    double* values = factorisation.clear();
    for_each([&](std::size_t row, std::size_t column) {
      values[factorisation.place(row, column)] = dense[row * pattern.size + column];
    });
    return factorisation.factorise();
  }

  /// The largest residual of A x = b, relative to the largest of |A| |x|.
  double residual(const std::vector<double>& x, const std::vector<double>& b) const {
    double most = 0, largest = 1;
    for (std::size_t i = 0; i < pattern.size; ++i) {
      double sum = -b[i], size = std::fabs(b[i]);
      for (std::size_t j = 0; j < pattern.size; ++j) {
        sum += dense[i * pattern.size + j] * x[j];
        size += std::fabs(dense[i * pattern.size + j] * x[j]);
      }
      most = std::max(most, std::fabs(sum));
      largest = std::max(largest, size);
    }
    return most / largest;
  }
};

/// An arrow: the diagonal, and the last row and column.
Pattern arrow_pattern(std::size_t n) {
  Pattern pattern{.size = n, .starts = {0}, .rows = {}};
  for (std::size_t column = 0; column < n; ++column) {
    for (std::size_t row = 0; row < n; ++row) {
      if (row == column || row + 1 == n || column + 1 == n) pattern.rows.push_back(static_cast<std::int32_t>(row));
    }
    pattern.starts.push_back(static_cast<std::int32_t>(pattern.rows.size()));
  }
  return pattern;
}

void expect_solved(const Pattern& pattern, MatrixKind kind) {
  std::mt19937 random(7);
  const std::unique_ptr<Factorisation> factorisation = make_factorisation(pattern, kind);
  for (int i = 0; i < 20; ++i) {
    const RandomMatrix matrix(pattern, random);
    ASSERT_TRUE(matrix.factorise(*factorisation));
    std::vector<double> b(pattern.size);
    for (std::size_t j = 0; j < b.size(); ++j) b[j] = std::sin(static_cast<double>(j + 1));
    std::vector<double> x = b;
    factorisation->solve(x.data());
    EXPECT_LT(matrix.residual(x, b), 1e-12) << pattern.size;

    std::vector<std::uint32_t> variables(b.size());
    std::iota(variables.begin(), variables.end(), 0U);
    std::shuffle(variables.begin(), variables.end(), random);
    std::vector<double> in_order(b.size()), work(b.size());
    for (std::size_t row = 0; row < b.size(); ++row) in_order[variables[row]] = b[row];
    factorisation->solve_in_order(in_order.data(), variables.data(), b.size(), work.data());
    for (std::size_t row = 0; row < b.size(); ++row) EXPECT_EQ(in_order[variables[row]], x[row]);
  }
}

TEST(Factorisation, SolvesDenseMatrices) {
  for (const std::size_t n : {0, 1, 2, 3, 5, 17}) {
    expect_solved(dense_pattern(n), MatrixKind::Dense);
    expect_solved(dense_pattern(n), MatrixKind::Banded);
    if (n > 0) expect_solved(dense_pattern(n), MatrixKind::Sparse);
  }
}

TEST(Factorisation, SolvesBandedMatrices) {
  for (const std::size_t n : {1, 2, 3, 4, 7, 10, 40, 41}) {
    for (const std::size_t below : {0, 1, 2, 3}) {
      for (const std::size_t above : {0, 1, 2, 3}) {
        expect_solved(banded_pattern(n, below, above), MatrixKind::Dense);
        expect_solved(banded_pattern(n, below, above), MatrixKind::Banded);
        expect_solved(banded_pattern(n, below, above), MatrixKind::Sparse);
      }
    }
  }
}

TEST(Factorisation, SolvesSparseMatrices) { expect_solved(arrow_pattern(60), MatrixKind::Sparse); }

TEST(Factorisation, FindsSingularMatrices) {
  for (const MatrixKind kind : {MatrixKind::Dense, MatrixKind::Banded, MatrixKind::Sparse}) {
    const std::unique_ptr<Factorisation> factorisation = make_factorisation(dense_pattern(2), kind);
    double* values = factorisation->clear();
    values[factorisation->place(0, 0)] = values[factorisation->place(1, 0)] = 1;
    values[factorisation->place(0, 1)] = values[factorisation->place(1, 1)] = 2;
    EXPECT_FALSE(factorisation->factorise());
    values = factorisation->clear();
    EXPECT_FALSE(factorisation->factorise());
    values = factorisation->clear();
    values[factorisation->place(0, 1)] = values[factorisation->place(1, 0)] = 2;
    ASSERT_TRUE(factorisation->factorise());
    double b[2] = {4, 6};
    factorisation->solve(b);
    EXPECT_EQ(b[0], 3);
    EXPECT_EQ(b[1], 2);
  }
}

TEST(Factorisation, GivesUpPivotsThatBecomeBad) {
  const std::unique_ptr<Factorisation> factorisation = make_factorisation(dense_pattern(2), MatrixKind::Sparse);
  for (const double corner : {1e3, 1e-18, 1e3}) {
    double* values = factorisation->clear();
    values[factorisation->place(0, 0)] = corner;
    values[factorisation->place(0, 1)] = 1;
    values[factorisation->place(1, 0)] = 1;
    values[factorisation->place(1, 1)] = 1;
    ASSERT_TRUE(factorisation->factorise());
    double b[2] = {corner + 2, 3};  // x = (1, 2)
    factorisation->solve(b);
    EXPECT_NEAR(b[0], 1, 1e-12);
    EXPECT_NEAR(b[1], 2, 1e-12);
  }
}

TEST(Factorisation, ChoosesByPattern) {
  EXPECT_EQ(best_kind(dense_pattern(5)), MatrixKind::Dense);
  EXPECT_EQ(best_kind(dense_pattern(30)), MatrixKind::Dense);
  EXPECT_EQ(best_kind(banded_pattern(100, 2, 2)), MatrixKind::Banded);
  EXPECT_EQ(best_kind(arrow_pattern(300)), MatrixKind::Sparse);
}

TEST(StepMatrix, PutsTheShiftOnDifferentialRows) {
  // J has no diagonal at all: y0' = y1, 0 = y0 - y1 with the entries (0, 1) and (1, 0), (1, 1).
  const Pattern pattern{.size = 2, .starts = {0, 1, 3}, .rows = {1, 0, 1}};
  const std::uint8_t algebraic[2] = {0, 1};
  StepMatrix matrix;
  matrix.analyse(pattern, algebraic);
  const double entries[3] = {1, 1, -1};
  ASSERT_TRUE(matrix.factorise(entries, 10));
  // (10, -1; -1, 1) x = (8, 1) has the solution (1, 2).
  double b[2] = {8, 1};
  matrix.solve(b);
  EXPECT_NEAR(b[0], 1, 1e-14);
  EXPECT_NEAR(b[1], 2, 1e-14);
  matrix.analyse(pattern, nullptr);
  ASSERT_TRUE(matrix.factorise(entries, 10));
  double c[2] = {8, 21};  // (10, -1; -1, 11)
  matrix.solve(c);
  EXPECT_NEAR(c[0], 1, 1e-14);
  EXPECT_NEAR(c[1], 2, 1e-14);
}

}  // namespace
}  // namespace hyla::solve
