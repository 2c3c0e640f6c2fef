// Atomic models as parallel DEVS wants them: which function is called when, with what elapsed time and which bag;
// random networks against a small kernel of its own; coupled models against single ones that do the same.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "service/run_testing.h"

namespace hyla::service {
namespace {

// --- Single rules
// -------------------------------------------------------------------------------------------------------------

constexpr std::string_view kProbe = R"(
message Value { v: Integer; }
atomic Clock {
    port out sends Value;
    parameter period = 1, number: Integer = 0;
    advance { return period; }
    lambda { send out.Value(v = number); }
    internal {}
}
atomic Twice {
    port out sends Value;
    parameter period = 1;
    advance { return period; }
    lambda { send out.Value(v = 8); send out.Value(v = 9); }
    internal {}
}
atomic Probe {
    port p receives Value;
    parameter period = 1;
    discrete due := period;
    advance { return due - time; }
    internal { print("internal", time); due := time + period; }
    external(elapsed, bag) {
        print("external", time, elapsed);
        for m in bag { if m is p.Value { print("value", m.v); } }
    }
}
)";

TEST(ParallelDevs, ElapsedCountsFromTheLastEventOfTheModel) {
  EXPECT_EQ(printed(std::string(kProbe) + R"(
model Case {
    object clock: Clock(period = 2, number = 5);
    object probe: Probe(period = 3.5);
    connect clock.out -- probe.p;
}
)",
                    7.5),
            "external 2 2\nvalue 5\ninternal 3.5\nexternal 4 0.5\nvalue 5\nexternal 6 2\nvalue 5\ninternal 7\n");
}

TEST(ParallelDevs, WithoutConfluentTheInternalTransitionComesFirst) {
  EXPECT_EQ(printed(std::string(kProbe) + R"(
model Case {
    object probe: Probe(period = 2);
    object clock: Clock(period = 2, number = 5);
    connect clock.out -- probe.p;
}
)",
                    2),
            "internal 2\nexternal 2 0\nvalue 5\n");
}

TEST(ParallelDevs, BagsHoldTheMessagesInTheOrderOfTheirSenders) {
  EXPECT_EQ(printed(std::string(kProbe) + R"(
model Case {
    object a: Clock(period = 2, number = 1);
    object probe: Probe(period = 50);
    object b: Twice(period = 2);
    object c: Clock(period = 1, number = 3);
    connect c.out -- probe.p;
    connect b.out -- probe.p;
    connect a.out -- probe.p;
}
)",
                    2),
            "external 1 1\nvalue 3\nexternal 2 1\nvalue 1\nvalue 8\nvalue 9\nvalue 3\n");
}

TEST(ParallelDevs, ConfluentMayChooseItsOrder) {
  EXPECT_EQ(printed(std::string(kProbe) + R"(
atomic Other {
    port p receives Value;
    var n: Integer := 0;
    advance { return 1; }
    internal { n := 2 * n; print("internal", n); }
    external(elapsed, bag) { n := n + 1; print("external", n, elapsed); }
    confluent(bag) { external(0, bag); internal; print("confluent", n); }
}
model Case {
    object clock: Clock(period = 1);
    object other: Other;
    connect clock.out -- other.p;
}
)",
                    2),
            "external 1 0\ninternal 2\nconfluent 2\nexternal 3 0\ninternal 6\nconfluent 6\n");
}

/// A circle of zero-time advances: each link sees the message at the same time and one round later; the first hears its
/// own message again after all rounds, with an elapsed time of 0. The transitions of one step come in the
/// order of the objects.
TEST(ParallelDevs, ZeroTimeAdvancesFollowEachOther) {
  EXPECT_EQ(printed(R"(
message Value { v: Integer; }
atomic Link {
    port p receives Value;
    port q sends Value;
    parameter name: Integer = 0, first = infinity;
    var held: Integer := 0;
    discrete sigma := first;
    advance { return sigma; }
    lambda { send q.Value(v = held + 1); }
    internal { sigma := infinity; print("internal", name, time); }
    external(elapsed, bag) {
        for m in bag { if m is p.Value { held := m.v; } }
        sigma := if held < 5 then 0 else infinity;
        print("external", name, held, elapsed);
    }
}
model Case {
    object a: Link(name = 1, first = 3);
    object b: Link(name = 2);
    object c: Link(name = 3);
    connect a.q -- b.p;
    connect b.q -- c.p;
    connect c.q -- a.p;
}
)"),
            "internal 1 3\nexternal 2 1 3\ninternal 2 3\nexternal 3 2 3\nexternal 1 3 0\ninternal 3 3\n"
            "internal 1 3\nexternal 2 4 0\ninternal 2 3\nexternal 3 5 0\n");
}

// --- Random networks
// -------------------------------------------------------------------------------------------------------------

constexpr std::int64_t kPrime = 1000003;

/// Components with a number as state. It decides how long they wait and mixes in everything that happens to them: when,
/// what, in which order. All times are whole, so events often coincide, and some take no time.
constexpr std::string_view kNode = R"(
message Value { v: Integer; }
atomic Node {
    port p receives Value;
    port q sends Value;
    parameter start: Integer = 1;
    var h: Integer := start, seen: Integer := 0;
    discrete sigma := 1 + mod(start, 3);
    advance { return sigma; }
    lambda { send q.Value(v = h); }
    internal {
        h := mod(31 * h + 7, 1000003);
        sigma := mod(h, 4);
        seen := seen + 1;
    }
    external(elapsed, bag) {
        h := mod(17 * h + integer(elapsed), 1000003);
        for m in bag {
            if m is p.Value {
                h := mod(29 * h + m.v, 1000003);
            }
        }
        if mod(h, 5) == 0 {
            sigma := infinity;
        } else if mod(h, 5) < 3 {
            sigma := sigma - elapsed;
        } else {
            sigma := mod(h, 4);
        }
        seen := seen + 1000;
    }
}
atomic Stubborn extends Node {
    confluent(bag) {
        external(0, bag);
        internal;
        seen := seen + 1000000;
    }
}
)";

struct Node {
  bool stubborn = false;
  std::int64_t start = 1;
  std::vector<std::size_t> targets;  ///< in the order of the connections
};

struct Final {
  std::int64_t h = 0, seen = 0;
  bool operator==(const Final&) const = default;
};

void PrintTo(const Final& one, std::ostream* out) { *out << one.h << "/" << one.seen; }

/// The abstract simulator of parallel DEVS over a flat network.
class Kernel {
 public:
  explicit Kernel(const std::vector<Node>& nodes) : nodes_(nodes), states_(nodes.size()) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      states_[i].result.h = nodes[i].start;
      states_[i].sigma = 1 + static_cast<double>(nodes[i].start % 3);
    }
  }

  std::vector<Final> run(double stop) {
    for (;;) {
      double next = std::numeric_limits<double>::infinity();
      for (const State& one : states_) next = std::min(next, one.last + one.sigma);
      if (next > stop) break;
      round(next);
    }
    std::vector<Final> result;
    for (const State& one : states_) result.push_back(one.result);
    return result;
  }

 private:
  struct State {
    Final result;
    double sigma = 0, last = 0;
    std::vector<std::int64_t> bag;
  };

  void round(double now) {
    std::vector<bool> imminent(states_.size());
    for (std::size_t i = 0; i < states_.size(); ++i) {
      imminent[i] = states_[i].last + states_[i].sigma == now;
      if (!imminent[i]) continue;
      for (const std::size_t target : nodes_[i].targets) states_[target].bag.push_back(states_[i].result.h);
    }
    for (std::size_t i = 0; i < states_.size(); ++i) {
      State& one = states_[i];
      if (!imminent[i] && one.bag.empty()) continue;
      if (imminent[i] && !one.bag.empty()) {
        if (!nodes_[i].stubborn) internal(one);
        external(one, 0);
        if (nodes_[i].stubborn) internal(one);
        one.result.seen += nodes_[i].stubborn ? 1000000 : 0;
      } else if (imminent[i]) {
        internal(one);
      } else {
        external(one, now - one.last);
      }
      one.last = now;
      one.bag.clear();
    }
  }
  static void internal(State& one) {
    one.result.h = (31 * one.result.h + 7) % kPrime;
    one.sigma = static_cast<double>(one.result.h % 4);
    one.result.seen += 1;
  }
  static void external(State& one, double elapsed) {
    std::int64_t& h = one.result.h;
    h = (17 * h + static_cast<std::int64_t>(elapsed)) % kPrime;
    for (const std::int64_t value : one.bag) h = (29 * h + value) % kPrime;
    if (h % 5 == 0) {
      one.sigma = std::numeric_limits<double>::infinity();
    } else if (h % 5 < 3) {
      one.sigma -= elapsed;
    } else {
      one.sigma = static_cast<double>(h % 4);
    }
    one.result.seen += 1000;
  }

  const std::vector<Node>& nodes_;
  std::vector<State> states_;
};

std::vector<Node> random_network(std::mt19937_64& random) {
  std::vector<Node> nodes(2 + random() % 9);
  for (Node& node : nodes) {
    node.stubborn = random() % 2 == 0;
    node.start = static_cast<std::int64_t>(random() % 1000);
    for (std::uint64_t i = random() % 3; i > 0; --i) {
      const std::size_t target = random() % nodes.size();
      if (&nodes[target] == &node) continue;
      if (std::find(node.targets.begin(), node.targets.end(), target) == node.targets.end()) {
        node.targets.push_back(target);
      }
    }
  }
  return nodes;
}

std::string node_text(const Node& node, std::size_t i) {
  return fmt::format("object n{}: {}(start = {});\n", i, node.stubborn ? "Stubborn" : "Node", node.start);
}

std::string flat_text(const std::vector<Node>& nodes) {
  std::string text = std::string(kNode) + "model Case {\n";
  for (std::size_t i = 0; i < nodes.size(); ++i) text += node_text(nodes[i], i);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const std::size_t target : nodes[i].targets) text += fmt::format("connect n{}.q -- n{}.p;\n", i, target);
  }
  return text + "}\n";
}

/// The same network in pairs of nodes: every pair is a coupled model whose ports relay.
std::string coupled_text(const std::vector<Node>& nodes) {
  std::string text(kNode);
  std::string top = "model Case {\n";
  for (std::size_t i = 0; i < nodes.size(); i += 2) {
    text += fmt::format("model Pair{} {{\n", i);
    for (std::size_t k = i; k < std::min(i + 2, nodes.size()); ++k) {
      text += fmt::format("port p{0} receives Value; port q{0} sends Value;\n{1}", k, node_text(nodes[k], k));
      text += fmt::format("connect p{0} -- n{0}.p; connect n{0}.q -- q{0};\n", k);
    }
    text += "}\n";
    top += fmt::format("object pair{0}: Pair{0};\n", i);
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const std::size_t target : nodes[i].targets) {
      top += fmt::format("connect pair{}.q{} -- pair{}.p{};\n", i / 2 * 2, i, target / 2 * 2, target);
    }
  }
  return text + top + "}\n";
}

std::vector<Final> simulate(const std::string& source, double stop) {
  const CheckedText text(source);
  EXPECT_TRUE(text.good()) << text.errors();
  diag::Sink sink;
  const auto world = text.build(text.request(1), sink);
  if (!world) return {};
  engine::RunOptions options;
  options.stop_time = stop;
  EXPECT_NE(engine::run(*world, options, nullptr, sink).ending, engine::Ending::Failed);
  std::vector<Final> result;
  for (const engine::Object& object : world->objects) {
    Final one;
    bool is_node = false;
    for (model::ClassId id = object.object_class; id; id = world->model.classes[id].base) {
      for (const auto variable : world->model.bodies[world->model.classes[id].body].variables) {
        const std::string_view name = world->model.name(world->model.variables[variable].name);
        const std::int64_t value = object.slots[world->layout.variables[variable.index]].integer;
        if (name == "h") one.h = value;
        if (name == "seen") one.seen = value;
        is_node = is_node || name == "h";
      }
    }
    if (is_node) result.push_back(one);
  }
  return result;
}

TEST(ParallelDevs, RandomNetworksDoWhatTheAbstractSimulatorDoes) {
  std::mt19937_64 random(1);
  std::int64_t confluent = 0;
  for (int i = 0; i < 300; ++i) {
    const std::vector<Node> nodes = random_network(random);
    const std::vector<Final> expected = Kernel(nodes).run(200);
    ASSERT_EQ(simulate(flat_text(nodes), 200), expected) << "network " << i << "\n" << flat_text(nodes);
    ASSERT_EQ(simulate(coupled_text(nodes), 200), expected) << "network " << i << "\n" << coupled_text(nodes);
    for (const Final& one : expected) confluent += one.seen / 1000000;
  }
  EXPECT_GT(confluent, 1000) << "events coincide often";
}

}  // namespace
}  // namespace hyla::service
