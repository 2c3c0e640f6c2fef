#include "service/solver_options.h"

#include <string>

#include <gtest/gtest.h>

#include "service/run_testing.h"

namespace hyla::service {
namespace {

std::string complaint(const SolverWords& words) {
  const auto failure = check_solver_words(words);
  return failure ? failure->message : "";
}

TEST(SolverOptions, DefaultsAreThoseOfTheEngine) {
  const engine::ContinuousOptions options = continuous_options({}, {}, 0.02).value();
  EXPECT_EQ(options.method, solve::Method::Auto);
  EXPECT_EQ(options.relative_tolerance, 1e-6);
  EXPECT_EQ(options.absolute_tolerance, 1e-9);
  EXPECT_EQ(options.fixed_step, 0.02);
  EXPECT_FALSE(options.one_sided);
  EXPECT_EQ(options.zeno, engine::Zeno::Stop);
  EXPECT_EQ(options.jit, engine::Jit::Auto);
}

TEST(SolverOptions, WordsOverruleTheModel) {
  engine::Settings settings;
  settings.solver = "rk8";
  settings.zeno = "slide";
  settings.events = "one_sided";
  settings.relative_tolerance = 1e-4;
  settings.absolute_tolerance = 1e-5;
  engine::ContinuousOptions options = continuous_options(settings, {}, 0).value();
  EXPECT_EQ(options.method, solve::Method::Rk8);
  EXPECT_EQ(options.zeno, engine::Zeno::Slide);
  EXPECT_TRUE(options.one_sided);
  EXPECT_EQ(options.gamma, engine::ContinuousOptions().gamma);
  EXPECT_EQ(options.relative_tolerance, 1e-4);
  EXPECT_EQ(options.absolute_tolerance, 1e-5);

  options = continuous_options(settings, {"cvode-bdf", "one_sided:0.25", "continue", "off", 1e-8, 0.5}, 0).value();
  EXPECT_EQ(options.method, solve::Method::CvodeBdf);
  EXPECT_EQ(options.gamma, 0.25);
  EXPECT_EQ(options.zeno, engine::Zeno::Continue);
  EXPECT_EQ(options.jit, engine::Jit::Off);
  EXPECT_EQ(options.relative_tolerance, 1e-8);
  EXPECT_DOUBLE_EQ(options.absolute_tolerance, 1e-11);
  EXPECT_EQ(options.fixed_step, 0.5);
  EXPECT_FALSE(continuous_options(settings, {"", "isolate", "", "", {}, {}}, 0).value().one_sided);
}

TEST(SolverOptions, BadWordsAreNamedWithTheNearestGoodOne) {
  EXPECT_EQ(complaint({"auto", "isolate", "stop", "auto", 1e-6, 0.1}), "");
  EXPECT_NE(complaint({"rosenbrok", "", "", "", {}, {}}).find("not `rosenbrok`; did you mean `rosenbrock`?"),
            std::string::npos);
  EXPECT_EQ(
      complaint({"", "one-sided", "", "", {}, {}}),
      "--events takes one of `isolate`, `one_sided` and `interpolant`, not `one-sided`; did you mean `one_sided`?");
  for (const char* wrong :
       {"one_sided:", "one_sided:1", "one_sided:0", "one_sided:-1", "one_sided:0.5x", "isolate:0.5"}) {
    EXPECT_EQ(complaint({"", wrong, "", "", {}, {}}),
              "--events takes `one_sided:GAMMA` with a number between 0 and 1, not `" + std::string(wrong) + "`");
  }
  EXPECT_NE(complaint({"", "", "slip", "", {}, {}}).find("--zeno takes one of"), std::string::npos);
  EXPECT_NE(complaint({"", "", "", "maybe", {}, {}}).find("--jit takes one of"), std::string::npos);
  EXPECT_EQ(complaint({"", "", "", "", 0.0, {}}), "--tolerance takes a positive number, not `0`");
  EXPECT_EQ(complaint({"", "", "", "", {}, -1.0}), "--step-size takes a positive number, not `-1`");
}

TEST(SolverOptions, TheModelsSettingsArriveWithTheirParameters) {
  const CheckedText text(R"(
model Case {
    parameter accuracy = 1e-3;
    section Simulation {
        tolerance = accuracy;
        absolute_tolerance = 1e-7;
        output_interval = 2 * accuracy;
        solver = "rk4";
        events = "one_sided";
        zeno = "continue";
    }
}
)");
  ASSERT_TRUE(text.good()) << text.errors();
  diag::Sink sink;
  const auto world = text.build(text.request(1, {{"accuracy", "0.01"}}), sink);
  ASSERT_TRUE(world);
  const engine::Settings settings = engine::settings_of(*world);
  EXPECT_EQ(settings.relative_tolerance, 0.01);
  EXPECT_EQ(settings.absolute_tolerance, 1e-7);
  EXPECT_EQ(settings.output_interval, 0.02);
  EXPECT_EQ(settings.solver, "rk4");
  EXPECT_EQ(settings.events, "one_sided");
  EXPECT_EQ(settings.zeno, "continue");
  const engine::Settings by_default = engine::settings_of(text.model(), text.request(1).top);
  EXPECT_EQ(by_default.relative_tolerance, 1e-3);
}

TEST(SolverOptions, AWrongWordInTheModelIsAFailure) {
  engine::Settings settings;
  settings.solver = "rk5";
  EXPECT_NE(continuous_options(settings, {}, 0).message().find("section Simulation: solver takes one of"),
            std::string::npos);
}

}  // namespace
}  // namespace hyla::service
