// Native code against C++ of the same compiler as this program, on the right-hand side of a chain of nonlinear
// oscillators: how long compiling takes, and how fast the result is.
//
//   jit_bench            the report
//   jit_bench --smoke    once each, to see that it still works
//
// For 2, 60 and 2000 equations, all of them unlike each other to the compiler (a code), and for 1000 instances of one
// pair of equations (a tape). "C, a loop" is what a person would write; "C, spelled out" has one statement for each
// equation, as code generators write it. Times are the least of many, all contenders in turn.
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "code/evaluator.h"
#include "code/graph.h"
#include "code/tape.h"
#include "measure.h"
#include "service/load_native.h"

namespace hyla::bench {
namespace {

using code::NodeId;
using code::NodeOp;

// Values of a chain of n oscillators: positions with a wall at 0 and n + 1, velocities, then the derivatives of both.
constexpr std::size_t position(std::size_t i) { return i; }
constexpr std::size_t velocity(std::size_t n, std::size_t i) { return n + 1 + i; }
constexpr std::size_t position_rate(std::size_t n, std::size_t i) { return 2 * n + 1 + i; }
constexpr std::size_t velocity_rate(std::size_t n, std::size_t i) { return 3 * n + 1 + i; }
constexpr std::size_t size_of(std::size_t n) { return 4 * n + 2; }

std::vector<double> start_values(std::size_t n) {
  std::vector<double> values(size_of(n));
  for (std::size_t i = 1; i <= n; ++i) {
    values[position(i)] = std::sin(0.1 * static_cast<double>(i));
    values[velocity(n, i)] = std::cos(0.3 * static_cast<double>(i));
  }
  return values;
}

// --- by hand
// ----------------------------------------------------------------------------------------------------------

[[gnu::always_inline]] inline double pull(double left, double here, double right) {
  return -here - 0.1 * here * here * here + (right - 2 * here + left);
}

[[gnu::noinline]] void by_loop(double* values, std::size_t n) {
  for (std::size_t i = 1; i <= n; ++i) {
    values[position_rate(n, i)] = values[velocity(n, i)];
    values[velocity_rate(n, i)] = pull(values[position(i - 1)], values[position(i)], values[position(i + 1)]);
  }
}

[[gnu::noinline]] void by_index(double* values, const std::uint32_t* index, std::size_t count) {
  for (; count > 0; --count, index += 6) {
    const double moved = values[index[3]];
    const double pulled = pull(values[index[0]], values[index[1]], values[index[2]]);
    values[index[4]] = moved;
    values[index[5]] = pulled;
  }
}

constexpr std::size_t kSpelled = 30;  // oscillators in a function

template <std::size_t n, std::size_t begin, std::size_t... i>
[[gnu::noinline]] void spell_out(double* values, std::index_sequence<i...>) {
  ((values[position_rate(n, begin + i)] = values[velocity(n, begin + i)],
    values[velocity_rate(n, begin + i)] =
        pull(values[position(begin + i - 1)], values[position(begin + i)], values[position(begin + i + 1)])),
   ...);
}

template <std::size_t n, std::size_t begin = 1>
void spelled_out(double* values) {
  constexpr std::size_t kLength = std::min(kSpelled, n + 1 - begin);
  spell_out<n, begin>(values, std::make_index_sequence<kLength>());
  if constexpr (begin + kLength <= n) spelled_out<n, begin + kLength>(values);
}

// --- by tapes
// ---------------------------------------------------------------------------------------------------------

/// Inputs left, here, right, velocity; outputs the rates of position and velocity.
code::Tape oscillator() {
  code::Graph graph;
  const NodeId left = graph.operand(0), here = graph.operand(1), right = graph.operand(2);
  const auto times = [&](NodeId a, NodeId b) { return graph.make(NodeOp::Multiply, a, b); };
  const NodeId cube = times(times(times(graph.constant(0.1), here), here), here);
  const NodeId inner = graph.make(NodeOp::Subtract, graph.make(NodeOp::Negate, here), cube);
  const NodeId bend = graph.make(NodeOp::Subtract, right, times(graph.constant(2), here));
  const NodeId outputs[] = {graph.operand(3), graph.make(NodeOp::Add, inner, graph.make(NodeOp::Add, bend, left))};
  return code::record_tape(graph, outputs, 4);
}

/// The index table of `oscillator`, row i - 1 for oscillator i.
std::vector<std::uint32_t> index_table(std::size_t n) {
  std::vector<std::uint32_t> index;
  for (std::size_t i = 1; i <= n; ++i) {
    for (const std::size_t place :
         {position(i - 1), position(i), position(i + 1), velocity(n, i), position_rate(n, i), velocity_rate(n, i)}) {
      index.push_back(static_cast<std::uint32_t>(place));
    }
  }
  return index;
}

struct Bound {
  code::Code code;
  std::vector<double> values;
};

Bound bind(std::size_t n) {
  code::Binder binder(static_cast<std::uint32_t>(size_of(n)));
  const code::Tape tape = oscillator();
  const std::vector<std::uint32_t> index = index_table(n);
  for (std::size_t i = 0; i < n; ++i) {
    binder.append(tape, {index.data() + 6 * i, 4}, {index.data() + 6 * i + 4, 2});
  }
  Bound bound{binder.finish(), start_values(n)};
  bound.values.resize(binder.size());
  for (const auto& [place, value] : binder.constants()) bound.values[place] = value;
  return bound;
}

// --- the report
// -------------------------------------------------------------------------------------------------------

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Contender {
  std::string name;
  std::function<void()> work;
};

/// Nanoseconds of one call each, and how they compare with the first.
void race(const std::vector<Contender>& contenders, bool smoke) {
  const double once = [&] {
    const double start = seconds_now();
    contenders.front().work();
    return seconds_now() - start;
  }();
  const int calls = smoke ? 1 : std::max(1, static_cast<int>(2e-3 / (once + 1e-8)));
  std::vector<std::function<double()>> timed;
  for (const Contender& contender : contenders) {
    timed.emplace_back([&contender, calls] {
      const double start = seconds_now();
      for (int i = 0; i < calls; ++i) contender.work();
      return (seconds_now() - start) / calls;
    });
  }
  const std::vector<Spread> times = interleaved_times(smoke ? 1 : 41, timed);
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    fmt::print("  {:16} {:9.0f} ns   {:5.2f}\n", contenders[i].name, times[i].minimum_s * 1e9,
               times[i].minimum_s / times[0].minimum_s);
  }
}

/// The compiler alone, and its kernel.
template <typename Source>
code::NativeCode compile(code::NativeCompiler& compiler, const Source& source, const char* what) {
  const double start = seconds_now();
  code::NativeCode native(compiler, source);
  compiler.wait();
  fmt::print("{}: {} instructions, compiled in {:.2f} ms\n", what, source.instructions.size(),
             (seconds_now() - start) * 1e3);
  return native;
}

bool agree(const std::vector<double>& a, const std::vector<double>& b, std::size_t n) {
  for (std::size_t i = 0; i < size_of(n); ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

template <std::size_t n>
bool race_codes(code::NativeCompiler& compiler, bool smoke) {
  Bound bound = bind(n), native_values = bound;
  const code::NativeCode native =
      compile(compiler, bound.code, fmt::format("{} equations, all different", 2 * n).c_str());
  if (!native.ready()) return false;
  std::vector<double> by_hand = start_values(n);
  const code::Kernel kernel = native.ready();
  race({{"C, a loop", [&] { by_loop(by_hand.data(), n); }},
        {"C, spelled out", [&] { spelled_out<n>(by_hand.data()); }},
        {"native code", [&] { kernel(native_values.values.data(), nullptr, 1); }},
        {"interpreter", [&] { code::run(bound.code, bound.values.data()); }}},
       smoke);
  return agree(by_hand, native_values.values, n) && agree(by_hand, bound.values, n);
}

bool race_instances(code::NativeCompiler& compiler, bool smoke) {
  constexpr std::size_t n = 1000;
  const code::Tape tape = oscillator();
  const std::vector<std::uint32_t> index = index_table(n);
  const code::NativeCode native = compile(compiler, tape, "1000 instances of 2 equations");
  if (!native.ready()) return false;
  std::vector<double> by_hand = start_values(n), compiled = by_hand, interpreted = by_hand;
  const code::Kernel kernel = native.ready();
  race({{"C, a loop", [&] { by_loop(by_hand.data(), n); }},
        {"C, index table", [&] { by_index(by_hand.data(), index.data(), n); }},
        {"native code", [&] { kernel(compiled.data(), index.data(), n); }},
        {"interpreter", [&] { code::run(tape, interpreted.data(), index.data(), n); }}},
       smoke);
  return agree(by_hand, compiled, n) && agree(by_hand, interpreted, n);
}

int report(bool smoke) {
  std::string why_not;
  const std::unique_ptr<code::NativeCompiler> compiler = service::load_native_compiler(why_not);
  if (!compiler) {
    fmt::print("{}\n", why_not);
    return 0;
  }
  const double start = seconds_now();
  {
    const code::NativeCode first(*compiler, code::Code{});
    compiler->wait();
  }
  fmt::print("loading LLVM and compiling nothing: {:.1f} ms\n", (seconds_now() - start) * 1e3);
  const bool right = race_codes<1>(*compiler, smoke) && race_codes<30>(*compiler, smoke) &&
                     race_codes<1000>(*compiler, smoke) && race_instances(*compiler, smoke);
  if (!right) fmt::print("the results differ: {}\n", compiler->trouble());
  return right ? 0 : 1;
}

}  // namespace
}  // namespace hyla::bench

int main(int argc, char** argv) { return hyla::bench::report(argc > 1 && std::string_view(argv[1]) == "--smoke"); }
