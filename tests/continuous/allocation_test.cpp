// Counts allocations: a run that takes twice as many steps, or meets twice as many events, must not ask for memory more
// often, once its configurations are known.
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>

#include <gtest/gtest.h>

#include "service/run_testing.h"

namespace {

std::atomic<std::uint64_t> allocations = 0;

}  // namespace

// The compiler sees through the pair when it is inlined, and takes it for a mismatch.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  void* memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  ++allocations;
  return std::malloc(size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }

namespace hyla::service {
namespace {

struct Counted {
  std::uint64_t allocations = 0;
  engine::RunOutcome outcome;
};

Counted counted_run(const CheckedText& text, double stop_time, solve::Method method) {
  diag::Sink sink;
  const std::unique_ptr<engine::World> world = text.build(text.request(1), sink);
  engine::RunOptions options;
  options.stop_time = stop_time;
  options.continuous.method = method;
  options.continuous.jit = engine::Jit::Off;
  Counted result;
  const std::uint64_t before = allocations;
  result.outcome = engine::run(*world, options, nullptr, sink);
  result.allocations = allocations - before;
  EXPECT_FALSE(sink.has_errors()) << diag::render(sink.sorted(), text.sources());
  return result;
}

class Allocations : public testing::TestWithParam<solve::Method> {};

TEST_P(Allocations, DoNotGrowWithTheStepsOfASmoothRun) {
  const CheckedText text(R"(
model Case {
    output x := 1, y := 1, z := 20;
    der(x) = 10 * (y - x);
    der(y) = x * (28 - z) - y;
    der(z) = x * y - 8 / 3 * z;
}
)");
  ASSERT_TRUE(text.good()) << text.errors();
  const Counted half = counted_run(text, 10, GetParam());
  const Counted whole = counted_run(text, 20, GetParam());
  EXPECT_GT(whole.outcome.continuous.steps, half.outcome.continuous.steps + 100);
  EXPECT_EQ(whole.allocations, half.allocations);
}

TEST_P(Allocations, DoNotGrowWithTheStepsOfALoop) {
  const CheckedText text(R"(
model Case {
    output s := 0, z := 0;
    var y;
    der(s) = cos(20 * s) + 2;
    y = 2 * tanh(5 * (sin(s) - 0.4 * y));
    der(z) = y;
}
)");
  ASSERT_TRUE(text.good()) << text.errors();
  const Counted half = counted_run(text, 10, GetParam());
  const Counted whole = counted_run(text, 20, GetParam());
  EXPECT_GT(whole.outcome.continuous.steps, half.outcome.continuous.steps + 50);
  EXPECT_EQ(whole.allocations, half.allocations);
}

TEST_P(Allocations, DoNotGrowWithEventsOfKnownConfigurations) {
  const CheckedText text(R"(
model Case {
    output T := 20;
    chart heater {
        initial -> On;
        state On {
            der(T) = -0.1 * (T - 5) + 3;
            when T >= 21 -> Off;
        }
        state Off {
            der(T) = -0.1 * (T - 5);
            when T <= 19 -> On;
        }
    }
}
)");
  ASSERT_TRUE(text.good()) << text.errors();
  const Counted half = counted_run(text, 100, GetParam());
  const Counted whole = counted_run(text, 200, GetParam());
  EXPECT_GT(whole.outcome.events, half.outcome.events + 30);
  EXPECT_EQ(whole.allocations, half.allocations);
}

TEST_P(Allocations, DoNotGrowWithJumps) {
  const CheckedText text(R"(
model Case {
    output h := 1, v := 0;
    der(h) = v;
    der(v) = -9.81 - 0.1 * v;
    when h <= 0 and v < 0 {
        h := 0;
        v := 0.5 - 0.8 * v;
    }
}
)");
  ASSERT_TRUE(text.good()) << text.errors();
  const Counted half = counted_run(text, 50, GetParam());
  const Counted whole = counted_run(text, 100, GetParam());
  EXPECT_GT(whole.outcome.events, half.outcome.events + 30);
  EXPECT_EQ(whole.allocations, half.allocations);
}

/// The islands of the two states have different variables.
TEST_P(Allocations, DoNotGrowWithChangesOfStructure) {
  const CheckedText text(R"(
model Case {
    output x := 0, y := 0;
    chart motion {
        initial -> Straight;
        state Straight {
            der(x) = 1 - 0.1 * x;
            when x >= 2 -> Round {
                y := 0;
            }
        }
        state Round {
            der(x) = -y - 0.1 * x;
            der(y) = x;
            when x <= -1 -> Straight;
        }
    }
}
)");
  ASSERT_TRUE(text.good()) << text.errors();
  const Counted half = counted_run(text, 100, GetParam());
  const Counted whole = counted_run(text, 200, GetParam());
  EXPECT_GT(whole.outcome.events, half.outcome.events + 30);
  EXPECT_EQ(whole.allocations, half.allocations);
}

std::string method_name(const testing::TestParamInfo<solve::Method>& info) {
  return std::string(solve::name_of(info.param));
}

INSTANTIATE_TEST_SUITE_P(Methods, Allocations,
                         testing::Values(solve::Method::Auto, solve::Method::Rk45, solve::Method::Rk8,
                                         solve::Method::Rosenbrock),
                         method_name);

}  // namespace
}  // namespace hyla::service
