#include "solve/conformance.h"

namespace hyla::solve {
namespace {

Candidate own(Candidate candidate) {
  const Method method = candidate.method;
  candidate.make = [method] { return make_integrator(method); };
  return candidate;
}

INSTANTIATE_TEST_SUITE_P(
    Own, Conformance,
    testing::Values(
        own({.method = Method::Auto, .order = 5, .interpolant_order = 4, .stiff = true, .algebraic = true}),
        own({.method = Method::Rk45, .order = 5, .interpolant_order = 4}),
        own({.method = Method::Rk8, .order = 8, .interpolant_order = 7, .spread = 1000}),
        own({.method = Method::Rosenbrock, .order = 5, .interpolant_order = 4, .stiff = true, .algebraic = true}),
        own({.method = Method::Euler, .order = 1, .interpolant_order = 1, .fixed_step = true}),
        own({.method = Method::Rk4, .order = 4, .interpolant_order = 3, .fixed_step = true})),
    candidate_name);

TEST(TestSystems, HaveTheRightDerivatives) {
  for (TestSystem system : {linear_system(-3), circle_system(), logistic_system(), forced_system(),
                            prothero_robinson_system(10), heat_system(5), algebraic_system(), van_der_pol_system(0.1),
                            robertson_system(), hires_system(), brusselator_system(), hub_system(4)}) {
    const std::size_t n = system.size();
    Vector y = system.start, entries(system.entries.entries()), df_dt(n), plus(n), minus(n);
    for (std::size_t i = 0; i < n; ++i) y[i] += 0.01 * static_cast<double>(i + 1);
    const double t = 0.3, d = 1e-5;
    ASSERT_EQ(system.jacobian(t, y.data(), entries.data(), df_dt.data()), Evaluation::Good);
    system.evaluate(t + d, y.data(), plus.data());
    system.evaluate(t - d, y.data(), minus.data());
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(df_dt[i], (plus[i] - minus[i]) / (2 * d), 1e-7);
    for (std::size_t j = 0; j < n; ++j) {
      Vector column(n);
      for (std::int32_t at = system.entries.starts[j]; at < system.entries.starts[j + 1]; ++at) {
        column[static_cast<std::size_t>(system.entries.rows[static_cast<std::size_t>(at)])] =
            entries[static_cast<std::size_t>(at)];
      }
      Vector moved = y;
      moved[j] += d;
      system.evaluate(t, moved.data(), plus.data());
      moved[j] -= 2 * d;
      system.evaluate(t, moved.data(), minus.data());
      for (std::size_t i = 0; i < n; ++i) {
        const double expected = (plus[i] - minus[i]) / (2 * d);
        EXPECT_NEAR(column[i], expected, 1e-6 * (1 + std::fabs(expected))) << n << ": " << i << ", " << j;
      }
    }
  }
}

}  // namespace
}  // namespace hyla::solve
