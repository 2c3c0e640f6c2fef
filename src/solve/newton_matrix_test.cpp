// Large systems: sparse Jacobians in Newton's method, against closed forms and against the dense solver.
#include "solve/newton_matrix.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "solve/nonlinear.h"
#include "solve/pattern_maker.h"

namespace hyla::solve {
namespace {

/// -x[i-1] + 2 x[i] - x[i+1] + bend * (x[i]^3 - x[i]) = h^2, zero at both ends.
class Chain : public Residuals {
 public:
  Chain(std::size_t size, double bend, bool sparse) : size_(size), bend_(bend) {
    PatternMaker maker;
    for (std::uint32_t i = 0; i < size; ++i) {
      if (i > 0) maker.add(i - 1, i);
      maker.add(i, i);
      maker.add(i, i);
      if (i + 1 < size) maker.add(i + 1, i);
    }
    pattern_ = maker.make(size);
    is_sparse_ = sparse;
  }

  std::size_t size() const override { return size_; }
  const Pattern* pattern() const override { return is_sparse_ ? &pattern_ : nullptr; }
  bool linear() const override { return bend_ == 0; }
  Evaluation evaluate(const double* x, double* residuals) override {
    const double h = 1 / static_cast<double>(size_ + 1);
    for (std::size_t i = 0; i < size_; ++i) {
      const double left = i > 0 ? x[i - 1] : 0, right = i + 1 < size_ ? x[i + 1] : 0;
      residuals[i] = 2 * x[i] - left - right + bend_ * (x[i] * x[i] * x[i] - x[i]) - h * h;
    }
    return Evaluation::Good;
  }
  Evaluation jacobian(const double* x, double* jacobian) override {
    ++jacobians;
    std::size_t entry = 0;
    for (std::size_t j = 0; j < size_; ++j) {
      for (std::size_t i = 0; i < size_; ++i) {
        const bool is_near = i + 1 >= j && i <= j + 1;
        const double value = i == j ? 2 + bend_ * (3 * x[i] * x[i] - 1) : is_near ? -1 : 0;
        if (!is_sparse_) jacobian[i * size_ + j] = value;
        if (is_sparse_ && is_near) jacobian[entry++] = value;
      }
    }
    return Evaluation::Good;
  }
  int jacobians = 0;

 private:
  std::size_t size_;
  double bend_;
  bool is_sparse_ = false;
  Pattern pattern_;
};

TEST(NewtonMatrix, LinearChainsAreSolvedExactly) {
  constexpr std::size_t kSize = 999;
  Chain chain(kSize, 0, true);
  NonlinearSolver solver;
  std::vector<double> x(kSize);
  ASSERT_EQ(solver.solve(chain, x.data(), {}), Solved::Good);
  for (std::size_t i = 0; i < kSize; ++i) {
    const double s = static_cast<double>(i + 1) / static_cast<double>(kSize + 1);
    EXPECT_NEAR(x[i], s * (1 - s) / 2, 1e-12);
  }
}

TEST(NewtonMatrix, NonlinearChainsAreThoseOfTheDenseSolver) {
  constexpr std::size_t kSize = 60;
  for (const double bend : {0.1, 1.0, 5.0}) {
    Chain sparse(kSize, bend, true), dense(kSize, bend, false);
    NonlinearSolver solver;
    std::vector<double> x(kSize, 3), y(kSize, 3);
    ASSERT_EQ(solver.solve(sparse, x.data(), {}), Solved::Good);
    ASSERT_EQ(solver.solve(dense, y.data(), {}), Solved::Good);
    for (std::size_t i = 0; i < kSize; ++i) EXPECT_NEAR(x[i], y[i], 1e-11) << bend;
  }
}

/// The sum of all unknowns stays open.
class Ring : public Residuals {
 public:
  explicit Ring(std::size_t size) : size_(size) {
    PatternMaker maker;
    for (std::uint32_t i = 0; i < size; ++i) {
      maker.add(i, i);
      maker.add(i, static_cast<std::uint32_t>((i + 1) % size));
    }
    pattern_ = maker.make(size);
  }
  std::size_t size() const override { return size_; }
  const Pattern* pattern() const override { return &pattern_; }
  bool linear() const override { return true; }
  Evaluation evaluate(const double* x, double* residuals) override {
    for (std::size_t i = 0; i < size_; ++i) residuals[i] = x[i] - x[(i + 1) % size_];
    return Evaluation::Good;
  }
  Evaluation jacobian(const double* /*x*/, double* jacobian) override {
    for (std::size_t j = 0; j < size_; ++j) {
      for (auto k = static_cast<std::size_t>(pattern_.starts[j]); k < static_cast<std::size_t>(pattern_.starts[j + 1]);
           ++k) {
        jacobian[k] = static_cast<std::size_t>(pattern_.rows[k]) == j ? 1 : -1;
      }
    }
    return Evaluation::Good;
  }

 private:
  std::size_t size_;
  Pattern pattern_;
};

TEST(NewtonMatrix, SingularSystemsAreNoticed) {
  Ring ring(200);
  NonlinearSolver solver;
  std::vector<double> x(200, 1.5);
  x[7] = 2;
  EXPECT_EQ(solver.solve(ring, x.data(), {}), Solved::Singular);
  EXPECT_LT(solver.worst(), 200U);
}

/// Equations whose best pivots depend on a parameter.
class Turning : public Residuals {
 public:
  explicit Turning(std::size_t size) : size_(size) {
    PatternMaker maker;
    for (std::uint32_t i = 0; i < size; ++i) {
      for (const std::uint32_t k : {0U, 1U, 7U}) maker.add(i, static_cast<std::uint32_t>((i * 5 + k) % size));
      maker.add(i, i);
    }
    pattern_ = maker.make(size);
  }
  std::size_t size() const override { return size_; }
  const Pattern* pattern() const override { return &pattern_; }
  Evaluation evaluate(const double* x, double* residuals) override {
    for (std::size_t i = 0; i < size_; ++i) residuals[i] = -1;
    each([&](std::size_t row, std::size_t column, std::size_t /*entry*/, double factor) {
      residuals[row] += factor * (x[column] + 0.01 * x[column] * x[column]);
    });
    return Evaluation::Good;
  }
  Evaluation jacobian(const double* x, double* jacobian) override {
    each([&](std::size_t /*row*/, std::size_t column, std::size_t entry, double factor) {
      jacobian[entry] = factor * (1 + 0.02 * x[column]);
    });
    return Evaluation::Good;
  }
  double angle = 0;

 private:
  template <class Visit>
  void each(Visit&& visit) {
    for (std::size_t j = 0; j < size_; ++j) {
      for (auto k = static_cast<std::size_t>(pattern_.starts[j]); k < static_cast<std::size_t>(pattern_.starts[j + 1]);
           ++k) {
        const auto row = static_cast<std::size_t>(pattern_.rows[k]);
        visit(row, j, k, (row == j ? 3 : 0) + std::sin(angle * static_cast<double>(k) + static_cast<double>(row * j)));
      }
    }
  }

  std::size_t size_;
  Pattern pattern_;
};

/// A run that is recorded, or taken up from a checkpoint, has solved other systems before.
TEST(NewtonMatrix, WhatWasSolvedBeforeLeavesNoTrace) {
  constexpr std::size_t kSize = 100;
  Turning system(kSize);
  NonlinearSolver old;
  for (int i = 0; i < 20; ++i) {
    system.angle = 0.1 * i;
    std::vector<double> x(kSize, 0.5), y(kSize, 0.5);
    NonlinearSolver fresh;
    ASSERT_EQ(old.solve(system, x.data(), {}), Solved::Good);
    ASSERT_EQ(fresh.solve(system, y.data(), {}), Solved::Good);
    EXPECT_EQ(x, y) << i;
  }
}

TEST(NewtonMatrix, OneSolverKeepsManySystemsApart) {
  NonlinearSolver solver;
  Chain small(5, 0, true), large(50, 0, true);
  for (int i = 0; i < 3; ++i) {
    for (Chain* chain : {&small, &large}) {
      std::vector<double> x(chain->size());
      ASSERT_EQ(solver.solve(*chain, x.data(), {}), Solved::Good);
      const double s = 1 / static_cast<double>(chain->size() + 1);
      EXPECT_NEAR(x[0], s * (1 - s) / 2, 1e-14);
    }
  }
}

}  // namespace
}  // namespace hyla::solve
