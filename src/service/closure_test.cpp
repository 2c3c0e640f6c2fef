// Closure under coupling: a coupled model of atomic ones and a single atomic model that does the same give the same
// outputs, values and times, for random inputs.
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/text.h"
#include "service/run_testing.h"

namespace hyla::service {
namespace {

/// A source of values at random times, whole ones so that events coincide, and a sink that prints what arrives.
constexpr std::string_view kFrame = R"(
message Value { v: Integer; }
atomic Source {
    port out sends Value;
    parameter longest = 4;
    var n: Integer := 0;
    discrete sigma := 1;
    advance { return sigma; }
    lambda { send out.Value(v = n); }
    internal { n := n + 1; sigma := floor(uniform(0, longest)); }
}
model Sink {
    port p receives Value;
    on p.Value as m { print(time, m.v); }
}
model Case {
    object source: Source;
    object system: System;
    object sink: Sink;
    connect source.out -- system.p;
    connect system.q -- sink.p;
}
)";

std::string outputs(std::string_view system) { return printed(std::string(kFrame) + std::string(system), 3000); }

/// Two places that hold one value each for a while and lose what comes when they are occupied.
TEST(Closure, TwoPlacesInARow) {
  const std::string coupled = outputs(R"(
atomic Place {
    port p receives Value;
    port q sends Value;
    parameter duration = 2;
    discrete held: Value := none;
    discrete sigma := infinity;
    advance { return sigma; }
    lambda { send q.(held); }
    internal { held := none; sigma := infinity; }
    external(elapsed, bag) {
        sigma := sigma - elapsed;
        for m in bag {
            if m is p.Value {
                if held == none { held := m; sigma := duration; }
            }
        }
    }
}
model System {
    port p receives Value;
    port q sends Value;
    object a: Place(duration = 2);
    object b: Place(duration = 3);
    connect p -- a.p;
    connect a.q -- b.p;
    connect b.q -- q;
}
)");
  const std::string single = outputs(R"(
atomic System {
    port p receives Value;
    port q sends Value;
    discrete first: Value := none, second: Value := none;
    discrete left := infinity, right := infinity;
    advance { return min(left, right); }
    lambda { if right <= left { send q.(second); } }
    internal {
        let passed = min(left, right);
        left := left - passed;
        right := right - passed;
        if right == 0 { second := none; right := infinity; }
        if left == 0 {
            if second == none { second := first; right := 3; }
            first := none;
            left := infinity;
        }
    }
    external(elapsed, bag) {
        left := left - elapsed;
        right := right - elapsed;
        for m in bag {
            if m is p.Value {
                if first == none { first := m; left := 2; }
            }
        }
    }
}
)");
  EXPECT_EQ(coupled, single);
  EXPECT_GT(base::split_lines(coupled).size(), 300u) << coupled;
}

/// A sum that is passed on at once, and a filter behind it that lets even sums through at once: two rounds in one
/// instant are one.
TEST(Closure, AChainThatTakesNoTime) {
  const std::string coupled = outputs(R"(
atomic Adder {
    port p receives Value;
    port q sends Value;
    var sum: Integer := 0;
    discrete sigma := infinity;
    advance { return sigma; }
    lambda { send q.Value(v = sum); }
    internal { sigma := infinity; }
    external(elapsed, bag) {
        for m in bag { if m is p.Value { sum := sum + m.v; } }
        sigma := 0;
    }
}
atomic Even {
    port p receives Value;
    port q sends Value;
    var held: Integer := 0;
    discrete sigma := infinity;
    advance { return sigma; }
    lambda { send q.Value(v = held); }
    internal { sigma := infinity; }
    external(elapsed, bag) {
        for m in bag { if m is p.Value { held := m.v; } }
        if mod(held, 2) == 0 { sigma := 0; }
    }
}
model System {
    port p receives Value;
    port q sends Value;
    object adder: Adder;
    object even: Even;
    connect p -- adder.p;
    connect adder.q -- even.p;
    connect even.q -- q;
}
)");
  const std::string single = outputs(R"(
atomic System {
    port p receives Value;
    port q sends Value;
    var sum: Integer := 0;
    discrete sigma := infinity;
    advance { return sigma; }
    lambda { send q.Value(v = sum); }
    internal { sigma := infinity; }
    external(elapsed, bag) {
        for m in bag { if m is p.Value { sum := sum + m.v; } }
        sigma := if mod(sum, 2) == 0 then 0 else infinity;
    }
}
)");
  EXPECT_EQ(coupled, single);
  EXPECT_GT(base::split_lines(coupled).size(), 300u) << coupled;
}

/// A circle: what leaves a counter comes back as its next step width, after a delay.
TEST(Closure, ACircleWithADelay) {
  const std::string coupled = outputs(R"(
atomic Counter {
    port p receives Value;
    port back receives Value;
    port q sends Value;
    var n: Integer := 0, width: Integer := 1;
    discrete sigma := infinity;
    advance { return sigma; }
    lambda { send q.Value(v = n); }
    internal { sigma := infinity; }
    external(elapsed, bag) {
        sigma := sigma - elapsed;
        for m in bag { if m is back.Value { width := 1 + mod(m.v, 7); } }
        for m in bag { if m is p.Value { n := n + width; sigma := 1; } }
    }
}
atomic Delay {
    port p receives Value;
    port q sends Value;
    var held: Integer := 0;
    discrete sigma := infinity;
    advance { return sigma; }
    lambda { send q.Value(v = held); }
    internal { sigma := infinity; }
    external(elapsed, bag) {
        for m in bag { if m is p.Value { held := m.v; } }
        sigma := 2;
    }
}
model System {
    port p receives Value;
    port q sends Value;
    object counter: Counter;
    object delay: Delay;
    connect p -- counter.p;
    connect counter.q -- delay.p;
    connect counter.q -- q;
    connect delay.q -- counter.back;
}
)");
  const std::string single = outputs(R"(
atomic System {
    port p receives Value;
    port q sends Value;
    var n: Integer := 0, width: Integer := 1, held: Integer := 0;
    discrete left := infinity, right := infinity;
    var back: Boolean := false;
    advance { return min(left, right); }
    lambda { if left <= right { send q.Value(v = n); } }
    internal {
        let passed = min(left, right);
        left := left - passed;
        right := right - passed;
        back := right == 0;
        let returned = held;
        if right == 0 { right := infinity; }
        if left == 0 { held := n; right := 2; left := infinity; }
        if back { width := 1 + mod(returned, 7); }
    }
    external(elapsed, bag) {
        left := left - elapsed;
        right := right - elapsed;
        for m in bag { if m is p.Value { n := n + width; left := 1; } }
    }
}
)");
  EXPECT_EQ(coupled, single);
  EXPECT_GT(base::split_lines(coupled).size(), 300u) << coupled;
}

}  // namespace
}  // namespace hyla::service
