// What every integrator must do, as one suite of tests with the integrator as its parameter.
//
// A test program includes this file in exactly one of its sources and names its integrators:
//
//     INSTANTIATE_TEST_SUITE_P(Own, Conformance, testing::Values(Candidate{...}, ...), candidate_name);
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>

#include <gtest/gtest.h>

#include "solve/conformance_fixture.h"
#include "solve/integrator.h"
#include "solve/test_systems.h"

namespace hyla::solve {

// --- accuracy --------------------------------------------------------------------------------------------------------

TEST_P(Conformance, ConvergesWithItsOrder) {
  if (GetParam().order == 0) GTEST_SKIP();
  for (TestSystem system : {linear_system(), circle_system(), logistic_system(), forced_system()}) {
    double best = 0;
    for (double h = system.last_time / 2; h > system.last_time / 200; h /= 2) {
      const double coarse = run_ends(system, with_steps(system, h)), fine = run_ends(system, with_steps(system, h / 2));
      if (fine < 1e-13) break;  // From here on rounding speaks.
      best = std::log2(coarse / fine);
    }
    EXPECT_GT(best, GetParam().order - 0.35) << "with " << system.size() << " variables";
  }
}

TEST_P(Conformance, InterpolatesWithItsOrder) {
  if (GetParam().interpolant_order == 0) GTEST_SKIP();
  for (TestSystem system : {linear_system(), circle_system(), logistic_system(), forced_system()}) {
    double best = 0;
    for (double h = system.last_time / 2; h > system.last_time / 200; h /= 2) {
      const double coarse = run_inside(system, with_steps(system, h));
      const double fine = run_inside(system, with_steps(system, h / 2));
      if (fine < 1e-13) break;
      best = std::log2(coarse / fine);
    }
    EXPECT_GT(best, GetParam().interpolant_order - 0.35) << "with " << system.size() << " variables";
  }
}

TEST_P(Conformance, ErrorsFollowTheTolerance) {
  if (GetParam().fixed_step) GTEST_SKIP();
  for (TestSystem system : {linear_system(), circle_system(), logistic_system(), forced_system()}) {
    double least = std::numeric_limits<double>::infinity(), most = 0;
    for (double tolerance = 1e-4; tolerance > 0.5e-10; tolerance /= 10) {
      const double ratio = run_ends(system, with_tolerance(system, tolerance)) / tolerance;
      least = std::min(least, ratio);
      most = std::max(most, ratio);
    }
    EXPECT_LT(most, GetParam().error_factor) << "with " << system.size() << " variables";
    EXPECT_LT(most, GetParam().spread * least) << "with " << system.size() << " variables";
  }
}

TEST_P(Conformance, ErrorsInsideStepsFollowTheToleranceToo) {
  if (GetParam().fixed_step) GTEST_SKIP();
  for (TestSystem system : {linear_system(), circle_system(), logistic_system(), forced_system()}) {
    for (double tolerance = 1e-4; tolerance > 0.5e-10; tolerance /= 100) {
      EXPECT_LT(run_inside(system, with_tolerance(system, tolerance)), 2 * GetParam().error_factor * tolerance)
          << "with " << system.size() << " variables at " << tolerance;
    }
  }
}

TEST_P(Conformance, FollowsManyVariables) {
  TestSystem system = heat_system(5);
  const double tolerance = GetParam().fixed_step ? 1e-2 : 1e-6;
  EXPECT_LT(run(system, with_tolerance(system, tolerance)), GetParam().error_factor * tolerance);
  if (!GetParam().fixed_step) {
    system = brusselator_system();
    EXPECT_LT(run(system, with_tolerance(system, 1e-8)), 1e-5);
  }
  system = pleiades_system();
  if (GetParam().method == Method::Rk45 || GetParam().method == Method::Rk8) {
    EXPECT_LT(run(system, with_tolerance(system, 1e-11)), 1e-6);
  }
}

// --- the ends of steps -----------------------------------------------------------------------------------------------

TEST_P(Conformance, EndsExactlyAtTheLimit) {
  TestSystem system = circle_system();
  integrator->start(system, 0, system.start.data(), with_tolerance(system, 1e-6));
  for (int i = 1; i <= 100; ++i) {
    const double limit = i * 0.1 / 3;
    while (integrator->end() != limit) {
      ASSERT_EQ(integrator->step(limit), StepStatus::Good);
      ASSERT_LE(integrator->end(), limit);
      ASSERT_LT(integrator->begin(), integrator->end());
    }
    EXPECT_LT(error(integrator->state(), system.exact(limit)), GetParam().fixed_step ? 0.02 : 1e-4);
  }
}

TEST_P(Conformance, RemembersTheStepSizeAtALimit) {
  if (GetParam().fixed_step || !GetParam().keeps_step) GTEST_SKIP();
  TestSystem system = circle_system();
  integrator->start(system, 0, system.start.data(), with_tolerance(system, 1e-6));
  for (int i = 0; i < 20; ++i) ASSERT_EQ(integrator->step(100), StepStatus::Good);
  const double before = integrator->next_step();
  ASSERT_EQ(integrator->step(integrator->end() + before * 1e-3), StepStatus::Good);
  EXPECT_GE(integrator->next_step(), before * 0.9);
}

TEST_P(Conformance, GivesTheStatesAtTheEndsExactly) {
  TestSystem system = forced_system();
  integrator->start(system, 0, system.start.data(), with_tolerance(system, 1e-6));
  Vector before = system.start, y(3);
  integrator->interpolate(0, y.data());
  EXPECT_EQ(y, before);
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(integrator->step(3), StepStatus::Good);
    integrator->interpolate(integrator->begin(), y.data());
    EXPECT_EQ(y, before);
    before.assign(integrator->state(), integrator->state() + 3);
    integrator->interpolate(integrator->end(), y.data());
    EXPECT_EQ(y, before);
  }
}

TEST_P(Conformance, InterpolatesAtSeveralTimesAsAtOne) {
  TestSystem system = forced_system();
  integrator->start(system, 0, system.start.data(), with_tolerance(system, 1e-6));
  for (int i = 0; i < 5; ++i) ASSERT_EQ(integrator->step(3), StepStatus::Good);
  const double begin = integrator->begin(), h = integrator->end() - begin;
  const Vector times = {begin, begin + 0.3 * h, begin + 0.5 * h, integrator->end()};
  Vector together(12), y(3);
  integrator->interpolate(times.data(), 4, together.data());
  for (std::size_t k = 0; k < 4; ++k) {
    integrator->interpolate(times[k], y.data());
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(together[i * 4 + k], y[i]);
  }
}

// --- events ----------------------------------------------------------------------------------------------------------

TEST_P(Conformance, GoesOnAfterACut) {
  TestSystem system = circle_system();
  integrator->start(system, 0, system.start.data(), with_tolerance(system, 1e-7));
  Vector y(2), middle(2);
  for (int i = 0; i < 30; ++i) {
    ASSERT_EQ(integrator->step(6), StepStatus::Good);
    const double begin = integrator->begin(), h = integrator->end() - begin;
    integrator->interpolate(begin + h / 4, middle.data());
    integrator->interpolate(begin + h / 2, y.data());
    integrator->cut(begin + h / 2);
    EXPECT_EQ(integrator->end(), begin + h / 2);
    EXPECT_EQ(Vector(integrator->state(), integrator->state() + 2), y);
    // The part before the cut can still be read.
    Vector again(2);
    integrator->interpolate(begin + h / 4, again.data());
    EXPECT_EQ(again, middle);
  }
  while (integrator->end() < 6) ASSERT_EQ(integrator->step(6), StepStatus::Good);
  EXPECT_LT(error(integrator->state(), system.exact(6)), GetParam().fixed_step ? 0.02 : 1e-5);
}

TEST_P(Conformance, ACutAtTheEndsChangesNothing) {
  if (!GetParam().exact_restart) GTEST_SKIP();
  TestSystem system = circle_system();
  const Settings settings = with_tolerance(system, 1e-7);
  run(system, settings);
  const Vector expected(integrator->state(), integrator->state() + 2);
  const std::unique_ptr<Integrator> other = GetParam().make();
  other->start(system, 0, system.start.data(), settings);
  while (other->end() < 6) {
    ASSERT_EQ(other->step(6), StepStatus::Good);
    other->cut(other->end());
  }
  EXPECT_EQ(Vector(other->state(), other->state() + 2), expected);
  other->start(system, 0, system.start.data(), settings);
  ASSERT_EQ(other->step(6), StepStatus::Good);
  other->cut(other->begin());
  EXPECT_EQ(other->end(), 0);
  EXPECT_EQ(Vector(other->state(), other->state() + 2), system.start);
}

TEST_P(Conformance, RestartsWithOtherValues) {
  // A ball that is thrown up again and again: the velocity jumps at the restart.
  TestSystem system = circle_system();
  system.right_hand_side = [](double, const double* y, double* f) {
    f[0] = y[1];
    f[1] = -9.81;
  };
  system.derivatives = [](double, const double*, const auto& set, double*) { set(0, 1, 1); };
  const Settings settings = with_tolerance(system, 1e-8);
  Vector y = {0, 5};
  for (int bounce = 0; bounce < 5; ++bounce) {
    const double t = bounce;
    integrator->start(system, t, y.data(), settings, bounce > 0);
    EXPECT_EQ(integrator->begin(), t);
    EXPECT_EQ(integrator->end(), t);
    while (integrator->end() < t + 1) ASSERT_EQ(integrator->step(t + 1), StepStatus::Good);
    const double tolerance = GetParam().fixed_step ? 2e-2 : 1e-6;
    EXPECT_NEAR(integrator->state()[0], y[0] + y[1] - 9.81 / 2, tolerance);
    EXPECT_NEAR(integrator->state()[1], y[1] - 9.81, tolerance);
    y[1] += 1;
  }
}

TEST_P(Conformance, AWrongGuessAfterARestartIsHarmless) {
  if (GetParam().fixed_step) GTEST_SKIP();
  TestSystem slow = linear_system(-0.01), fast = prothero_robinson_system(100);
  slow.right_hand_side = [](double, const double*, double* f) { f[0] = 0; };
  const Settings settings = with_tolerance(slow, 1e-6);
  integrator->start(slow, 0, slow.start.data(), settings);
  for (int i = 0; i < 30; ++i) ASSERT_EQ(integrator->step(1e6), StepStatus::Good);
  const Vector y = {2};
  integrator->start(fast, 0, y.data(), settings, true);
  while (integrator->end() < 0.01) ASSERT_EQ(integrator->step(0.01), StepStatus::Good);
  EXPECT_NEAR(integrator->state()[0], std::cos(0.01) + std::exp(-1), 1e-4);
}

TEST_P(Conformance, ChangesItsSize) {
  TestSystem one = logistic_system(), two = circle_system(), many = heat_system(4);
  const double tolerance = GetParam().fixed_step ? 2e-2 : 1e-5;
  EXPECT_LT(run(two, with_tolerance(two, 1e-7)), tolerance);
  EXPECT_LT(run(one, with_tolerance(one, 1e-7)), tolerance);
  EXPECT_LT(run(many, with_tolerance(many, 1e-7)), tolerance);
  EXPECT_LT(run(two, with_tolerance(two, 1e-7)), tolerance);
}

TEST_P(Conformance, TakesASystemWithoutVariables) {
  TestSystem none;
  none.entries = dense_pattern(0);
  none.right_hand_side = [](double, const double*, double*) {};
  none.derivatives = [](double, const double*, const auto&, double*) {};
  EXPECT_EQ(run(none, with_tolerance(none, 1e-6)), 0);
}

// --- trouble ---------------------------------------------------------------------------------------------------------

TEST_P(Conformance, ReportsAnUndefinedStart) {
  TestSystem system = linear_system();
  system.undefined_from = 0.5;
  integrator->start(system, 0, system.start.data(), with_tolerance(system, 1e-6));
  EXPECT_EQ(integrator->step(1), StepStatus::Undefined);
  system.undefined_from = 2;
  system.fails = true;
  integrator->start(system, 0, system.start.data(), with_tolerance(system, 1e-6));
  EXPECT_EQ(integrator->step(1), StepStatus::Failed);
  EXPECT_EQ(integrator->end(), 0);
}

TEST_P(Conformance, ReportsAStartThatIsNoNumber) {
  if (GetParam().fixed_step) GTEST_SKIP();
  TestSystem system = linear_system();
  system.right_hand_side = [](double, const double*, double* f) { f[0] = std::nan(""); };
  for (const double first_step : {0.0, 0.1}) {
    Settings settings = with_tolerance(system, 1e-6);
    settings.first_step = first_step;
    integrator->start(system, 0, system.start.data(), settings);
    EXPECT_NE(integrator->step(1), StepStatus::Good);
    EXPECT_EQ(integrator->end(), 0);
  }
}

TEST_P(Conformance, EvaluatesNothingBeyondTheLimit) {
  if (!GetParam().exact_restart) GTEST_SKIP();
  TestSystem system = circle_system();
  double limit = 0, latest = 0;
  system.right_hand_side = [f = system.right_hand_side, &latest](double t, const double* y, double* out) {
    latest = std::max(latest, t);
    f(t, y, out);
  };
  integrator->start(system, 0, system.start.data(), with_tolerance(system, 1e-6));
  for (const double next : {1e-9, 1e-3, 0.7, 2.0, 2.1}) {
    limit = next;
    Vector y(2);
    while (integrator->end() < limit) {
      ASSERT_EQ(integrator->step(limit), StepStatus::Good);
      integrator->interpolate((integrator->begin() + integrator->end()) / 2, y.data());
    }
    EXPECT_LE(latest, limit);
    if (next == 0.7) {
      y.assign(integrator->state(), integrator->state() + 2);
      integrator->start(system, limit, y.data(), with_tolerance(system, 1e-6));
    }
  }
}

TEST_P(Conformance, StepsCloseToWhereTheEquationsEnd) {
  // y' = 1 is not defined from y = 1 on.
  TestSystem system = linear_system();
  system.right_hand_side = [](double, const double*, double* f) { f[0] = 1; };
  system.derivatives = [](double, const double*, const auto& set, double* df_dt) {
    set(0, 0, 0);
    df_dt[0] = 0;
  };
  system.undefined_from = 1;
  const Vector y = {0};
  Settings settings = with_tolerance(system, 1e-6);
  settings.fixed_step = 0.3;
  integrator->start(system, 0, y.data(), settings);
  StepStatus status = StepStatus::Good;
  for (int i = 0; i < 1000 && status == StepStatus::Good; ++i) status = integrator->step(2);
  EXPECT_NE(status, StepStatus::Good);
  EXPECT_LT(integrator->state()[0], 1);
  if (!GetParam().fixed_step) {
    EXPECT_GT(integrator->state()[0], 0.999);
    EXPECT_EQ(status, StepStatus::StepTooSmall);
  }
}

TEST_P(Conformance, StopsBeforeASingularity) {
  if (GetParam().fixed_step) GTEST_SKIP();
  TestSystem system = linear_system();
  system.right_hand_side = [](double, const double* y, double* f) { f[0] = y[0] * y[0]; };  // y = 1 / (1 - t)
  system.derivatives = [](double, const double* y, const auto& set, double*) { set(0, 0, 2 * y[0]); };
  integrator->start(system, 0, system.start.data(), with_tolerance(system, 1e-6));
  StepStatus status = StepStatus::Good;
  for (int i = 0; i < 20000 && status == StepStatus::Good; ++i) status = integrator->step(2);
  EXPECT_NE(status, StepStatus::Good);
  EXPECT_NEAR(integrator->end(), 1, 1e-3);
  EXPECT_TRUE(std::isfinite(integrator->state()[0]));
}

TEST_P(Conformance, ReportsANotANumber) {
  if (GetParam().fixed_step) GTEST_SKIP();
  TestSystem system = linear_system();
  system.right_hand_side = [](double t, const double*, double* f) { f[0] = t < 1 ? 1 : std::nan(""); };
  system.derivatives = [](double, const double*, const auto& set, double* df_dt) {
    set(0, 0, 0);
    df_dt[0] = 0;
  };
  integrator->start(system, 0, system.start.data(), with_tolerance(system, 1e-6));
  StepStatus status = StepStatus::Good;
  for (int i = 0; i < 1000 && status == StepStatus::Good; ++i) status = integrator->step(2);
  EXPECT_NE(status, StepStatus::Good);
  EXPECT_NEAR(integrator->end(), 1, 1e-3);
  EXPECT_TRUE(std::isfinite(integrator->state()[0]));
}

TEST_P(Conformance, NamesTheWorstVariable) {
  if (GetParam().fixed_step) GTEST_SKIP();
  TestSystem system = circle_system();
  system.right_hand_side = [](double t, const double* y, double* f) {
    f[0] = -y[0] / 100;
    f[1] = std::sin(20 * t);
  };
  system.derivatives = [](double t, const double*, const auto& set, double* df_dt) {
    set(0, 0, -0.01);
    df_dt[1] = 20 * std::cos(20 * t);
  };
  integrator->start(system, 0, system.start.data(), with_tolerance(system, 1e-6));
  for (int i = 0; i < 10; ++i) ASSERT_EQ(integrator->step(10), StepStatus::Good);
  double share = 0;
  EXPECT_EQ(integrator->worst_variable(share), 1u);
  EXPECT_GT(share, 0.9);
  EXPECT_LE(share, 1);
}

// --- cost ------------------------------------------------------------------------------------------------------------

TEST_P(Conformance, CountsItsWork) {
  TestSystem system = circle_system();
  std::uint64_t evaluations = 0, jacobians = 0;
  system.right_hand_side = [f = system.right_hand_side, &evaluations](double t, const double* y, double* out) {
    ++evaluations;
    f(t, y, out);
  };
  system.derivatives = [d = system.derivatives, &jacobians](double t, const double* y, const auto& set, double* df_dt) {
    ++jacobians;
    d(t, y, set, df_dt);
  };
  std::uint64_t steps = 0;
  for (int run = 0; run < 2; ++run) {
    integrator->start(system, 0, system.start.data(), with_tolerance(system, 1e-6));
    for (; integrator->end() < 6; ++steps) {
      ASSERT_EQ(integrator->step(6), StepStatus::Good);
      Vector y(2);
      integrator->interpolate((integrator->begin() + integrator->end()) / 2, y.data());
    }
  }
  EXPECT_EQ(integrator->work().steps, steps);
  EXPECT_EQ(integrator->work().evaluations, evaluations);
  EXPECT_EQ(integrator->work().jacobians, jacobians);
}

TEST_P(Conformance, AllocatesNothingInSteps) {
  if (GetParam().allocates) GTEST_SKIP();
  for (TestSystem system : {circle_system(), heat_system(40)}) {
    const Settings settings = with_tolerance(system, 1e-6);
    Vector y(system.size());
    if (run(system, settings) > 1) continue;  // An unstable fixed step: the other system is enough.
    const std::uint64_t before = number_of_allocations;
    integrator->start(system, 0, system.start.data(), settings);
    for (int i = 0; i < 20 && integrator->end() < system.last_time; ++i) {
      integrator->step(system.last_time);
      const double middle = (integrator->begin() + integrator->end()) / 2;
      integrator->interpolate(middle, y.data());
      integrator->cut(middle);
      if (i % 4 == 3) integrator->start(system, middle, y.data(), settings, true);
    }
    EXPECT_EQ(number_of_allocations, before);
  }
}

// --- stiff systems and algebraic variables ---------------------------------------------------------------------------

TEST_P(Conformance, SolvesStiffSystems) {
  if (!GetParam().stiff) GTEST_SKIP();
  TestSystem system = van_der_pol_system();
  EXPECT_LT(run(system, with_tolerance(system, 1e-7)), 1e-4);
  system = robertson_system();
  EXPECT_LT(run(system, with_tolerance(system, 1e-7, 1e-7), 1e-7), 1e-4);
  system = hires_system();
  EXPECT_LT(run(system, with_tolerance(system, 1e-7, 1e-3), 1e-4), 1e-4);
  system = prothero_robinson_system(1e6);
  EXPECT_LT(run(system, with_tolerance(system, 1e-6)), GetParam().error_factor * 1e-6);
  EXPECT_LT(integrator->work().steps, 20000u);
}

TEST_P(Conformance, SolvesLargeStiffSystems) {
  if (!GetParam().stiff) GTEST_SKIP();
  TestSystem system = heat_system(200);
  EXPECT_LT(run(system, with_tolerance(system, 1e-6)), GetParam().error_factor * 1e-6);
}

TEST_P(Conformance, SolvesAlgebraicEquationsAlongTheWay) {
  if (!GetParam().algebraic) GTEST_SKIP();
  TestSystem system = algebraic_system();
  for (double tolerance = 1e-4; tolerance > 0.5e-10; tolerance /= 100) {
    EXPECT_LT(run(system, with_tolerance(system, tolerance)), GetParam().error_factor * tolerance);
    EXPECT_LT(run_inside(system, with_tolerance(system, tolerance)), 2 * GetParam().error_factor * tolerance);
  }
}

}  // namespace hyla::solve
