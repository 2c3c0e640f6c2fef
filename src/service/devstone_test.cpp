// The DEVStone benchmark: how many transitions a model makes, three times over: by the published formula, by a small
// flat kernel that knows nothing of the engine, and by the engine.
//
// Definitions and formulae: Glinsky and Wainer, "DEVStone: a benchmarking technique for studying performance of DEVS
// modeling and simulation environments", 2005; Risco-Martín, Mittal, Fabero, Zapater and Hermida, "Reconsidering the
// performance of DEVS modeling and simulation environments using the DEVStone benchmark", 2017. A confluent transition
// counts as an internal and an external one.
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "service/run_testing.h"

namespace hyla::service {
namespace {

enum class Shape { LI, HI, HO, HOmod };

struct Counts {
  std::int64_t internals = 0, externals = 0, messages = 0;
  bool operator==(const Counts&) const = default;
};

void PrintTo(const Counts& counts, std::ostream* out) {
  *out << counts.internals << " internal, " << counts.externals << " external, " << counts.messages << " messages";
}

// --- The formula
// -------------------------------------------------------------------------------------------------------------

std::int64_t formula(Shape shape, std::int64_t width, std::int64_t depth) {
  const std::int64_t w = width - 1;
  if (shape == Shape::LI) return w * (depth - 1) + 1;
  if (shape != Shape::HOmod) return w * width / 2 * (depth - 1) + 1;
  std::int64_t sum = 1;
  for (std::int64_t level = 1; level < depth; ++level) {
    const std::int64_t inputs = 1 + (level - 1) * w;  // instants at which the level's second port receives
    sum += inputs * w * width / 2 + w * (inputs + w);
  }
  return sum;
}

// --- The flat kernel
// -------------------------------------------------------------------------------------------------------------

/// Atomic components, by number, and who hears whom. Every component answers a message at once.
class FlatNetwork {
 public:
  FlatNetwork(Shape shape, int width, int depth) {
    const Ports top = level(shape, width, depth);
    first_ = top.first;
    for (const int target : top.second) first_.push_back(target);
  }

  Counts simulate() const {
    Counts counts;
    std::vector<bool> due(targets_.size());
    std::vector<int> bag(targets_.size());
    for (const int target : first_) ++bag[static_cast<std::size_t>(target)];
    for (bool busy = true; busy;) {
      busy = false;
      std::vector<int> next(targets_.size());
      std::vector<bool> next_due(targets_.size());
      for (std::size_t i = 0; i < targets_.size(); ++i) {
        if (bag[i] > 0) {
          ++counts.externals;
          counts.messages += bag[i];
          next_due[i] = busy = true;
        }
        if (due[i]) ++counts.internals;
      }
      for (std::size_t i = 0; i < targets_.size(); ++i) {
        if (!next_due[i]) continue;
        for (const int target : targets_[i]) ++next[static_cast<std::size_t>(target)];
      }
      bag = next;
      due = next_due;
    }
    return counts;
  }

 private:
  /// The components behind the two input ports of a coupled model.
  struct Ports {
    std::vector<int> first, second;
  };

  int atomic() {
    targets_.emplace_back();
    return static_cast<int>(targets_.size()) - 1;
  }
  void join(int from, int to) { targets_[static_cast<std::size_t>(from)].push_back(to); }

  Ports level(Shape shape, int width, int depth) {
    if (depth == 1) return {{atomic()}, {}};
    const Ports inner = level(shape, width, depth - 1);
    Ports ports;
    ports.first = inner.first;
    if (shape == Shape::HOmod) {
      triangle(width, inner, ports);
      return ports;
    }
    if (shape == Shape::HO) ports.first.insert(ports.first.end(), inner.second.begin(), inner.second.end());
    std::vector<int>& fed = shape == Shape::HO ? ports.second : ports.first;
    for (int i = 1, before = -1; i < width; ++i) {
      const int next = atomic();
      fed.push_back(next);
      if (shape != Shape::LI && before >= 0) join(before, next);
      before = next;
    }
    return ports;
  }

  void triangle(int width, const Ports& inner, Ports& ports) {
    std::vector<int> above;
    for (int i = 1; i < width; ++i) {
      above.push_back(atomic());
      ports.second.push_back(above.back());
      for (const int target : inner.second) join(above.back(), target);
    }
    for (int row = 2; row <= width; ++row) {
      std::vector<int> current;
      const int members = row == 2 ? width - 1 : static_cast<int>(above.size()) - 1;
      for (int i = 0; i < members; ++i) {
        current.push_back(atomic());
        if (i == 0) ports.second.push_back(current.back());
        if (row > 2) join(current.back(), above[static_cast<std::size_t>(i) + 1]);
        for (std::size_t k = 0; row == 2 && k < above.size(); ++k) join(current.back(), above[k]);
      }
      above = current;
    }
  }

  std::vector<std::vector<int>> targets_;
  std::vector<int> first_;  ///< what the seed reaches
};

// --- The engine
// -------------------------------------------------------------------------------------------------------------

constexpr std::string_view kStone = R"(
message Tick;
atomic Stone {
    port arrive receives Tick;
    port out sends Tick;
    var internals: Integer := 0, externals: Integer := 0, messages: Integer := 0;
    discrete sigma := infinity;
    advance { return sigma; }
    lambda { send out.Tick; }
    internal { internals := internals + 1; sigma := infinity; }
    external(elapsed, bag) {
        externals := externals + 1;
        for m in bag { messages := messages + 1; }
        sigma := 0;
    }
}
model Level1 {
    port first, second receives Tick;
    port out sends Tick;
    object stone: Stone;
    connect first -- stone.arrive;
    connect stone.out -- out;
}
)";

std::string triangle_text(int width) {
  std::string text;
  for (int i = 1; i < width; ++i) {
    text += fmt::format("object a1_{0}: Stone; connect second -- a1_{0}.arrive;\n", i);
    text += fmt::format("connect a1_{}.out -- inner.second;\n", i);
  }
  for (int row = 2, above = width - 1; row <= width; ++row) {
    const int members = row == 2 ? width - 1 : above - 1;
    for (int i = 1; i <= members; ++i) {
      text += fmt::format("object a{}_{}: Stone;\n", row, i);
      if (i == 1) text += fmt::format("connect second -- a{}_1.arrive;\n", row);
      if (row > 2) text += fmt::format("connect a{}_{}.out -- a{}_{}.arrive;\n", row, i, row - 1, i + 1);
      for (int k = 1; row == 2 && k < width; ++k) text += fmt::format("connect a2_{}.out -- a1_{}.arrive;\n", i, k);
    }
    above = members;
  }
  return text;
}

std::string level_text(Shape shape, int width, int depth) {
  std::string text = fmt::format(
      "model Level{} {{ port first, second receives Tick; port out, other sends Tick;\n"
      "object inner: Level{}; connect first -- inner.first; connect inner.out -- out;\n",
      depth, depth - 1);
  if (shape == Shape::HO) text += "connect first -- inner.second;\n";
  if (shape == Shape::HOmod) return text + triangle_text(width) + "}\n";
  for (int i = 1; i < width; ++i) {
    text +=
        fmt::format("object a{0}: Stone; connect {1} -- a{0}.arrive;\n", i, shape == Shape::HO ? "second" : "first");
    if (shape != Shape::LI && i > 1) text += fmt::format("connect a{}.out -- a{}.arrive;\n", i - 1, i);
    if (shape == Shape::HO) text += fmt::format("connect a{}.out -- other;\n", i);
  }
  return text + "}\n";
}

std::string devstone_text(Shape shape, int width, int depth) {
  std::string text(kStone);
  for (int i = 2; i <= depth; ++i) text += level_text(shape, width, i);
  return text + fmt::format(
                    "model Seed {{ port out sends Tick; at 1 {{ send out.Tick; }} }}\n"
                    "model Case {{ object seed: Seed; object level: Level{};\n"
                    "connect seed.out -- level.first; {} }}\n",
                    depth, shape == Shape::HO || shape == Shape::HOmod ? "connect seed.out -- level.second;" : "");
}

std::int64_t total(const engine::World& world, std::string_view variable) {
  std::int64_t sum = 0;
  for (const engine::Object& object : world.objects) {
    for (const auto id : world.model.bodies[world.model.classes[object.object_class].body].variables) {
      if (world.model.name(world.model.variables[id].name) != variable) continue;
      sum += object.slots[world.layout.variables[id.index]].integer;
    }
  }
  return sum;
}

Counts simulate(Shape shape, int width, int depth) {
  const CheckedText text(devstone_text(shape, width, depth));
  EXPECT_TRUE(text.good()) << text.errors();
  diag::Sink sink;
  const auto world = text.build(text.request(1), sink);
  EXPECT_TRUE(world);
  if (!world) return {};
  const engine::RunOutcome outcome = engine::run(*world, {}, nullptr, sink);
  EXPECT_EQ(outcome.ending, engine::Ending::Exhausted);
  return {total(*world, "internals"), total(*world, "externals"), total(*world, "messages")};
}

class DevStone : public testing::TestWithParam<std::tuple<Shape, int, int>> {};

TEST_P(DevStone, MakesTheTransitionsOfTheFormula) {
  const auto [shape, width, depth] = GetParam();
  const std::int64_t expected = formula(shape, width, depth);
  const Counts flat = FlatNetwork(shape, width, depth).simulate();
  EXPECT_EQ(flat.internals, expected) << "the flat kernel";
  EXPECT_EQ(flat.externals, expected) << "the flat kernel";
  EXPECT_EQ(simulate(shape, width, depth), flat) << "the engine";
}

INSTANTIATE_TEST_SUITE_P(Sizes, DevStone,
                         testing::Combine(testing::Values(Shape::LI, Shape::HI, Shape::HO, Shape::HOmod),
                                          testing::Values(1, 2, 3, 5, 9), testing::Values(1, 2, 3, 7)));

TEST(DevStone, LargerModels) {
  EXPECT_EQ(simulate(Shape::LI, 200, 40).internals, 199 * 39 + 1);
  EXPECT_EQ(simulate(Shape::HI, 60, 30).externals, 59 * 60 / 2 * 29 + 1);
  EXPECT_EQ(simulate(Shape::HO, 60, 30).externals, 59 * 60 / 2 * 29 + 1);
  EXPECT_EQ(simulate(Shape::HOmod, 12, 8).internals, formula(Shape::HOmod, 12, 8));
}

}  // namespace
}  // namespace hyla::service
