#include "solve_sundials/sundials.h"

#include <cmath>
#include <numbers>

#include "solve/conformance.h"
#include "solve/factorisation.h"

namespace hyla::solve {
namespace {

Candidate sundials(Candidate candidate) {
  const Method method = candidate.method;
  candidate.make = [method] { return solve_sundials::make_sundials_integrator(method); };
  candidate.allocates = true;
  return candidate;
}

// The order of the implicit methods cannot be seen with steps of one size: tolerances that accept every step accept
// every Newton iteration too.
INSTANTIATE_TEST_SUITE_P(
    Sundials, Conformance,
    testing::Values(
        sundials({.method = Method::CvodeAdams, .error_factor = 100, .keeps_step = false}),
        sundials({.method = Method::CvodeBdf, .stiff = true, .error_factor = 120, .keeps_step = false}),
        sundials({.method = Method::ArkodeErk, .order = 5, .interpolant_order = 4}),
        sundials({.method = Method::ArkodeDirk, .stiff = true}),
        sundials({.method = Method::Ida, .stiff = true, .algebraic = true, .error_factor = 120, .keeps_step = false})),
    candidate_name);

const std::vector<Method> kMethods = {Method::CvodeAdams, Method::CvodeBdf, Method::ArkodeErk, Method::ArkodeDirk,
                                      Method::Ida};

TEST(Sundials, leaves_our_own_methods_to_us) {
  for (const Method method :
       {Method::Auto, Method::Rk45, Method::Rk8, Method::Rosenbrock, Method::Euler, Method::Rk4}) {
    EXPECT_EQ(solve_sundials::make_sundials_integrator(method), nullptr);
  }
  for (const Method method : kMethods) EXPECT_EQ(solve_sundials::make_sundials_integrator(method)->method(), method);
}

struct Journey {
  Vector tolerances;
  Settings settings;
  std::unique_ptr<Integrator> integrator;

  Journey(Method method, TestSystem& system, double tolerance)
      : tolerances(system.size(), tolerance), integrator(solve_sundials::make_sundials_integrator(method)) {
    settings.relative_tolerance = tolerance;
    settings.absolute_tolerances = tolerances.data();
    integrator->start(system, 0, system.start.data(), settings);
  }
  StepStatus to(double end) {
    StepStatus status = StepStatus::Good;
    while (status == StepStatus::Good && integrator->end() < end) status = integrator->step(end);
    return status;
  }
};

/// Rods of heat side by side, their cells numbered across all rods first (a wide band) or along each rod (a narrow
/// one).
TestSystem rods(std::size_t count, std::size_t length, bool across) {
  TestSystem system;
  const std::size_t size = count * length;
  const auto cell = [=](std::size_t rod, std::size_t place) {
    return across ? place * count + rod : rod * length + place;
  };
  system.start.resize(size);
  for (std::size_t rod = 0; rod < count; ++rod) {
    for (std::size_t place = 0; place < length; ++place) {
      const double x = static_cast<double>(place + 1) / static_cast<double>(length + 1);
      system.start[cell(rod, place)] = std::sin(x * std::numbers::pi) * static_cast<double>(rod + 1);
    }
  }
  system.last_time = 0.2;
  const double speed = static_cast<double>((length + 1) * (length + 1));
  system.right_hand_side = [=](double, const double* y, double* f) {
    for (std::size_t rod = 0; rod < count; ++rod) {
      for (std::size_t place = 0; place < length; ++place) {
        const double left = place > 0 ? y[cell(rod, place - 1)] : 0,
                     right = place + 1 < length ? y[cell(rod, place + 1)] : 0;
        f[cell(rod, place)] = speed * (left - 2 * y[cell(rod, place)] + right);
      }
    }
  };
  system.derivatives = [=](double, const double*, const auto& set, double*) {
    for (std::size_t rod = 0; rod < count; ++rod) {
      for (std::size_t place = 0; place < length; ++place) {
        set(cell(rod, place), cell(rod, place), -2 * speed);
        if (place > 0) set(cell(rod, place), cell(rod, place - 1), speed);
        if (place + 1 < length) set(cell(rod, place), cell(rod, place + 1), speed);
      }
    }
  };
  const double sine = std::sin(std::numbers::pi / 2 / static_cast<double>(length + 1));
  system.exact = [=, start = system.start](double t) {
    Vector y = start;
    for (double& value : y) value *= std::exp(-4 * speed * sine * sine * t);
    return y;
  };
  system.entries = Pattern{.size = size, .starts = {0}, .rows = {}};
  for (std::size_t column = 0; column < size; ++column) {
    const std::size_t place = across ? column / count : column % length, stride = across ? count : 1;
    if (place > 0) system.entries.rows.push_back(static_cast<std::int32_t>(column - stride));
    system.entries.rows.push_back(static_cast<std::int32_t>(column));
    if (place + 1 < length) system.entries.rows.push_back(static_cast<std::int32_t>(column + stride));
    system.entries.starts.push_back(static_cast<std::int32_t>(system.entries.rows.size()));
  }
  return system;
}

TEST(Sundials, solves_with_dense_banded_and_sparse_matrices) {
  const std::vector<std::pair<MatrixKind, TestSystem>> cases = {{MatrixKind::Dense, rods(1, 4, false)},
                                                                {MatrixKind::Banded, rods(4, 20, false)},
                                                                {MatrixKind::Sparse, rods(40, 20, true)}};
  for (auto [kind, system] : cases) {
    EXPECT_EQ(best_kind(system.pattern()), kind);
    for (const Method method : {Method::CvodeBdf, Method::ArkodeDirk, Method::Ida}) {
      Journey run(method, system, 1e-7);
      ASSERT_EQ(run.to(system.last_time), StepStatus::Good) << name_of(method);
      const Vector exact = system.end_state();
      for (std::size_t i = 0; i < exact.size(); ++i) EXPECT_NEAR(run.integrator->state()[i], exact[i], 1e-4);
      EXPECT_LT(run.integrator->work().steps, 500U) << name_of(method);
      EXPECT_GT(run.integrator->work().factorisations, 0U);
    }
  }
}

TEST(Sundials, a_diagonal_that_is_zero_is_no_trouble_for_sparse_matrices) {
  // Oscillators x' = v, v' = -x: no entry is on the diagonal.
  const std::size_t pairs = 100;
  TestSystem system;
  system.start.assign(2 * pairs, 0);
  for (std::size_t i = 0; i < pairs; ++i) system.start[i] = 1;
  system.right_hand_side = [](double, const double* y, double* f) {
    for (std::size_t i = 0; i < pairs; ++i) f[i] = y[pairs + i], f[pairs + i] = -y[i];
  };
  system.derivatives = [](double, const double*, const auto& set, double*) {
    for (std::size_t i = 0; i < pairs; ++i) set(i, pairs + i, 1), set(pairs + i, i, -1);
  };
  system.entries = Pattern{.size = 2 * pairs, .starts = {0}, .rows = {}};
  for (std::size_t column = 0; column < 2 * pairs; ++column) {
    system.entries.rows.push_back(static_cast<std::int32_t>((column + pairs) % (2 * pairs)));
    system.entries.starts.push_back(static_cast<std::int32_t>(column + 1));
  }
  ASSERT_EQ(best_kind(system.pattern()), MatrixKind::Sparse);
  for (const Method method : {Method::CvodeBdf, Method::ArkodeDirk, Method::Ida}) {
    Journey run(method, system, 1e-7);
    ASSERT_EQ(run.to(1), StepStatus::Good) << name_of(method);
    for (std::size_t i = 0; i < pairs; ++i) EXPECT_NEAR(run.integrator->state()[i], std::cos(1.0), 1e-4);
  }
}

TEST(Sundials, ida_corrects_algebraic_variables_at_the_start) {
  TestSystem system = algebraic_system();
  const Vector consistent = system.start;
  for (std::size_t i = 0; i < system.size(); ++i) {
    if (system.algebraic()[i] != 0) system.start[i] += 0.05;
  }
  Journey run(Method::Ida, system, 1e-7);
  ASSERT_EQ(run.integrator->step(system.last_time), StepStatus::Good);
  Vector y(system.size());
  run.integrator->interpolate(0, y.data());
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], consistent[i], 1e-6);
  ASSERT_EQ(run.to(system.last_time), StepStatus::Good);
  const Vector exact = system.end_state();
  for (std::size_t i = 0; i < exact.size(); ++i) EXPECT_NEAR(run.integrator->state()[i], exact[i], 1e-5);
}

TEST(Sundials, ida_reports_algebraic_equations_that_determine_nothing) {
  // x' = -x, 0 = x - 1: nothing gives z.
  TestSystem system;
  system.start = {1, 0};
  system.algebraic_variables = {0, 1};
  system.entries = dense_pattern(2);
  system.right_hand_side = [](double, const double* y, double* f) {
    f[0] = -y[0];
    f[1] = y[0] - 1;
  };
  system.derivatives = [](double, const double*, const auto& set, double*) {
    set(0, 0, -1);
    set(1, 0, 1);
  };
  Journey run(Method::Ida, system, 1e-6);
  EXPECT_EQ(run.integrator->step(1), StepStatus::SingularMatrix);
  EXPECT_EQ(run.integrator->end(), 0);
}

TEST(Sundials, stops_before_a_pole) {
  // y' = y^2 from 1 has a pole at t = 1.
  TestSystem system = linear_system();
  system.right_hand_side = [](double, const double* y, double* f) { f[0] = y[0] * y[0]; };
  system.derivatives = [](double, const double* y, const auto& set, double* df_dt) {
    set(0, 0, 2 * y[0]);
    df_dt[0] = 0;
  };
  for (const Method method : kMethods) {
    Journey run(method, system, 1e-8);
    StepStatus status = StepStatus::Good;
    for (int i = 0; i < 100'000 && status == StepStatus::Good; ++i) status = run.integrator->step(2);
    EXPECT_EQ(status, StepStatus::StepTooSmall) << name_of(method);
    EXPECT_NEAR(run.integrator->end(), 1, 1e-4) << name_of(method);
    double share = 0;
    EXPECT_EQ(run.integrator->worst_variable(share), 0U);
  }
}

TEST(Sundials, goes_over_a_limit_that_is_closer_than_rounding) {
  TestSystem system = circle_system();
  for (const Method method : kMethods) {
    Journey run(method, system, 1e-8);
    ASSERT_EQ(run.to(1), StepStatus::Good);
    const double next = std::nextafter(1.0, 2.0);
    ASSERT_EQ(run.integrator->step(next), StepStatus::Good) << name_of(method);
    EXPECT_EQ(run.integrator->begin(), 1);
    EXPECT_EQ(run.integrator->end(), next);
    ASSERT_EQ(run.to(3), StepStatus::Good) << name_of(method);
    EXPECT_NEAR(run.integrator->state()[0], std::cos(3.0), 1e-5) << name_of(method);
  }
}

TEST(Sundials, a_far_limit_does_not_spoil_the_first_step) {
  TestSystem system = prothero_robinson_system(1e4);
  system.start[0] = 2;
  for (const Method method : kMethods) {
    for (const double limit : {1e30, std::numeric_limits<double>::infinity()}) {
      Journey run(method, system, 1e-6);
      while (run.integrator->end() < 1e-3) ASSERT_EQ(run.integrator->step(limit), StepStatus::Good) << name_of(method);
      Vector y(1);
      run.integrator->interpolate(1e-3, y.data());
      EXPECT_NEAR(y[0], std::cos(1e-3) + std::exp(-10.0), 1e-4) << name_of(method) << " to " << limit;
    }
  }
}

TEST(Sundials, steps_join_without_gaps) {
  TestSystem system = circle_system();
  for (const Method method : kMethods) {
    Journey run(method, system, 1e-6);
    Vector y(2);
    while (run.integrator->end() < 6) {
      ASSERT_EQ(run.integrator->step(6), StepStatus::Good);
      const double begin = run.integrator->begin(), end = run.integrator->end(), h = end - begin;
      Vector before(2);
      run.integrator->interpolate(begin, before.data());
      run.integrator->interpolate(begin + 1e-9 * h, y.data());
      EXPECT_NEAR(y[0], before[0], 1e-8) << name_of(method) << " at " << begin;
      run.integrator->interpolate(end - 1e-9 * h, y.data());
      EXPECT_NEAR(y[1], run.integrator->state()[1], 1e-8) << name_of(method) << " at " << end;
      EXPECT_GE(run.integrator->degree(), 1);
      EXPECT_LE(run.integrator->degree(), 12);
    }
  }
}

TEST(Sundials, counts_rejected_steps_across_restarts) {
  for (const Method method : kMethods) {
    TestSystem system = van_der_pol_system(0.1);
    Journey run(method, system, 1e-5);
    std::uint64_t before = 0;
    for (int i = 0; i < 5; ++i) {
      ASSERT_EQ(run.to(run.integrator->end() + 0.2), StepStatus::Good) << name_of(method);
      const std::uint64_t now = run.integrator->work().rejected;
      EXPECT_GE(now, before);
      EXPECT_LT(now, 1000U) << name_of(method);
      before = now;
      const Vector y(run.integrator->state(), run.integrator->state() + 2);
      run.integrator->start(system, run.integrator->end(), y.data(), run.settings, true);
    }
  }
}

}  // namespace
}  // namespace hyla::solve
