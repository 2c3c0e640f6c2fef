// Structures that were met before are not gathered again, and come out as if they were.
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/collect.h"
#include "service/run_testing.h"

namespace hyla::service {
namespace {

/// How a run ended: values of all objects, bit for bit, and how often equations had to be gathered.
struct Ended {
  std::string values;
  std::uint64_t changes = 0, unknown = 0;
};

Ended run(const CheckedText& text, double stop_time, bool remembers) {
  Ended result;
  diag::Sink sink;
  const auto world = text.build(text.request(1), sink);
  if (!world) {
    result.values = diag::render(sink.sorted(), text.sources());
    return result;
  }
  if (!remembers) world->gathering->known.limit(0);
  engine::RunOptions options;
  options.stop_time = stop_time;
  const engine::RunOutcome outcome = engine::run(*world, options, nullptr, sink);
  EXPECT_EQ(outcome.ending, engine::Ending::StopTime) << diag::render(sink.sorted(), text.sources());
  for (const engine::Object& object : world->objects) {
    if (!object.exists) continue;
    const auto& uses = world->layout.classes[object.object_class.index].slots;
    result.values += world->path(object.self);
    for (std::size_t slot = 0; slot < uses.size(); ++slot) {
      if (uses[slot] == code::SlotUse::Plain) result.values += fmt::format(" {:x}", object.slots[slot].integer);
    }
    result.values += "\n";
  }
  result.changes = world->gatherings;
  result.unknown = world->gathering->unknown;
  return result;
}

/// Runs a model with and without memory of structures. Of `unknown` at most so many are met.
void expect_same(const std::string& model, double stop_time, std::uint64_t changes, std::uint64_t unknown) {
  const CheckedText text(model);
  ASSERT_TRUE(text.good()) << text.errors() << model;
  const Ended with = run(text, stop_time, true), without = run(text, stop_time, false);
  EXPECT_EQ(with.values, without.values) << model;
  EXPECT_EQ(with.changes, without.changes) << model;
  EXPECT_GE(with.changes, changes) << model;
  EXPECT_LE(with.unknown, unknown) << model;
  EXPECT_EQ(without.unknown, without.changes) << model;
}

constexpr std::string_view kNetwork = R"(
connector Pipe {
    potential p: Real;
    flow q: Real;
}
model Tank {
    plug a: Pipe;
    output x := 1;
    a.p = x;
    der(x) = a.q;
}
model Valve {
    parameter k = 0.2;
    plug a, b: Pipe;
    a.q = k * (a.p - b.p);
    a.q + b.q = 0;
}
)";

TEST(KnownStructures, PlugsJoinedInStates) {
  expect_same(fmt::format("{}{}", kNetwork, R"(
model Case {
    object t: Tank;
    object u: Tank(x := 2);
    object v: Valve;
    connect t.a -- v.a;
    chart {
        initial -> Joined;
        state Joined {
            connect u.a -- v.b;
            after 0.25 -> Parted;
        }
        state Parted { after 0.5 -> Joined; }
    }
})"),
              20, 50, 2);
}

TEST(KnownStructures, PlugsJoinedByActions) {
  expect_same(fmt::format("{}{}", kNetwork, R"(
model Case {
    object t: Tank;
    object u: Tank(x := 2);
    object v: Valve;
    connect t.a -- v.a;
    chart {
        initial -> Parted;
        state Joined { after 0.25 -> Parted { disconnect u.a -- v.b; } }
        state Parted { after 0.5 -> Joined { connect u.a -- v.b; } }
    }
})"),
              20, 50, 2);
}

TEST(KnownStructures, ElementsOfPlugsJoinedByActions) {
  expect_same(fmt::format("{}{}", kNetwork, R"(
model Tap {
    plug a[3]: Pipe;
    output lost := 0;
    for i in 1..3 { a[i].q = 0.1 * i * a[i].p; }
    der(lost) = a[1].q + a[2].q + a[3].q;
}
model Case {
    object t: Tank;
    object tap: Tap;
    discrete k: Integer := 1;
    at 0.1 { connect t.a -- tap.a[k]; }
    every 0.25 {
        disconnect t.a -- tap.a[k];
        k := mod(k, 3) + 1;
        connect t.a -- tap.a[k];
    }
})"),
              20, 80, 5);
}

TEST(KnownStructures, ElementsOfInputsConnectedByActions) {
  expect_same(R"(
model Sum {
    input u[3] := [0, 0, 0];
    output y := 0;
    der(y) = u[1] + 10 * u[2] + 100 * u[3] - y;
}
model Case {
    object s: Sum;
    var x := 1;
    der(x) = 1 - 0.5 * x;
    discrete k: Integer := 1;
    at 0.1 { connect x -> s.u[k]; }
    every 0.25 {
        disconnect x -> s.u[k];
        k := mod(k, 3) + 1;
        connect x -> s.u[k];
    }
})",
              20, 80, 5);
}

TEST(KnownStructures, OccupantsWithInputs) {
  expect_same(R"(
abstract model Valve {
    input x := 1;
    output q: Real;
}
model Wide extends Valve { q = 0.2 * x; }
model Narrow extends Valve {
    output w := 0;
    der(w) = x - w;
    q = 0.19 * w;
}
model Case {
    output x := 1;
    dynamic valve: Valve := Wide();
    connect x -> valve.x;
    der(x) = 1 - valve.q;
    chart {
        initial -> Low;
        state Low { after 0.25 -> High { valve := Narrow(w := x); } }
        state High { after 0.5 -> Low { valve := Wide(); } }
    }
})",
              20, 50, 3);
}

TEST(KnownStructures, OccupantsWithPlugs) {
  expect_same(fmt::format("{}{}", kNetwork, R"(
model Narrow extends Valve(k = 0.05) { output flow = a.q; }
model Case {
    object t: Tank;
    object u: Tank(x := 2);
    dynamic v: Valve := Valve();
    connect t.a -- v.a;
    connect v.b -- u.a;
    chart {
        initial -> Low;
        state Low { after 0.25 -> High { v := Narrow(); } }
        state High { after 0.5 -> Low { v := Valve(); } }
    }
})"),
              20, 50, 3);
}

/// Equations depend on parameters of the objects that come: those of another size are no others like them.
TEST(KnownStructures, OccupantsOfOtherSizes) {
  expect_same(R"(
model Chain {
    parameter n: Integer = 2;
    input x := 1;
    var y: Real[n] := fill(1, n);
    output q = y[n];
    der(y[1]) = x - y[1];
    for i in 2..n { der(y[i]) = y[i - 1] - y[i]; }
}
model Case {
    output x := 1;
    discrete n: Integer := 2;
    dynamic chain: Chain := Chain();
    connect x -> chain.x;
    der(x) = 1 - chain.q;
    every 0.25 {
        n := 2 + mod(n, 3);
        chain := Chain(n = n);
    }
})",
              10, 30, 1000);
}

/// A sum over a population follows its members; a reader outside sees it all the while.
TEST(KnownStructures, Populations) {
  expect_same(R"(
model Leak {
    parameter k = 0.1;
    input level := 0;
    output w := 0;
    der(w) = k * level - w;
}
model Case {
    output x := 5;
    population leaks: Leak;
    der(x) = 1 - sum(l.w for l in leaks);
    output seen := 0;
    when x < 4 { seen := seen + 1; }
    chart {
        initial -> Few;
        state Few { after 0.25 -> Many { let l = new Leak(level = x) in leaks; } }
        state Many { after 0.5 -> Few { for l in leaks { delete l; } } }
    }
})",
              20, 50, 1000);
}

/// Valves are joined to tanks and parted from them at random, so that some tanks may be one; a tank is watched from
/// outside.
std::string random_network(std::mt19937_64& random) {
  const auto pick = [&](std::uint64_t count) { return static_cast<int>(random() % count); };
  constexpr int kTanks = 4, kValves = 4;
  std::string text(kNetwork);
  text += "model Watch { input u := 0; output n := 0; when u > 1.5 { n := n + 1; } }\nmodel Case {\n";
  for (int i = 0; i < kTanks; ++i) text += fmt::format("    object t{}: Tank(x := {});\n", i, 1 + 0.5 * i);
  for (int i = 0; i < kValves; ++i) {
    text += fmt::format("    object v{0}: Valve(k = {1});\n    connect v{0}.a -- t{0}.a;\n", i, 0.2 + 0.1 * pick(2));
    for (int k = 1; k < 3; ++k) text += fmt::format("    discrete b{}_{}: Boolean := false;\n", i, k);
  }
  text += "    object w: Watch;\n    connect t1.x -> w.u;\n";
  for (int i = 0; i < 60; ++i) {
    const int valve = pick(kValves), step = 1 + pick(2);
    text += fmt::format(
        "    at {0} {{ if b{1}_{2} {{ disconnect v{1}.b -- t{3}.a; }} else {{ connect v{1}.b -- t{3}.a; }} "
        "b{1}_{2} := not b{1}_{2}; }}\n",
        0.1 * (i + 1), valve, step, (valve + step) % kTanks);
  }
  return text + "}\n";
}

TEST(KnownStructures, RandomNetworks) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 10; ++i) expect_same(random_network(random), 7, 60, 60);
}

}  // namespace
}  // namespace hyla::service
