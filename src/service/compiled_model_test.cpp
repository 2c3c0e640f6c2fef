// A world that finds what earlier worlds of its model have compiled runs like one that finds nothing, bit for bit.
#include "engine/compiled_model.h"

#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "service/run_testing.h"

namespace hyla::service {
namespace {

/// All events, in bits.
class Trace final : public engine::Observer {
 public:
  void occurred(const engine::World& world, const engine::Occurrence& occurrence) override {
    text += fmt::format("{:a} {} {} {} {}\n", occurrence.time, engine::name_of(occurrence.kind),
                        world.path(occurrence.object), occurrence.reaction.index, occurrence.cause);
  }
  bool progress(const engine::World& /*world*/, double /*time*/, std::uint64_t /*events*/) override { return true; }
  void printed(const engine::World& /*world*/, double /*time*/, code::ObjectRef /*object*/,
               std::string_view line) override {
    text += line;
  }
  bool wants_occurrences() const override { return true; }

  std::string text;
};

/// Events, and all values at the end; of a run that takes up what `compiled` holds, unless that is null.
std::string run_of(const CheckedText& text, const engine::BuildRequest& request,
                   const std::shared_ptr<engine::CompiledModel>& compiled) {
  engine::BuildRequest own = request;
  own.compiled = compiled;
  diag::Sink sink;
  const std::unique_ptr<engine::World> world = text.build(own, sink);
  if (!world) return diag::render(sink.sorted(), text.sources());
  const engine::Settings settings = engine::settings_of(*world);
  engine::RunOptions options;
  options.start_time = settings.start_time;
  options.stop_time = std::min(settings.stop_time, settings.start_time + 200);
  options.keep_going = true;
  options.continuous.relative_tolerance = settings.relative_tolerance;
  options.continuous.absolute_tolerance = settings.absolute_tolerance;
  options.event_limit = 20000;
  Trace trace;
  const engine::RunOutcome outcome = engine::run(*world, options, &trace, sink);
  trace.text += fmt::format("{:a} {} {}\n", outcome.time, outcome.continuous.steps, outcome.continuous.configurations);
  for (const engine::Object& object : world->objects) {
    const std::vector<code::SlotUse>& uses = world->layout.classes[object.object_class.index].slots;
    for (std::size_t i = 0; i < uses.size(); ++i) {
      if (uses[i] == code::SlotUse::Plain) trace.text += fmt::format("{:x} ", object.slots[i].integer);
    }
  }
  return trace.text + diag::render(sink.sorted(), text.sources());
}

std::vector<std::string> examples() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator("examples")) {
    if (entry.path().extension() == ".hyla") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

class CompiledModel : public testing::TestWithParam<std::string> {};

TEST_P(CompiledModel, ServesLaterRunsWithoutATrace) {
  const CheckedText text(Disk(), GetParam());
  ASSERT_TRUE(text.good()) << text.errors();
  const engine::BuildRequest first = text.request(1), second = text.request(2);
  const std::string fresh = run_of(text, first, nullptr);
  const auto compiled = std::make_shared<engine::CompiledModel>(text.model());
  const std::string other = run_of(text, second, compiled);
  const std::size_t programs = compiled->programs.size(), plans = compiled->plans.size();
  EXPECT_EQ(run_of(text, first, compiled), fresh);
  EXPECT_EQ(run_of(text, second, compiled), other);
  EXPECT_EQ(run_of(text, second, nullptr), other);
  EXPECT_EQ(compiled->plans.size(), plans);
  EXPECT_EQ(compiled->programs.size(), programs);
}

INSTANTIATE_TEST_SUITE_P(Examples, CompiledModel, testing::ValuesIn(examples()),
                         [](const auto& one) { return std::filesystem::path(one.param).stem().string(); });

constexpr std::string_view kChain = R"(
model Case {
    parameter n: Integer = 3;
    parameter stiff: Real = 2;
    output x: Real[n] := fill(1, n);
    der(x[1]) = -stiff * x[1];
    for i in 2..n { der(x[i]) = x[i - 1] - x[i]; }
    chart {
        initial -> Falling;
        state Falling { when x[1] < 0.5 -> Rising { x[1] := 1; } }
        state Rising { when x[n] < 0.6 -> Falling; }
    }
}
)";

TEST(CompiledModelOfAChain, ParametersMayChangeValuesAndSizes) {
  const CheckedText text{std::string(kChain)};
  ASSERT_TRUE(text.good()) << text.errors();
  const auto compiled = std::make_shared<engine::CompiledModel>(text.model());
  std::size_t shapes = 0;
  for (int turn = 0; turn < 2; ++turn) {
    for (const char* n : {"3", "7", "2"}) {
      for (const char* stiff : {"2", "0.5"}) {
        const engine::BuildRequest request = text.request(1, {{"n", n}, {"stiff", stiff}});
        EXPECT_EQ(run_of(text, request, compiled), run_of(text, request, nullptr)) << n << ", " << stiff;
      }
    }
    if (turn == 0) shapes = compiled->shapes.size();
  }
  EXPECT_EQ(compiled->shapes.size(), shapes);
}

}  // namespace
}  // namespace hyla::service
