#include "solve/rosenbrock.h"

#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "solve/test_systems.h"

namespace hyla::solve {
namespace {

class RosenbrockTest : public testing::Test {
 protected:
  Settings settings(std::size_t size, double tolerance) {
    tolerances.assign(size, tolerance);
    Settings settings;
    settings.relative_tolerance = tolerance;
    settings.absolute_tolerances = tolerances.data();
    return settings;
  }

  Vector run(Method method, TestSystem& system, double tolerance) {
    integrator = make_integrator(method);
    integrator->start(system, 0, system.start.data(), settings(system.size(), tolerance));
    while (integrator->end() < system.last_time) {
      const StepStatus status = integrator->step(system.last_time);
      EXPECT_EQ(status, StepStatus::Good);
      if (status != StepStatus::Good) break;
    }
    return Vector(integrator->state(), integrator->state() + system.size());
  }

  std::unique_ptr<Integrator> integrator;
  Vector tolerances;
};

TEST_F(RosenbrockTest, AgreesWithAnExplicitMethodOnASparseSystem) {
  TestSystem system = hub_system(200);
  const Vector expected = run(Method::Rk8, system, 1e-11), y = run(Method::Rosenbrock, system, 1e-9);
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], expected[i], 1e-8) << i;
}

TEST_F(RosenbrockTest, KeepsTheJacobianAfterARejection) {
  TestSystem system = van_der_pol_system(1e-3);
  run(Method::Rosenbrock, system, 1e-5);
  const Work& work = integrator->work();
  EXPECT_GT(work.rejected, 10u);
  EXPECT_EQ(work.jacobians, work.steps);
  EXPECT_EQ(work.factorisations, work.steps + work.rejected);
}

TEST_F(RosenbrockTest, HasItsOrderWithAlgebraicVariables) {
  TestSystem system = algebraic_system();
  double before = 0, order = 0;
  for (const double h : {0.2, 0.1, 0.05}) {
    Rosenbrock method;
    Settings chosen = settings(3, 1e12);
    chosen.first_step = chosen.longest_step = h;
    method.start(system, 0, system.start.data(), chosen, false);
    while (method.end() < 2) ASSERT_EQ(method.step(2), StepStatus::Good);
    double error = 0;
    for (std::size_t i = 0; i < 3; ++i) error = std::max(error, std::fabs(method.state()[i] - system.exact(2)[i]));
    if (before > 0) order = std::log2(before / error);
    before = error;
  }
  EXPECT_GT(order, 4.6);
}

TEST_F(RosenbrockTest, FollowsAlgebraicVariablesThatAreALittleOff) {
  TestSystem system = algebraic_system();
  system.start = {1, 1 + 1e-7, 1 - 1e-7};
  const Vector y = run(Method::Rosenbrock, system, 1e-6);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(y[i], system.exact(2)[i], 1e-5) << i;
}

TEST_F(RosenbrockTest, SaysThatTheMatrixIsSingular) {
  TestSystem system = algebraic_system();
  // Nothing determines the last two variables any more: both residuals are the same.
  system.right_hand_side = [](double, const double* y, double* f) {
    f[0] = -y[0];
    f[1] = f[2] = y[1] + y[2] - 2;
  };
  system.derivatives = [](double, const double*, const auto& set, double*) {
    set(0, 0, -1);
    for (const std::size_t row : {1, 2}) {
      set(row, 1, 1);
      set(row, 2, 1);
    }
  };
  integrator = make_integrator(Method::Rosenbrock);
  integrator->start(system, 0, system.start.data(), settings(3, 1e-6));
  EXPECT_EQ(integrator->step(1), StepStatus::SingularMatrix);
  EXPECT_EQ(integrator->end(), 0);
}

TEST_F(RosenbrockTest, ReportsAJacobianThatIsNoNumber) {
  TestSystem system = linear_system();
  system.derivatives = [](double, const double*, const auto& set, double*) { set(0, 0, std::nan("")); };
  integrator = make_integrator(Method::Rosenbrock);
  integrator->start(system, 0, system.start.data(), settings(1, 1e-6));
  const StepStatus status = integrator->step(1);
  EXPECT_NE(status, StepStatus::Good);
  EXPECT_NE(status, StepStatus::SingularMatrix);
}

TEST_F(RosenbrockTest, TakesAnotherPatternOfTheSameSize) {
  TestSystem dense = heat_system(30), banded = heat_system(30);
  dense.entries = dense_pattern(30);
  integrator = make_integrator(Method::Rosenbrock);
  for (TestSystem* system : {&dense, &banded, &dense}) {
    integrator->start(*system, 0, system->start.data(), settings(30, 1e-7));
    while (integrator->end() < system->last_time) ASSERT_EQ(integrator->step(system->last_time), StepStatus::Good);
    const Vector exact = system->exact(system->last_time);
    for (std::size_t i = 0; i < 30; ++i) EXPECT_NEAR(integrator->state()[i], exact[i], 1e-6);
  }
}

}  // namespace
}  // namespace hyla::solve
