// Many objects that are made at once: the first of them is gathered, the others take what it has shown.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "engine/collect.h"
#include "engine/island.h"
#include "service/run_testing.h"

namespace hyla::service {
namespace {

/// The world at the end of a run of `Case`.
std::unique_ptr<engine::World> world_after(const CheckedText& text, double stop_time) {
  diag::Sink sink;
  auto world = text.build(text.request(1), sink);
  if (!world) return nullptr;
  engine::RunOptions options;
  options.stop_time = stop_time;
  const engine::RunOutcome outcome = engine::run(*world, options, nullptr, sink);
  EXPECT_EQ(outcome.ending, engine::Ending::StopTime) << diag::render(sink.sorted(), text.sources());
  return world;
}

double value_of(const engine::World& world, const std::string& path, std::string_view name) {
  for (const engine::Object& object : world.objects) {
    if (!object.exists || world.path(object.self) != path) continue;
    for (const model::VariableId id : world.model.bodies[world.model.classes[object.object_class].body].variables) {
      if (world.model.name(world.model.variables[id].name) == name) {
        return object.slots[world.layout.variables[id.index]].real;
      }
    }
  }
  return std::nan("");
}

/// Each has an equation of its own, x = exp(-k (t - 1)), and a part that has another.
constexpr std::string_view kThings = R"(
model Clock {
    output s := 0;
    der(s) = 2;
}
model Thing {
    parameter k = 1;
    object clock: Clock;
    output x := 1;
    der(x) = -k * x;
}
model Case {
    population things: Thing;
    every 1 {
        for thing in things { delete thing; }
        for i in 1..40 { let thing = new Thing(k = 0.05 * i) in things; }
    }
})";

TEST(ManyObjects, OneShowsWhatAllHave) {
  const CheckedText text{std::string(kThings)};
  ASSERT_TRUE(text.good()) << text.errors();
  const auto world = world_after(text, 1.5);
  ASSERT_TRUE(world);
  EXPECT_EQ(world->gathering->group.objects.size(), 1U);  // the top object was gathered, and nobody else with it
  EXPECT_EQ(world->gathering->lone.size(), 2U);
  for (const int i : {1, 2, 39, 40}) {
    const std::string path = "Case.things[" + std::to_string(i) + "]";
    EXPECT_NEAR(value_of(*world, path, "x"), std::exp(-0.05 * i * 0.5), 1e-6) << path;
    EXPECT_NEAR(value_of(*world, path + ".clock", "s"), 1, 1e-9) << path;
  }
}

TEST(ManyObjects, ClustersAreTakenUpInTheSameInstant) {
  const CheckedText text{std::string(kThings)};
  ASSERT_TRUE(text.good()) << text.errors();
  const auto world = world_after(text, 9.5);
  ASSERT_TRUE(world);
  EXPECT_EQ(world->clusters.size(), 80U);
  EXPECT_NEAR(value_of(*world, "Case.things[360]", "x"), std::exp(-40 * 0.05 * 0.5), 1e-6);
}

/// Objects of a new plan that are not alone: each is fed by the one before it, x' = p - x, and the first begins with 1.
/// So the one behind k others has t^k / k! exp(-t).
TEST(ManyObjects, ThoseThatFollowOthersAreNotAlone) {
  const CheckedText text(R"(
model Stage {
    discrete before: Stage;
    output x := 0;
    der(x) = (if before != none then before.x else 0) - x;
}
model Case {
    population stages: Stage;
    at 1 {
        let first = new Stage(x := 1) in stages;
        var last: Stage := first;
        for i in 1..9 { last := new Stage(before := last) in stages; }
    }
})");
  ASSERT_TRUE(text.good()) << text.errors();
  const auto world = world_after(text, 3);
  ASSERT_TRUE(world);
  double expected = std::exp(-2.0);
  for (int k = 0; k < 10; ++k) {
    EXPECT_NEAR(value_of(*world, "Case.stages[" + std::to_string(k + 1) + "]", "x"), expected, 1e-5) << k;
    expected *= 2.0 / (k + 1);
  }
  EXPECT_EQ(world->clusters.size() - world->free_clusters.size(), 1U);
}

}  // namespace
}  // namespace hyla::service
