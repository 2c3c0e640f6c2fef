// Events that accumulate, and what is not taken for them.
#include <cmath>
#include <cstdlib>

#include <gtest/gtest.h>

#include "service/expected_run_testing.h"

namespace hyla::service {
namespace {

RunResult run_ball(const std::string& restitution, const std::string& zeno) {
  Expectation expected = read_expectation("tests/continuous/zeno_stop.hyla");
  expected.request.settings.push_back(parse_setting("e=" + restitution).value());
  expected.request.solver.zeno = zeno;
  return run_expected(expected, "ball");
}

double limit_of(double e) { return std::sqrt(2 / 9.81) * (1 + e) / (1 - e); }

/// The last bounce comes shortly before the limit; behind it the ball lies still.
TEST(Zeno, TheBallRestsAtTheLimit) {
  EXPECT_NEAR(limit_of(0.8), 4.06371276887157814, 1e-14);
  for (const char* e : {"0.1", "0.3", "0.5", "0.7", "0.8"}) {
    const RunResult result = run_ball(e, "slide");
    ASSERT_TRUE(result.report.has_run) << result.messages();
    ASSERT_FALSE(result.events.empty());
    double last = 0;
    for (const LoggedEvent& event : result.events) last = event.reaction == "bounce" ? event.time : last;
    EXPECT_NEAR(last, limit_of(std::strtod(e, nullptr)), 1e-6) << e;
    ASSERT_FALSE(result.rows.empty());
    EXPECT_EQ(result.rows.back().time, 6) << e;
  }
}

/// With `slide` nothing changes where no events accumulate.
TEST(Zeno, OtherModelsAreLeftAlone) {
  for (const char* file : {"tests/reference/pwm_servo.txt", "tests/continuous/bounce_rearm.hyla",
                           "tests/reference/two_tanks_stroke_2s.txt", "tests/continuous/close_events.hyla"}) {
    Expectation expected = read_expectation(file);
    const RunResult plain = run_expected(expected, "plain");
    ASSERT_TRUE(plain.report.has_run) << plain.messages();
    expected.request.solver.zeno = "slide";
    const RunResult other = run_expected(expected, "plain");
    const auto events = [](const RunResult& one) { return one.events_text.substr(one.events_text.find('\n')); };
    EXPECT_EQ(events(plain), events(other)) << file;
    EXPECT_EQ(plain.rows_text, other.rows_text) << file;
  }
}

/// Fuller's problem: switches of an equation that accumulate without sliding.
TEST(Zeno, SwitchesOfEquationsAccumulateToo) {
  RunRequest request;
  request.path = "model.hyla";
  request.stop_time = 8;
  const std::string text =
      "model Fuller {\n    output x := 1, v := 0;\n    der(x) = v;\n"
      "    der(v) = -sign(x + 0.4 * v * abs(v));\n}\n";
  RunWatcher watcher;
  const RunReport report = run_model(request, MemoryFiles({{"model.hyla", text}}), watcher);
  const std::string messages = diag::render(report.diagnostics, report.sources);
  EXPECT_NE(messages.find("error[zeno]"), std::string::npos) << messages;
  EXPECT_NE(messages.find("3.16227766"), std::string::npos) << messages;
}

/// Where both are wanted, the surface is approached from inside and then followed.
TEST(Zeno, SlidesWithOneSidedLocation) {
  for (const char* file : {"slide_leaves", "stick_slip", "zeno_lift", "relay_sine"}) {
    Expectation expected = read_expectation("tests/continuous/" + std::string(file) + ".hyla");
    expected.request.solver.events = "one_sided";
    const RunResult result = run_expected(expected, file);
    expect_ending(expected, result);
    ASSERT_TRUE(result.report.has_run) << result.messages();
    EXPECT_LE(Comparison(expected, result).errors().value, 1e-5) << file;
  }
}

}  // namespace
}  // namespace hyla::service
