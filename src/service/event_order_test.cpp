// The order of simultaneous events: random models in which nearly all events coincide, against a direct reading of the
// rule (docs/language.md, section 22.1). In a step time-outs come before messages, then objects in the order of their
// creation, then places in the text; messages to one object keep the order of sending.
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "service/run_testing.h"

namespace hyla::service {
namespace {

constexpr std::int64_t kPrime = 10007;

/// An object with two clocks that sends what it hears on, as its number says.
struct Node {
  std::int64_t periods[2] = {1, 1};
  std::vector<std::size_t> targets[2];  ///< who hears the first and the second port, in the order of connection
};

constexpr std::string_view kNode = R"(
message Value { left: Integer; v: Integer; }
model Node {
    parameter id: Integer = 0, period[2] = [1, 1];
    port p receives Value;
    port q[2] sends Value;
    var h: Integer := id;
    every period[1] {
        h := mod(31 * h + 1, 10007);
        print(id, h, time);
        send q[1].Value(left = 2, v = h);
    }
    every period[2] {
        h := mod(37 * h + 2, 10007);
        print(id, h, time);
        send q[2].Value(left = 1, v = h) after mod(h, 3);
    }
    on p.Value as m {
        h := mod(41 * h + m.v, 10007);
        print(id, h, time);
        if m.left > 0 {
            send q[1 + mod(h, 2)].Value(left = m.left - 1, v = h);
            send q[1].Value(left = m.left - 1, v = m.v) after mod(m.v, 4);
        }
    }
}
)";

std::string text_of(const std::vector<Node>& nodes) {
  std::string text = std::string(kNode) + "model Case {\n";
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    text +=
        fmt::format("object n{0}: Node(id = {0}, period = [{1}, {2}]);\n", i, nodes[i].periods[0], nodes[i].periods[1]);
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (std::size_t port = 0; port < 2; ++port) {
      for (const std::size_t target : nodes[i].targets[port]) {
        text += fmt::format("connect n{}.q[{}] -- n{}.p;\n", i, port + 1, target);
      }
    }
  }
  return text + "}\n";
}

/// What the rule says.
class Reading {
 public:
  explicit Reading(const std::vector<Node>& nodes) : nodes_(nodes) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      numbers_.push_back(static_cast<std::int64_t>(i));
      for (std::size_t clock = 0; clock < 2; ++clock) add_clock(i, clock, nodes[i].periods[clock]);
    }
  }

  std::string run(std::int64_t stop) {
    while (!agenda_.empty() && agenda_.begin()->time <= stop) {
      const Event event = *agenda_.begin();
      agenda_.erase(agenda_.begin());
      event.is_message ? message(event) : clock(event);
    }
    return text_;
  }

 private:
  struct Event {
    std::int64_t time = 0, step = 1;
    bool is_message = false;
    std::size_t object = 0, place = 0;
    std::int64_t number = 0;  ///< of scheduling
    std::int64_t left = 0, value = 0;

    bool operator<(const Event& other) const {
      const auto key = [](const Event& one) {
        return std::make_tuple(one.time, one.step, one.is_message, one.object, one.place, one.number);
      };
      return key(*this) < key(other);
    }
  };

  void add_clock(std::size_t object, std::size_t which, std::int64_t time) {
    agenda_.insert({time, 1, false, object, which, ++scheduled_, 0, 0});
  }
  void send(const Event& now, std::size_t port, std::int64_t left, std::int64_t value, std::int64_t delay) {
    for (const std::size_t target : nodes_[now.object].targets[port]) {
      agenda_.insert({now.time + delay, delay == 0 ? now.step + 1 : 1, true, target, 0, ++scheduled_, left, value});
    }
  }
  std::int64_t step(const Event& event, std::int64_t factor, std::int64_t summand) {
    std::int64_t& h = numbers_[event.object];
    h = (factor * h + summand) % kPrime;
    text_ += fmt::format("{} {} {}\n", event.object, h, event.time);
    return h;
  }
  void clock(const Event& event) {
    if (event.place == 0) {
      send(event, 0, 2, step(event, 31, 1), 0);
    } else {
      const std::int64_t h = step(event, 37, 2);
      send(event, 1, 1, h, h % 3);
    }
    add_clock(event.object, event.place, event.time + nodes_[event.object].periods[event.place]);
  }
  void message(const Event& event) {
    const std::int64_t h = step(event, 41, event.value);
    if (event.left == 0) return;
    send(event, static_cast<std::size_t>(h % 2), event.left - 1, h, 0);
    send(event, 0, event.left - 1, event.value, event.value % 4);
  }

  const std::vector<Node>& nodes_;
  std::vector<std::int64_t> numbers_;
  std::set<Event> agenda_;
  std::int64_t scheduled_ = 0;
  std::string text_;
};

std::vector<Node> random_nodes(std::mt19937_64& random) {
  std::vector<Node> nodes(2 + random() % 4);
  for (Node& node : nodes) {
    for (std::size_t i = 0; i < 2; ++i) {
      node.periods[i] = 1 + static_cast<std::int64_t>(random() % 4);
      for (std::size_t target = 0; target < nodes.size(); ++target) {
        if (&nodes[target] != &node && random() % 2 == 0) node.targets[i].push_back(target);
      }
    }
  }
  return nodes;
}

TEST(EventOrder, IsThatOfTheRule) {
  std::mt19937_64 random(1);
  std::size_t lines = 0;
  for (int i = 0; i < 200; ++i) {
    const std::vector<Node> nodes = random_nodes(random);
    const std::string expected = Reading(nodes).run(20);
    ASSERT_EQ(printed(text_of(nodes), 20), expected) << "model " << i << text_of(nodes);
    lines += base::split_lines(expected).size();
  }
  EXPECT_GT(lines, 10'000u);
}

}  // namespace
}  // namespace hyla::service
