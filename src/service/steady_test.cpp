// Steady states against closed forms, and what is said where there is none.
#include <cmath>

#include <gtest/gtest.h>

#include "base/text.h"
#include "service/analyse_model.h"
#include "service/testing.h"

namespace hyla::service {
namespace {

SteadyReport steady(const std::string& text, std::optional<double> at = {}) {
  MemoryFiles files({{"m.hyla", text}});
  SteadyRequest request;
  request.path = "m.hyla";
  request.at = at;
  return find_steady_state(request, files);
}

TEST(Steady, TanksFindTheirLevels) {
  const std::string text = R"(
model Tanks {
    parameter q = 0.05, k1 = 0.3, k2 = 0.1;
    output h1 := 0.8, h2 := 0.3;
    der(h1) = q - k1 * sqrt(h1 - h2);
    der(h2) = k1 * sqrt(h1 - h2) - k2 * sqrt(h2);
}
)";
  const SteadyReport report = steady(text);
  ASSERT_TRUE(report.has_result) << report.complaint;
  const double h2 = std::pow(0.05 / 0.1, 2);
  EXPECT_NEAR(report.states[1].value, h2, 1e-10);
  EXPECT_NEAR(report.states[0].value, h2 + std::pow(0.05 / 0.3, 2), 1e-10);
  EXPECT_NEAR(report.starts[0], 0.8, 1e-12);
  EXPECT_EQ(report.stability, Stability::Stable);
}

TEST(Steady, TellsStability) {
  std::string text = "model P {\n    var phi := 3.0, w := 0.0;\n    der(phi) = w;\n    der(w) = -sin(phi) - w;\n}\n";
  SteadyReport report = steady(text);
  ASSERT_TRUE(report.has_result) << report.complaint;
  EXPECT_NEAR(report.states[0].value, std::acos(-1.0), 1e-9);
  EXPECT_EQ(report.stability, Stability::Unstable);
  report = steady("model O {\n    var x := 1.0, v := 0.0;\n    der(x) = v;\n    der(v) = 3 - x;\n}\n");
  EXPECT_EQ(report.stability, Stability::Marginal);
  EXPECT_NEAR(report.states[0].value, 3, 1e-10);
}

TEST(Steady, ACartMayStandAnywhere) {
  const SteadyReport report = steady("model C {\n    var x := 2.0, v := 1.0;\n    der(x) = v;\n    der(v) = -v;\n}\n");
  ASSERT_TRUE(report.has_result) << report.complaint;
  EXPECT_EQ(report.open, (std::vector<std::string>{"x"}));
  EXPECT_NEAR(report.states[0].value, 2, 1e-9);
  EXPECT_NEAR(report.states[1].value, 0, 1e-9);
}

TEST(Steady, AnIntegratorHasNone) {
  const SteadyReport report =
      steady("model I {\n    var x := 0.0, y := 1.0;\n    der(x) = 2;\n    der(y) = 1 - y;\n}\n");
  EXPECT_FALSE(report.has_result);
  EXPECT_EQ(report.complaint,
            "there is no steady state from the values at t = 0: der(x) comes no nearer to zero than 2; no "
            "derivative determines `x`");
}

TEST(Steady, RelationsMaySwitchOnTheWay) {
  // At the start the second branch counts, which vanishes at 1; at rest the first.
  const SteadyReport report =
      steady("model S {\n    var x := 10.0;\n    var u = max(2 - x, 0.5 - 0.5 * x);\n    der(x) = u;\n}\n");
  ASSERT_TRUE(report.has_result) << report.complaint;
  EXPECT_NEAR(report.states[0].value, 2, 1e-9);
}

TEST(Steady, ALimitedDerivativeIsLeftBehind) {
  // Far from the point of rest x moves at the constant speed -1, from which nothing can be learnt about that point.
  for (const std::string limited : {"if u - x > 1 then 1 else if u - x < -1 then -1 else u - x",
                                    "min(max(u - x, -1), 1)", "max(min(u - x, 1), -1)"}) {
    for (const double start : {10.0, -3.0, 2000.0, 2.0, 1.5}) {
      const SteadyReport report = steady("model S {\n    parameter u = 2;\n    var x := " + base::format_number(start) +
                                         ";\n    der(x) = " + limited + ";\n}\n");
      ASSERT_TRUE(report.has_result) << limited << " from " << start << ": " << report.complaint;
      EXPECT_NEAR(report.states[0].value, 2, 1e-8) << limited << " from " << start;
    }
  }
}

TEST(Steady, AServoComesOutOfSaturation) {
  // A motor with limited torque, a spring and friction, under integral control that follows the limit: at rest theta is
  // the reference, the torque balances the spring, k theta = 3 * 0.5, and the integrator holds it.
  const std::string text = R"(
model Servo {
    parameter r = 0.5, k = 3, limit = 2;
    var theta := -20.0, omega := 0.0, z := 0.0;
    var e = r - theta;
    var u = z + 4 * e - 2 * omega;
    var torque = max(min(u, limit), -limit);
    der(theta) = omega;
    der(omega) = torque - k * theta - 0.2 * omega;
    der(z) = e + (torque - u);
}
)";
  const SteadyReport report = steady(text);
  ASSERT_TRUE(report.has_result) << report.complaint;
  EXPECT_NEAR(report.states[0].value, 0.5, 1e-8);
  EXPECT_NEAR(report.states[1].value, 0, 1e-8);
  EXPECT_NEAR(report.states[2].value, 1.5, 1e-8);
}

TEST(Steady, SaturatedTanksFindTheirLevels) {
  // Two tanks behind a pump of limited flow: at rest q = 1 (the limit) goes through both, so h = 1 and h = 0.25.
  const std::string text = R"(
model Tanks {
    var h1 := 30.0, h2 := 0.01;
    var q = min(1, 5 - h2);
    der(h1) = q - sqrt(max(h1, 0));
    der(h2) = sqrt(max(h1, 0)) - 2 * sqrt(max(h2, 0));
}
)";
  const SteadyReport report = steady(text);
  ASSERT_TRUE(report.has_result) << report.complaint;
  EXPECT_NEAR(report.states[0].value, 1, 1e-8);
  EXPECT_NEAR(report.states[1].value, 0.25, 1e-8);
}

TEST(Steady, ARelayThatNeverRestsHasNone) {
  const SteadyReport report = steady("model R {\n    var x := 3.0;\n    der(x) = if x > 0 then -1 else 1;\n}\n");
  EXPECT_FALSE(report.has_result);
  EXPECT_NE(report.complaint.find("der(x) comes no nearer to zero than"), std::string::npos) << report.complaint;
}

TEST(Steady, TellsThatTheActiveStatesAreLeft) {
  const std::string text = R"(
model T {
    output x := 0.0;
    chart c {
        initial -> Warm;
        state Warm {
            der(x) = 5 - x;
            when x >= 3 -> Cool;
        }
        state Cool {
            der(x) = -x;
        }
    }
}
)";
  const SteadyReport report = steady(text);
  EXPECT_FALSE(report.has_result);
  EXPECT_NE(report.complaint.find("T: c.Warm becomes c.Cool;"), std::string::npos) << report.complaint;
  const SteadyReport later = steady(text, 4);
  ASSERT_TRUE(later.has_result) << later.complaint;
  EXPECT_NEAR(later.states[0].value, 0, 1e-9);
}

TEST(Steady, SavedValuesStartARunThatStays) {
  const std::string text =
      "model V {\n    output x := 1.0;\n    parameter q = 2.0;\n    der(x) = q - x^3;\n"
      "    section Simulation { stop_time = 50; }\n}\n";
  MemoryFiles files({{"m.hyla", text}});
  SteadyRequest request;
  request.path = "m.hyla";
  request.save_file = "rest";
  const SteadyReport report = find_steady_state(request, files);
  ASSERT_TRUE(report.has_result) << report.complaint;
  LinearRequest later;
  later.path = "m.hyla";
  later.start_values_file = "rest";
  later.at = 40;
  const AnalysisReport moved = linearise_model(later, files);
  ASSERT_TRUE(moved.has_result);
  EXPECT_NEAR(moved.states[0].value, std::cbrt(2.0), 1e-9);
  EXPECT_NEAR(moved.states[0].derivative, 0, 1e-9);
}

}  // namespace
}  // namespace hyla::service
