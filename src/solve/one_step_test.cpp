#include "solve/one_step.h"

#include <cmath>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "solve/test_systems.h"

namespace hyla::solve {
namespace {

/// The sizes of the steps from 0 to `limit`, where the method would like steps of the size `wanted`.
Vector step_sizes(Method method, double wanted, double limit, double longest) {
  TestSystem system = linear_system();
  const Vector tolerances = {1e12};
  Settings settings;
  settings.relative_tolerance = 1e12;
  settings.absolute_tolerances = tolerances.data();
  settings.first_step = settings.fixed_step = wanted;
  settings.longest_step = longest;
  const std::unique_ptr<Integrator> integrator = make_integrator(method);
  integrator->start(system, 0, system.start.data(), settings);
  Vector sizes;
  while (integrator->end() < limit && integrator->step(limit) == StepStatus::Good) {
    sizes.push_back(integrator->end() - integrator->begin());
  }
  EXPECT_EQ(integrator->end(), limit);
  return sizes;
}

void expect_near(const Vector& sizes, const Vector& expected) {
  ASSERT_EQ(sizes.size(), expected.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) EXPECT_NEAR(sizes[i], expected[i], 1e-9) << i;
}

TEST(OneStep, LeavesNoTinyStepBeforeTheLimit) {
  expect_near(step_sizes(Method::Rk45, 1, 1.5, 1), {0.75, 0.75});
  expect_near(step_sizes(Method::Rk45, 1, 2.001, 1), {1, 0.5005, 0.5005});
  expect_near(step_sizes(Method::Rk45, 1, 1, 1), {1});
  expect_near(step_sizes(Method::Rk45, 1, 0.25, 1), {0.25});
}

TEST(OneStep, StretchesAStepToTheLimit) {
  expect_near(step_sizes(Method::Rk45, 1, 1.04, 0), {1.04});
  expect_near(step_sizes(Method::Rosenbrock, 1, 1.04, 0), {1.04});
}

TEST(OneStep, KeepsFixedStepsUpToTheLast) {
  expect_near(step_sizes(Method::Euler, 0.4, 1, 0), {0.4, 0.4, 0.2});
  expect_near(step_sizes(Method::Rk4, 0.1, 1, 0), Vector(10, 0.1));
}

TEST(OneStep, SaysUndefinedIfTheSlopeIsNoNumber) {
  TestSystem system = linear_system();
  system.right_hand_side = [](double, const double*, double* f) { f[0] = std::nan(""); };
  const Vector tolerances = {1e-6};
  Settings settings;
  settings.absolute_tolerances = tolerances.data();
  for (const Method method : {Method::Rk45, Method::Rk8, Method::Rosenbrock, Method::Auto}) {
    for (const double first_step : {0.0, 0.1}) {
      settings.first_step = first_step;
      const std::unique_ptr<Integrator> integrator = make_integrator(method);
      integrator->start(system, 0, system.start.data(), settings);
      EXPECT_EQ(integrator->step(1), StepStatus::Undefined);
    }
  }
}

TEST(OneStep, GrowsFromATinyFirstStep) { EXPECT_LT(step_sizes(Method::Rk45, 1e-12, 1, 0).size(), 20u); }

TEST(OneStep, StartsFarFromTimeZero) {
  TestSystem system = circle_system();
  const Vector tolerances = {1e-6, 1e-6};
  Settings settings;
  settings.relative_tolerance = 1e-6;
  settings.absolute_tolerances = tolerances.data();
  const std::unique_ptr<Integrator> integrator = make_integrator(Method::Rk45);
  integrator->start(system, 1e9, system.start.data(), settings);
  while (integrator->end() < 1e9 + 6) ASSERT_EQ(integrator->step(1e9 + 6), StepStatus::Good);
  EXPECT_NEAR(integrator->state()[0], std::cos(6), 1e-5);
  // The next double is a step, too.
  const double next = std::nextafter(integrator->end(), 2e9);
  ASSERT_EQ(integrator->step(next), StepStatus::Good);
  EXPECT_EQ(integrator->end(), next);
}

TEST(Methods, HaveNames) {
  for (int i = 0; i <= static_cast<int>(Method::Ida); ++i) {
    Method found = Method::Auto;
    ASSERT_TRUE(find_method(name_of(static_cast<Method>(i)), found));
    EXPECT_EQ(found, static_cast<Method>(i));
  }
  Method method = Method::Auto;
  EXPECT_FALSE(find_method("rk46", method));
  EXPECT_EQ(name_of(Method::Rk45), "rk45");
  EXPECT_EQ(name_of(Method::CvodeBdf), "cvode-bdf");
  EXPECT_EQ(make_integrator(Method::Ida), nullptr);
}

}  // namespace
}  // namespace hyla::solve
