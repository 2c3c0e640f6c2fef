#include "solve/nonlinear.h"

#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace hyla::solve {
namespace {

using Vector = std::vector<double>;

/// Equations with a Jacobian written by hand; checked against differences in `check`.
class Equations final : public Residuals {
 public:
  using Function = std::function<void(const double*, double*)>;
  Equations(std::size_t size, Function values, Function jacobian, bool linear = false)
      : size_(size), values_(std::move(values)), jacobian_(std::move(jacobian)), linear_(linear) {}
  std::size_t size() const override { return size_; }
  bool linear() const override { return linear_; }
  Evaluation evaluate(const double* x, double* residuals) override {
    ++evaluations;
    values_(x, residuals);
    return Evaluation::Good;
  }
  Evaluation jacobian(const double* x, double* jacobian) override {
    std::fill(jacobian, jacobian + size_ * size_, 0.0);
    jacobian_(x, jacobian);
    return Evaluation::Good;
  }
  int evaluations = 0;

 private:
  std::size_t size_;
  Function values_, jacobian_;
  bool linear_;
};

double largest_residual(Equations& equations, const Vector& x) {
  Vector residuals(x.size());
  equations.evaluate(x.data(), residuals.data());
  double largest = 0;
  for (const double r : residuals) largest = std::fabs(r) <= largest ? largest : std::fabs(r);
  return largest;
}

void check_jacobian(Equations& equations, const Vector& x) {
  const std::size_t n = x.size();
  Vector jacobian(n * n), high(n), low(n);
  equations.jacobian(x.data(), jacobian.data());
  for (std::size_t j = 0; j < n; ++j) {
    Vector moved = x;
    const double h = 1e-6 * (1 + std::fabs(x[j]));
    moved[j] = x[j] + h;
    equations.evaluate(moved.data(), high.data());
    moved[j] = x[j] - h;
    equations.evaluate(moved.data(), low.data());
    for (std::size_t i = 0; i < n; ++i) {
      const double slope = (high[i] - low[i]) / (2 * h);
      EXPECT_NEAR(jacobian[i * n + j], slope, 1e-4 * (1 + std::fabs(slope))) << i << ' ' << j;
    }
  }
}

/// Solves and returns the solution; fails the test if there is none.
Vector solved(Equations& equations, Vector x, double residual = 1e-9) {
  check_jacobian(equations, x);
  NonlinearSolver solver;
  EXPECT_EQ(solver.solve(equations, x.data(), {}), Solved::Good);
  EXPECT_LE(largest_residual(equations, x), residual);
  return x;
}

Equations linear_system(const Vector& matrix, const Vector& right) {
  const std::size_t n = right.size();
  return {n,
          [=](const double* x, double* r) {
            for (std::size_t i = 0; i < n; ++i) {
              r[i] = -right[i];
              for (std::size_t j = 0; j < n; ++j) r[i] += matrix[i * n + j] * x[j];
            }
          },
          [=](const double*, double* j) { std::copy(matrix.begin(), matrix.end(), j); }, true};
}

TEST(Nonlinear, LinearSystems) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (std::size_t n = 1; n <= 30; ++n) {
    Vector matrix(n * n), expected(n), right(n);
    for (double& a : matrix) a = uniform(random);
    for (std::size_t i = 0; i < n; ++i) {
      matrix[i * n + i] += 3;
      expected[i] = uniform(random);
    }
    for (std::size_t i = 0; i < n; ++i) {
      // Equations in very different units.
      const double unit = std::pow(10.0, static_cast<double>(i % 13) - 6);
      for (std::size_t j = 0; j < n; ++j) matrix[i * n + j] *= unit;
      for (std::size_t j = 0; j < n; ++j) right[i] += matrix[i * n + j] * expected[j];
    }
    Equations equations = linear_system(matrix, right);
    Vector x(n, 0.0);
    NonlinearSolver solver;
    ASSERT_EQ(solver.solve(equations, x.data(), {}), Solved::Good);
    EXPECT_EQ(equations.evaluations, 2);
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(x[i], expected[i], 1e-12);
  }
}

TEST(Nonlinear, SingularLinearSystems) {
  NonlinearSolver solver;
  Vector x(3, 0.0);
  Equations dependent = linear_system({1, 2, 0, 2, 4, 0, 0, 0, 1}, {1, 3, 1});
  EXPECT_EQ(solver.solve(dependent, x.data(), {}), Solved::Singular);
  EXPECT_EQ(solver.worst(), 1);
  Equations missing = linear_system({1, 0, 2, 3, 0, 1, 1, 0, 1}, {1, 3, 1});
  EXPECT_EQ(solver.solve(missing, x.data(), {}), Solved::Singular);
  EXPECT_EQ(solver.worst(), 1);
  // Rank two up to rounding.
  Equations nearly = linear_system({1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 1, 1});
  EXPECT_EQ(solver.solve(nearly, x.data(), {}), Solved::Singular);
}

TEST(Nonlinear, RoundingIsToldFromSingularity) {
  // Differences of large numbers: the value is a multiple of 2^-33 less 5e-11, so its zero is met to 5e-11 at best.
  const auto value = [](const double* x, double* r) { r[0] = ((x[0] - 1) + 1e6) - 1e6 - 5e-11; };
  Equations rough(
      1, value, [](const double*, double* j) { j[0] = 1; }, true);
  NonlinearSolver solver;
  for (const double start : {1 + 1e-9, 0.0, -1.0}) {
    double x = start;
    EXPECT_EQ(solver.solve(rough, &x, {}), Solved::Good) << start;
    EXPECT_NEAR(x, 1, 2e-10);
    NonlinearSettings settings;
    settings.most_lost = 1e-11;
    x = start;
    EXPECT_EQ(solver.solve(rough, &x, settings), Solved::Singular) << start;
  }
}

TEST(Nonlinear, DependentNonlinearEquationsAreSingular) {
  Equations equations(
      2, [](const double* x, double* r) { r[0] = x[0] * x[1] - 1, r[1] = 2 * x[0] * x[1] - 3; },
      [](const double* x, double* j) { j[0] = x[1], j[1] = x[0], j[2] = 2 * x[1], j[3] = 2 * x[0]; });
  Vector x = {1, 2};
  NonlinearSolver solver;
  EXPECT_EQ(solver.solve(equations, x.data(), {}), Solved::Singular);
}

TEST(Nonlinear, GoodStartTakesFewEvaluations) {
  Equations equations(
      1, [](const double* x, double* r) { r[0] = std::exp(x[0]) - 2; },
      [](const double* x, double* j) { j[0] = std::exp(x[0]); });
  Vector x = {std::log(2.0) + 1e-4};
  NonlinearSolver solver;
  EXPECT_EQ(solver.solve(equations, x.data(), {}), Solved::Good);
  EXPECT_NEAR(x[0], std::log(2.0), 1e-15);
  EXPECT_LE(equations.evaluations, 3);
}

TEST(Nonlinear, SingularStartIsLeft) {
  Equations square(
      1, [](const double* x, double* r) { r[0] = x[0] * x[0] - 4; },
      [](const double* x, double* j) { j[0] = 2 * x[0]; });
  Vector x = {0};
  NonlinearSolver solver;
  EXPECT_EQ(solver.solve(square, x.data(), {}), Solved::Good);
  EXPECT_NEAR(std::fabs(x[0]), 2, 1e-12);
}

TEST(Nonlinear, UndefinedStart) {
  Equations close(
      1, [](const double* x, double* r) { r[0] = std::log(x[0]) - 1; },
      [](const double* x, double* j) { j[0] = 1 / x[0]; });
  Vector x = {0};
  NonlinearSolver solver;
  EXPECT_EQ(solver.solve(close, x.data(), {}), Solved::Good);
  EXPECT_NEAR(x[0], std::exp(1.0), 1e-11);
  x[0] = -5;
  EXPECT_EQ(solver.solve(close, x.data(), {}), Solved::Undefined);
}

TEST(Nonlinear, NoSolution) {
  Equations equations(
      1, [](const double* x, double* r) { r[0] = x[0] * x[0] + 1; },
      [](const double* x, double* j) { j[0] = 2 * x[0]; });
  Vector x = {3};
  NonlinearSolver solver;
  EXPECT_EQ(solver.solve(equations, x.data(), {}), Solved::NotFound);
  EXPECT_GT(solver.work().homotopies, 0);
  EXPECT_LT(equations.evaluations, 20000);
}

TEST(Nonlinear, GradientOfRosenbrock) {
  Equations equations(
      2,
      [](const double* x, double* r) {
        r[0] = -2 * (1 - x[0]) - 400 * x[0] * (x[1] - x[0] * x[0]);
        r[1] = 200 * (x[1] - x[0] * x[0]);
      },
      [](const double* x, double* j) {
        j[0] = 2 - 400 * (x[1] - 3 * x[0] * x[0]), j[1] = j[2] = -400 * x[0], j[3] = 200;
      });
  const Vector x = solved(equations, {-1.2, 1});
  EXPECT_NEAR(x[0], 1, 1e-12);
  EXPECT_NEAR(x[1], 1, 1e-12);
}

TEST(Nonlinear, PowellSingular) {
  const double root5 = std::sqrt(5.0), root10 = std::sqrt(10.0);
  Equations equations(
      4,
      [=](const double* x, double* r) {
        r[0] = x[0] + 10 * x[1], r[1] = root5 * (x[2] - x[3]);
        r[2] = std::pow(x[1] - 2 * x[2], 2), r[3] = root10 * std::pow(x[0] - x[3], 2);
      },
      [=](const double* x, double* j) {
        j[0] = 1, j[1] = 10, j[6] = root5, j[7] = -root5;
        j[9] = 2 * (x[1] - 2 * x[2]), j[10] = -4 * (x[1] - 2 * x[2]);
        j[12] = 2 * root10 * (x[0] - x[3]), j[15] = -2 * root10 * (x[0] - x[3]);
      });
  const Vector x = solved(equations, {3, -1, 0, 1});
  for (const double value : x) EXPECT_NEAR(value, 0, 1e-6);
}

TEST(Nonlinear, FreudensteinRoth) {
  Equations equations(
      2,
      [](const double* x, double* r) {
        r[0] = -13 + x[0] + ((5 - x[1]) * x[1] - 2) * x[1];
        r[1] = -29 + x[0] + ((x[1] + 1) * x[1] - 14) * x[1];
      },
      [](const double* x, double* j) {
        j[0] = j[2] = 1;
        j[1] = 10 * x[1] - 3 * x[1] * x[1] - 2, j[3] = 3 * x[1] * x[1] + 2 * x[1] - 14;
      });
  const Vector x = solved(equations, {0.5, -2});
  EXPECT_NEAR(x[0], 5, 1e-9);
  EXPECT_NEAR(x[1], 4, 1e-9);
}

TEST(Nonlinear, BrownAlmostLinear) {
  for (const std::size_t n : {5U, 10U, 20U}) {
    Equations equations(
        n,
        [=](const double* x, double* r) {
          double sum = 0, product = 1;
          for (std::size_t i = 0; i < n; ++i) sum += x[i], product *= x[i];
          for (std::size_t i = 0; i + 1 < n; ++i) r[i] = x[i] + sum - static_cast<double>(n + 1);
          r[n - 1] = product - 1;
        },
        [=](const double* x, double* j) {
          for (std::size_t i = 0; i + 1 < n; ++i) {
            for (std::size_t k = 0; k < n; ++k) j[i * n + k] = i == k ? 2 : 1;
          }
          for (std::size_t k = 0; k < n; ++k) {
            double product = 1;
            for (std::size_t i = 0; i < n; ++i) product *= i == k ? 1 : x[i];
            j[(n - 1) * n + k] = product;
          }
        });
    solved(equations, Vector(n, 0.5));
  }
}

TEST(Nonlinear, BroydenTridiagonal) {
  const std::size_t n = 40;
  Equations equations(
      n,
      [=](const double* x, double* r) {
        for (std::size_t i = 0; i < n; ++i) {
          r[i] = (3 - 2 * x[i]) * x[i] - (i > 0 ? x[i - 1] : 0) - 2 * (i + 1 < n ? x[i + 1] : 0) + 1;
        }
      },
      [=](const double* x, double* j) {
        for (std::size_t i = 0; i < n; ++i) {
          j[i * n + i] = 3 - 4 * x[i];
          if (i > 0) j[i * n + i - 1] = -1;
          if (i + 1 < n) j[i * n + i + 1] = -2;
        }
      });
  solved(equations, Vector(n, -1.0));
}

TEST(Nonlinear, DiodeAtHighVoltage) {
  // A source, a resistor and a diode: the exponent overflows after the first full step.
  for (const double source : {0.1, 1.0, 5.0, 24.0, 400.0, -400.0}) {
    Equations equations(
        2,
        [=](const double* x, double* r) {
          r[0] = x[0] - 1e-12 * std::expm1(x[1] / 0.025);
          r[1] = source - 100 * x[0] - x[1];
        },
        [](const double* x, double* j) {
          j[0] = 1, j[1] = -1e-12 / 0.025 * std::exp(x[1] / 0.025), j[2] = -100, j[3] = -1;
        });
    const Vector x = solved(equations, {0, 0}, 1e-9);
    EXPECT_NEAR(100 * x[0] + x[1], source, 1e-9);
    EXPECT_LT(x[1], 0.8);
  }
  // Two in series, from a bad guess.
  Equations series(
      2,
      [](const double* x, double* r) {
        r[0] = 1e-12 * std::expm1(x[0] / 0.025) - 1e-9 * std::expm1(x[1] / 0.05);
        r[1] = 1e-12 * std::expm1(x[0] / 0.025) * 100 + x[0] + x[1] - 12;
      },
      [](const double* x, double* j) {
        j[0] = 4e-11 * std::exp(x[0] / 0.025), j[1] = -2e-8 * std::exp(x[1] / 0.05);
        j[2] = 4e-9 * std::exp(x[0] / 0.025) + 1, j[3] = 1;
      });
  solved(series, {0.9, 0.1}, 1e-8);
}

TEST(Nonlinear, SaturatingLoops) {
  // From any start one of the three solutions of x = 5 tanh(x), or the only one with an offset.
  for (double start = -40; start <= 40; start += 0.37) {
    Equations plain(
        1, [](const double* x, double* r) { r[0] = x[0] - 5 * std::tanh(x[0]); },
        [](const double* x, double* j) { j[0] = 1 - 5 / std::pow(std::cosh(x[0]), 2); });
    Vector x = {start};
    NonlinearSolver solver;
    EXPECT_EQ(solver.solve(plain, x.data(), {}), Solved::Good) << start;
    EXPECT_LE(largest_residual(plain, x), 1e-10);
    Equations steep(
        1, [](const double* y, double* r) { r[0] = y[0] - 2 + 5 * std::tanh(20 * (y[0] - 1)); },
        [](const double* y, double* j) { j[0] = 1 + 100 / std::pow(std::cosh(20 * (y[0] - 1)), 2); });
    Vector y = {start};
    EXPECT_EQ(solver.solve(steep, y.data(), {}), Solved::Good) << start;
    EXPECT_LE(largest_residual(steep, y), 1e-10);
  }
  // Newton's method alone runs away from arctangent.
  Equations arctangent(
      1, [](const double* x, double* r) { r[0] = std::atan(x[0] - 1); },
      [](const double* x, double* j) { j[0] = 1 / (1 + (x[0] - 1) * (x[0] - 1)); });
  EXPECT_NEAR(solved(arctangent, {30})[0], 1, 1e-12);
}

TEST(Nonlinear, HomotopyPassesTurns) {
  // The curve from the start to the only solution has two turning points in s; damped steps end in the local minimum.
  Equations cubic(
      1, [](const double* x, double* r) { r[0] = x[0] * x[0] * x[0] - 3 * x[0] + 3; },
      [](const double* x, double* j) { j[0] = 3 * x[0] * x[0] - 3; });
  NonlinearSettings settings;
  Vector x = {2};
  NonlinearSolver solver;
  EXPECT_EQ(solver.solve(cubic, x.data(), settings), Solved::Good);
  EXPECT_NEAR(x[0], -2.1038034027355366, 1e-12);
}

TEST(Nonlinear, NominalsGiveTheUnits) {
  // An unknown of 1e-9: a tolerance relative to 1 would take zero for a solution.
  Equations tiny(
      1, [](const double* x, double* r) { r[0] = 1e18 * x[0] * x[0] - 4; },
      [](const double* x, double* j) { j[0] = 2e18 * x[0]; });
  Vector x = {1e-10};
  const double nominal = 1e-9;
  NonlinearSettings settings;
  settings.nominals = &nominal;
  NonlinearSolver solver;
  EXPECT_EQ(solver.solve(tiny, x.data(), settings), Solved::Good);
  EXPECT_NEAR(x[0], 2e-9, 1e-20);
}

/// (x - 1) (x + 3) = 0: the limits decide which solution is found, and without one between them there is none.
TEST(Nonlinear, LimitsChooseTheSolution) {
  Equations two(
      1, [](const double* x, double* r) { r[0] = (x[0] - 1) * (x[0] + 3); },
      [](const double* x, double* j) { j[0] = 2 * x[0] + 2; });
  NonlinearSettings settings;
  NonlinearSolver solver;
  const auto solve = [&](double start, double least, double most) {
    settings.least = &least;
    settings.most = &most;
    Vector x = {start};
    return solver.solve(two, x.data(), settings) == Solved::Good ? x[0] : NAN;
  };
  EXPECT_NEAR(solve(-1.1, 0, 10), 1, 1e-12);
  EXPECT_NEAR(solve(-1.1, -10, 0), -3, 1e-12);
  settings.is_local = true;
  EXPECT_TRUE(std::isnan(solve(5, 2, 10)));
}

TEST(Nonlinear, RandomSystemsWithAKnownSolution) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  NonlinearSolver solver;
  int good = 0;
  for (int number = 0; number < 300; ++number) {
    const auto n = static_cast<std::size_t>(1 + number % 8);
    Vector a(n * n), solution(n), x(n);
    for (double& value : a) value = normal(random);
    for (std::size_t i = 0; i < n; ++i) a[i * n + i] += 4;
    for (std::size_t i = 0; i < n; ++i) solution[i] = normal(random), x[i] = solution[i] + 3 * normal(random);
    const auto at = [&](const double* y, std::size_t i) {
      double value = 0;
      for (std::size_t j = 0; j < n; ++j) value += a[i * n + j] * (y[j] + 0.8 * std::sin(y[j]));
      return value;
    };
    Vector right(n);
    for (std::size_t i = 0; i < n; ++i) right[i] = at(solution.data(), i);
    Equations equations(
        n,
        [&](const double* y, double* r) {
          for (std::size_t i = 0; i < n; ++i) r[i] = at(y, i) - right[i];
        },
        [&](const double* y, double* j) {
          for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t k = 0; k < n; ++k) j[i * n + k] = a[i * n + k] * (1 + 0.8 * std::cos(y[k]));
          }
        });
    if (solver.solve(equations, x.data(), {}) != Solved::Good) continue;
    ++good;
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(x[i], solution[i], 1e-8);
  }
  EXPECT_EQ(good, 300);
}

}  // namespace
}  // namespace hyla::solve
