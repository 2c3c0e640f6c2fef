#include "solve/differences.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "solve/integrator.h"
#include "solve/test_systems.h"

namespace hyla::solve {
namespace {

/// A tank that fills while it runs out, y' = a - sqrt(y) from 0, as a model would give it: with an infinite derivative
/// at the start. With u = sqrt(y): t = -2 (u + a ln(1 - u / a)).
class Filling : public System {
 public:
  explicit Filling(double supply) : a(supply) {}
  std::size_t size() const override { return 1; }
  const Pattern& pattern() const override { return pattern_; }
  Evaluation evaluate(double /*t*/, const double* y, double* f) override {
    f[0] = a - std::sqrt(y[0]);
    return std::isfinite(f[0]) ? Evaluation::Good : Evaluation::Undefined;
  }
  Evaluation jacobian(double t, const double* y, double* entries, double* df_dt) override {
    entries[0] = -0.5 / std::sqrt(y[0]);
    df_dt[0] = 0;
    return std::isfinite(entries[0]) ? Evaluation::Good : replace_infinite(*this, t, y, entries, df_dt);
  }
  double time_of(double y) const { return -2 * (std::sqrt(y) + a * std::log(1 - std::sqrt(y) / a)); }

  double a;

 private:
  Pattern pattern_ = dense_pattern(1);
};

TEST(Differences, AChordReplacesAnInfiniteSlope) {
  Filling system(1);
  double entry = 0, df_dt = 0;
  const double empty = 0, full = 4;
  ASSERT_EQ(system.jacobian(0, &empty, &entry, &df_dt), Evaluation::Good);
  EXPECT_TRUE(std::isfinite(entry));
  EXPECT_LT(entry, -1000);
  ASSERT_EQ(system.jacobian(0, &full, &entry, &df_dt), Evaluation::Good);
  EXPECT_EQ(entry, -0.25);
  // An empty tank that is emptied goes to where nothing is defined; the chord lies on the other side.
  system.a = -1;
  ASSERT_EQ(system.jacobian(0, &empty, &entry, &df_dt), Evaluation::Good);
  EXPECT_TRUE(std::isfinite(entry));
}

TEST(Differences, OnlyInfiniteColumnsAreReplaced) {
  TestSystem system;
  system.start = {0, 3};
  system.entries = dense_pattern(2);
  system.right_hand_side = [](double t, const double* y, double* f) {
    f[0] = std::sqrt(y[0]) + y[1] * y[1];
    f[1] = y[0] * y[1] + std::cbrt(t);
  };
  const double y[] = {0, 3};
  double entries[] = {std::numeric_limits<double>::infinity(), 7, 8, 9}, df_dt[] = {0, 0};
  ASSERT_EQ(replace_infinite(system, 0, y, entries, df_dt), Evaluation::Good);
  EXPECT_TRUE(std::isfinite(entries[0]));
  EXPECT_NEAR(entries[1], 3, 1e-7);
  EXPECT_EQ(entries[2], 8);
  EXPECT_EQ(entries[3], 9);
  df_dt[1] = std::numeric_limits<double>::infinity();
  ASSERT_EQ(replace_infinite(system, 0, y, entries, df_dt), Evaluation::Good);
  EXPECT_EQ(df_dt[0], 0);
  EXPECT_TRUE(std::isfinite(df_dt[1]));
}

TEST(Differences, GiveAllEntriesOfAPattern) {
  TestSystem system = van_der_pol_system(0.1);
  const double y[] = {1.5, -0.7};
  double exact[4] = {}, found[4] = {}, df_dt[2] = {};
  ASSERT_EQ(system.jacobian(0, y, exact, df_dt), Evaluation::Good);
  ASSERT_EQ(difference_jacobian(system, 0, y, found, df_dt), Evaluation::Good);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(found[i], exact[i], 1e-5) << i;
  for (const double slope : df_dt) EXPECT_NEAR(slope, 0, 1e-6);
}

TEST(Differences, AStiffMethodStartsWhereTheSlopeIsInfinite) {
  for (const Method method : {Method::Rk45, Method::Rosenbrock}) {
    Filling system(1);
    const double tolerance = 1e-8, empty = 0, end = system.time_of(0.81);
    Settings settings;
    settings.relative_tolerance = tolerance;
    settings.absolute_tolerances = &tolerance;
    const auto integrator = make_integrator(method);
    integrator->start(system, 0, &empty, settings);
    while (integrator->end() < end) ASSERT_EQ(integrator->step(end), StepStatus::Good) << name_of(method);
    EXPECT_NEAR(integrator->state()[0], 0.81, 1e-6) << name_of(method);
  }
}

}  // namespace
}  // namespace hyla::solve
