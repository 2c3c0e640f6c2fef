// The typical size of a variable scales its tolerance: a model in other units takes the same steps.
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "service/run_testing.h"

namespace hyla::service {
namespace {

struct Decay {
  std::uint64_t steps = 0;
  double last = 0;
};

/// A decay from a start far below its tolerance to one far above it, in a unit of its own.
Decay run_decay(double unit, const std::string& declared) {
  const CheckedText text(fmt::format(R"(
model Case {{
    parameter unit = {0:.17g};
    output x: Real{1} := 1e-3 * unit;
    der(x) = 3 * unit * sin(time) - x;
}}
)",
                                     unit, declared));
  EXPECT_TRUE(text.good()) << text.errors();
  diag::Sink sink;
  const std::unique_ptr<engine::World> world = text.build(text.request(1), sink);
  if (!world) return {};
  engine::RunOptions options;
  options.stop_time = 5;
  options.continuous.relative_tolerance = options.continuous.absolute_tolerance = 1e-6;
  const engine::RunOutcome outcome = engine::run(*world, options, nullptr, sink);
  const std::uint32_t slot = world->layout.variables[world->model.variables.size() - 1];
  return {outcome.continuous.steps, world->objects[0].slots[slot].real / unit};
}

TEST(Nominal, ScalesTheTolerance) {
  const Decay plain = run_decay(1, "");
  ASSERT_GT(plain.steps, 10u);
  for (const double unit : {0x1p20, 0x1p-20}) {
    const Decay constant = run_decay(unit, fmt::format("(nominal = {:.17g})", unit));
    EXPECT_EQ(constant.steps, plain.steps);
    EXPECT_EQ(constant.last, plain.last);
    const Decay computed = run_decay(unit, "(nominal = -unit)");
    EXPECT_EQ(computed.steps, plain.steps);
    EXPECT_EQ(computed.last, plain.last);
    EXPECT_NE(run_decay(unit, "").steps, plain.steps);
  }
}

TEST(Nominal, WhatCannotBeComputedIsReported) {
  for (const auto& [size, message] :
       {std::pair("1 / p", "the nominal size of `x` cannot be computed: division by zero"),
        std::pair("exp(800 + p)", "the nominal size of `x` is no finite number")}) {
    const CheckedText text(
        fmt::format("model Case {{ parameter p = 0; output x: Real(nominal = {}) := 1; der(x) = -x; }}", size));
    ASSERT_TRUE(text.good()) << text.errors();
    diag::Sink sink;
    EXPECT_EQ(text.build(text.request(1), sink), nullptr);
    ASSERT_EQ(sink.diagnostics().size(), 1U);
    EXPECT_EQ(sink.diagnostics()[0].message, message);
    EXPECT_EQ(sink.diagnostics()[0].text, "in `Case`");
  }
}

TEST(Nominal, NothingIsNoSize) { EXPECT_EQ(run_decay(1, "(nominal = 0)").last, run_decay(1, "").last); }

}  // namespace
}  // namespace hyla::service
