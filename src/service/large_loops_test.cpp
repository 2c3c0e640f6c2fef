// Loops of hundreds and thousands of equations, against closed forms: they are solved as a whole, by sparse matrices.
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "service/expected_run_testing.h"
#include "service/run_testing.h"

namespace hyla::service {
namespace {

/// The numbers that a run prints.
std::vector<double> numbers(const std::string& text, double stop_time, const std::string& solver) {
  RunRequest request;
  request.path = "model.hyla";
  request.model = "Case";
  request.stop_time = stop_time;
  request.solver.solver = solver;
  std::string printed;
  RunWatcher watcher;
  watcher.print = [&](std::string_view line) { printed += std::string(line) + "\n"; };
  const RunReport report = run_model(request, MemoryFiles({{"model.hyla", text}}), watcher);
  EXPECT_TRUE(report.has_run);
  for (const diag::Diagnostic& one : report.diagnostics)
    EXPECT_NE(one.severity(), diag::Severity::Error) << one.message;
  std::istringstream words(printed);
  return read_values(words);
}

/// A torque on a rigid shaft: all turn as one body with the sum of the inertias.
TEST(LargeLoops, InertiasOnOneShaftAreOneBody) {
  for (const int count : {30, 1000}) {
    const std::string text = fmt::format(R"(import rotational;
model Case {{
    object j[i in 1..{0}]: rotational.Inertia(J = 0.001 * i);
    object t: rotational.ConstantTorque(tau = 3);
    connect t.a -- j[{1}].a;
    for i in 1..{2} {{ connect j[i].b -- j[i + 1].a; }}
    at 2 {{ print(j[1].w, j[{0}].w, j[{1}].phi, j[1].b.tau); }}
}})",
                                         count, count / 2, count - 1);
    const double total = 0.001 * count * (count + 1) / 2, w = 2 * 3 / total;
    for (const char* solver : {"rk45", "rosenbrock"}) {
      const std::vector<double> found = numbers(text, 2, solver);
      ASSERT_EQ(found.size(), 4U);
      EXPECT_NEAR(found[0], w, 1e-9 * w) << solver;
      EXPECT_NEAR(found[1], w, 1e-9 * w) << solver;
      EXPECT_NEAR(found[2], w, 1e-8 * w) << solver;  // half of the acceleration times the square of the time
      EXPECT_NEAR(found[3], 0.001 * 3 / total, 1e-9) << solver;
    }
  }
}

/// Gears between the inertias: seen from the first, each inertia counts divided by the square of the ratio to it.
TEST(LargeLoops, GearsBetweenInertias) {
  constexpr int kCount = 300;
  const std::string text = fmt::format(R"(import rotational;
model Case {{
    object j[{0}]: rotational.Inertia(J = 2);
    object g[{1}]: rotational.Gear(ratio = 1.01);
    object t: rotational.ConstantTorque(tau = 5);
    connect t.a -- j[1].a;
    for i in 1..{1} {{
        connect j[i].b -- g[i].a;
        connect g[i].b -- j[i + 1].a;
    }}
    at 1 {{ print(j[1].w, j[{0}].w); }}
}})",
                                       kCount, kCount - 1);
  double total = 0;
  for (int i = 0; i < kCount; ++i) total += 2 / std::pow(1.01, 2 * i);
  for (const char* solver : {"rk45", "rosenbrock"}) {
    const std::vector<double> found = numbers(text, 1, solver);
    ASSERT_EQ(found.size(), 2U);
    EXPECT_NEAR(found[0], 5 / total, 1e-9) << solver;
    EXPECT_NEAR(found[1], 5 / total / std::pow(1.01, kCount - 1), 1e-9) << solver;
  }
}

/// A long ladder of equal resistors has the golden ratio as its resistance; from link to link voltages shrink by the
/// square of it. Following the ladder from its end would let errors grow as fast.
TEST(LargeLoops, LadderOfResistors) {
  constexpr int kCount = 150;
  const std::string text = fmt::format(R"(import electrical;
model Case {{
    object r[{0}]: electrical.Resistor(R = 10);
    object s[{0}]: electrical.Resistor(R = 10);
    object source: electrical.SineVoltage(amplitude = 1, frequency = 0.25);
    object ground: electrical.Ground;
    connect source.n -- ground.p;
    connect source.p -- r[1].p;
    for i in 1..{1} {{ connect r[i].n -- r[i + 1].p; }}
    for i in 1..{0} {{
        connect r[i].n -- s[i].p;
        connect s[i].n -- ground.p;
    }}
    at 1 {{ print(r[1].i, s[1].v, s[10].v); }}
}})",
                                       kCount, kCount - 1);
  const double golden = (1 + std::sqrt(5)) / 2;
  const std::vector<double> found = numbers(text, 1, "auto");
  ASSERT_EQ(found.size(), 3U);
  EXPECT_NEAR(found[0], 1 / (10 * golden), 1e-12);
  EXPECT_NEAR(found[1], 1 / (golden * golden), 1e-12);
  EXPECT_NEAR(found[2], std::pow(golden, -20), 1e-12);
}

/// A square mesh of resistors between two opposite edges: every row carries the same current, and no current flows
/// across. Charged through it, a capacitor follows the exponential.
TEST(LargeLoops, MeshOfResistorsChargesACapacitor) {
  constexpr int kSide = 16;
  const std::string text = fmt::format(R"(import electrical;
model Case {{
    object across[{0}, {1}]: electrical.Resistor(R = 3);
    object down[{1}, {0}]: electrical.Resistor(R = 7);
    object source: electrical.ConstantVoltage(V = 1);
    object c: electrical.Capacitor(C = 0.5);
    object ground: electrical.Ground;
    connect source.n -- ground.p;
    connect c.n -- ground.p;
    for i in 1..{0} {{
        connect across[i, 1].p -- source.p;
        connect across[i, {1}].n -- c.p;
        for k in 1..{2} {{ connect across[i, k].n -- across[i, k + 1].p; }}
    }}
    for i in 1..{1} {{
        for k in 1..{1} {{
            connect down[i, k].p -- across[i, k].p;
            connect down[i, k].n -- across[i + 1, k].p;
        }}
        connect down[i, {0}].p -- across[i, {1}].n;
        connect down[i, {0}].n -- across[i + 1, {1}].n;
    }}
    at 1 {{ print(c.v, down[3, 5].i, across[2, 7].i); }}
}})",
                                       kSide, kSide - 1, kSide - 2);
  const double resistance = 3.0 * (kSide - 1) / kSide, rate = 1 / (resistance * 0.5);
  for (const char* solver : {"rk45", "rosenbrock"}) {
    const std::vector<double> found = numbers(text, 1, solver);
    ASSERT_EQ(found.size(), 3U);
    EXPECT_NEAR(found[0], 1 - std::exp(-rate), 1e-6) << solver;
    EXPECT_NEAR(found[1], 0, 1e-12) << solver;
    EXPECT_NEAR(found[2], (1 - found[0]) / resistance / kSide, 1e-12) << solver;
  }
}

/// Diodes with an exponential law in each link of a ladder: a large loop that is not linear. Compared with the
/// recursion from the end of the ladder to its beginning.
TEST(LargeLoops, NonlinearLadder) {
  constexpr int kCount = 60;
  const std::string text = fmt::format(R"(
model Case {{
    var v: Real[{0}] := fill(0.1, {0});
    var i: Real[{0}] := fill(0, {0});
    parameter u = 1;
    u - v[1] = 0.1 * i[1];
    for k in 2..{0} {{ v[k - 1] - v[k] = 0.1 * i[k]; }}
    for k in 1..{1} {{ i[k] - i[k + 1] = 0.01 * (exp(2 * v[k]) - 1) + 0 * time; }}
    i[{0}] = 0.01 * (exp(2 * v[{0}]) - 1);
    at 1 {{ print(v[1], v[{0}]); }}
}})",
                                       kCount, kCount - 1);
  // The voltage at the beginning for one at the end.
  double first = 0;
  const auto beginning = [&](double last) {
    double v = last, i = 0;
    for (int k = 0; k < kCount; ++k) {
      first = v;
      i += 0.01 * (std::exp(2 * v) - 1);
      v += 0.1 * i;
    }
    return v;
  };
  double low = 0, high = 1;
  for (int k = 0; k < 200; ++k) {
    const double middle = (low + high) / 2;
    (beginning(middle) < 1 ? low : high) = middle;
  }
  const std::vector<double> found = numbers(text, 1, "auto");
  ASSERT_EQ(found.size(), 2U);
  beginning(low);
  EXPECT_NEAR(found[0], first, 1e-9);
  EXPECT_NEAR(found[1], low, 1e-9);
}

}  // namespace
}  // namespace hyla::service
