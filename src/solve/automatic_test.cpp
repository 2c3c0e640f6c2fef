#include "solve/automatic.h"

#include <cmath>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "solve/test_systems.h"

namespace hyla::solve {
namespace {

class AutomaticTest : public testing::Test {
 protected:
  Settings settings(const TestSystem& system, double tolerance) {
    tolerances.assign(system.size(), tolerance);
    Settings settings;
    settings.relative_tolerance = tolerance;
    settings.absolute_tolerances = tolerances.data();
    return settings;
  }

  void run_until(double until) {
    while (integrator->end() < until) ASSERT_EQ(integrator->step(until), StepStatus::Good);
  }

  std::unique_ptr<Integrator> integrator = make_integrator(Method::Auto);
  Vector tolerances;
};

TEST_F(AutomaticTest, StaysExplicitWhereThatIsBetter) {
  for (TestSystem system : {circle_system(), forced_system(), logistic_system(), linear_system()}) {
    integrator->start(system, 0, system.start.data(), settings(system, 1e-7));
    run_until(system.last_time);
    EXPECT_EQ(integrator->method(), Method::Auto);
    EXPECT_EQ(integrator->method_now(), Method::Rk45);
    EXPECT_EQ(integrator->work().to_stiff, 0u);
    EXPECT_EQ(integrator->work().jacobians, 0u);
  }
}

TEST_F(AutomaticTest, BecomesImplicitAndStaysSoAfterEvents) {
  TestSystem system = prothero_robinson_system(1e5);
  const Settings chosen = settings(system, 1e-6);
  integrator->start(system, 0, system.start.data(), chosen);
  run_until(1);
  EXPECT_EQ(integrator->method_now(), Method::Rosenbrock);
  EXPECT_EQ(integrator->work().to_stiff, 1u);
  EXPECT_LT(integrator->work().steps, 200u);
  const Vector y(integrator->state(), integrator->state() + 1);
  integrator->start(system, 1, y.data(), chosen, true);
  EXPECT_EQ(integrator->method_now(), Method::Rosenbrock);
  run_until(3);
  EXPECT_NEAR(integrator->state()[0], std::cos(3), 1e-5);
  // A new beginning forgets.
  integrator->start(system, 0, system.start.data(), chosen);
  EXPECT_EQ(integrator->method_now(), Method::Rk45);
}

TEST_F(AutomaticTest, ComesBackWhenTheSystemIsNoLongerStiff) {
  TestSystem stiff = prothero_robinson_system(1e5), easy = prothero_robinson_system(1);
  const Settings chosen = settings(stiff, 1e-7);
  integrator->start(stiff, 0, stiff.start.data(), chosen);
  run_until(1);
  ASSERT_EQ(integrator->method_now(), Method::Rosenbrock);
  const Vector y(integrator->state(), integrator->state() + 1);
  integrator->start(easy, 1, y.data(), chosen, true);
  run_until(20);
  EXPECT_EQ(integrator->method_now(), Method::Rk45);
  EXPECT_EQ(integrator->work().to_nonstiff, 1u);
  EXPECT_NEAR(integrator->state()[0], std::cos(20), 1e-5);
}

TEST_F(AutomaticTest, SwitchesBetweenThePhasesOfVanDerPol) {
  TestSystem system = van_der_pol_system(1e-6);
  integrator->start(system, 0, system.start.data(), settings(system, 1e-7));
  Vector y(2), other(2);
  Method method = integrator->method_now();
  int changes = 0;
  while (integrator->end() < system.last_time) {
    ASSERT_EQ(integrator->step(system.last_time), StepStatus::Good);
    changes += integrator->method_now() != method ? 1 : 0;
    method = integrator->method_now();
    // The interpolant belongs to the step also where the method changes after it.
    integrator->interpolate(integrator->end(), y.data());
    EXPECT_EQ(y, Vector(integrator->state(), integrator->state() + 2));
    const double middle = integrator->begin() + 0.5 * (integrator->end() - integrator->begin());
    integrator->interpolate(&middle, 1, other.data());
    integrator->interpolate(middle, y.data());
    EXPECT_EQ(y, other);
    EXPECT_LT(std::fabs(y[0]), 2.01);
  }
  EXPECT_GE(integrator->work().to_stiff, 2u);
  EXPECT_GE(integrator->work().to_nonstiff, 1u);
  EXPECT_EQ(static_cast<std::uint64_t>(changes), integrator->work().to_stiff + integrator->work().to_nonstiff);
  EXPECT_LT(integrator->work().steps, 3000u);
  EXPECT_NEAR(integrator->state()[0], system.reference[0], 1e-5);
}

TEST_F(AutomaticTest, IsImplicitWithAlgebraicVariables) {
  TestSystem system = algebraic_system(), plain = forced_system();
  integrator->start(system, 0, system.start.data(), settings(system, 1e-8));
  EXPECT_EQ(integrator->method_now(), Method::Rosenbrock);
  run_until(2);
  EXPECT_EQ(integrator->method_now(), Method::Rosenbrock);
  EXPECT_NEAR(integrator->state()[0], std::exp(-2), 1e-7);
  integrator->start(plain, 0, plain.start.data(), settings(plain, 1e-8));
  EXPECT_EQ(integrator->method_now(), Method::Rk45);
}

TEST_F(AutomaticTest, ReadsAndCutsStiffSteps) {
  TestSystem system = prothero_robinson_system(1e4);
  integrator->start(system, 0, system.start.data(), settings(system, 1e-8));
  Vector y(1);
  while (integrator->end() < 3) {
    ASSERT_EQ(integrator->step(3), StepStatus::Good);
    const double t = integrator->begin() + 0.7 * (integrator->end() - integrator->begin());
    integrator->interpolate(t, y.data());
    EXPECT_NEAR(y[0], std::cos(t), 1e-6);
    if (integrator->method_now() != Method::Rosenbrock || integrator->end() == 3) continue;
    integrator->cut(t);
    EXPECT_EQ(integrator->end(), t);
    EXPECT_EQ(integrator->state()[0], y[0]);
  }
  EXPECT_NEAR(integrator->state()[0], std::cos(3), 1e-6);
}

TEST(Weight, IsSmallForOneVariable) {
  // 10 000 islands with one variable each: what an integrator of this kind takes from the heap.
  EXPECT_LE(sizeof(Rk45) + (2 + 4 + 7) * sizeof(double), 512u);
  EXPECT_LE(sizeof(Automatic) + (2 + 4 + 7) * sizeof(double), 512u);
}

}  // namespace
}  // namespace hyla::solve
