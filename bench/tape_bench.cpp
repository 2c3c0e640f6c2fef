// The speed of tapes on three right-hand sides, as ratios to the same expressions compiled by the C++ compiler at -O2.
//
//   tape_bench [REPETITIONS]
//
// All contenders compute the same bits from the same inputs, which is checked. "scalar" runs one code for the whole
// system, "lanes" runs one tape for all instances of a class. Needs a compiler, `c++`, when it runs.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include "code/graph.h"
#include "code/tape.h"
#include "measure.h"

namespace hyla::bench {
namespace {

using code::Graph;
using code::NodeId;
using code::NodeOp;

using Function = void (*)(const double* x, double* out);

/// Oscillators in a ring, each bound to its neighbours and to its place, by a spring that hardens or like a pendulum.
/// Operands: position and speed of oscillator k at 2 k and 2 k + 1; the results are their derivatives.
struct System {
  std::string name;
  std::size_t oscillators = 0;
  bool is_pendulum = false;
  double target = 0;  ///< of the scalar tape, times the compiled expressions
};

/// The derivative of the speed.
NodeId acceleration(Graph& graph, bool is_pendulum, NodeId left, NodeId position, NodeId right, NodeId speed) {
  const auto make = [&](NodeOp op, NodeId a, NodeId b) { return graph.make(op, a, b); };
  const NodeId pull =
      is_pendulum ? graph.make(NodeOp::Sin, position) : graph.make(NodeOp::Power, position, graph.constant(3));
  const NodeId inner = make(NodeOp::Add, make(NodeOp::Multiply, graph.constant(0.3), pull),
                            make(NodeOp::Multiply, graph.constant(0.01), speed));
  const NodeId bend =
      make(NodeOp::Add, make(NodeOp::Subtract, left, make(NodeOp::Multiply, graph.constant(2), position)), right);
  return make(NodeOp::Subtract, make(NodeOp::Multiply, graph.constant(4.7), bend), inner);
}

std::vector<NodeId> right_hand_side(Graph& graph, const System& system) {
  const std::size_t oscillators = system.oscillators;
  std::vector<NodeId> outputs;
  const auto operand = [&](std::size_t number) { return graph.operand(static_cast<std::uint32_t>(number)); };
  for (std::size_t k = 0; k < oscillators; ++k) {
    const std::size_t left = (k + oscillators - 1) % oscillators, right = (k + 1) % oscillators;
    outputs.push_back(operand(2 * k + 1));
    outputs.push_back(acceleration(graph, system.is_pendulum, operand(2 * left), operand(2 * k), operand(2 * right),
                                   operand(2 * k + 1)));
  }
  return outputs;
}

/// One statement per node.
std::string as_source(const Graph& graph, const std::vector<NodeId>& outputs) {
  std::string text = "#include <cmath>\nextern \"C\" void f(const double* x, double* out) {\n";
  for (NodeId id = 0; id < graph.size(); ++id) {
    const code::Node& node = graph[id];
    const auto sign = node.op == NodeOp::Add ? "+" : node.op == NodeOp::Subtract ? "-" : "*";
    text += fmt::format("const double t{} = ", id);
    if (node.op == NodeOp::Constant) {
      text += fmt::format("{:.17g};\n", node.number);
    } else if (node.op == NodeOp::Operand) {
      text += fmt::format("x[{}];\n", node.operand);
    } else if (node.op == NodeOp::Sin) {
      text += fmt::format("std::sin(t{});\n", node.a);
    } else {
      text += fmt::format("t{} {} t{};\n", node.a, sign, node.op == NodeOp::Square ? node.a : node.b);
    }
  }
  for (std::size_t j = 0; j < outputs.size(); ++j) text += fmt::format("out[{}] = t{};\n", j, outputs[j]);
  return text + "}\n";
}

/// Null if there is no compiler.
Function compiled(const std::string& source) {
  const std::filesystem::path stem =
      std::filesystem::temp_directory_path() / fmt::format("hyla_tape_bench_{}_{}", getpid(), source.size());
  const std::string text = stem.string() + ".cpp", library = stem.string() + ".so";
  std::ofstream(text) << source;
  const std::string command = fmt::format("c++ -O2 -ffp-contract=off -shared -fPIC -o '{}' '{}'", library, text);
  void* const loaded = std::system(command.c_str()) == 0 ? dlopen(library.c_str(), RTLD_NOW) : nullptr;
  std::filesystem::remove(text);
  std::filesystem::remove(library);
  return loaded == nullptr ? nullptr : reinterpret_cast<Function>(dlsym(loaded, "f"));
}

/// Inputs, then outputs, then what the code needs.
struct Scalar {
  code::Code code;
  std::vector<double> values;
};

Scalar scalar_of(const Graph& graph, const std::vector<NodeId>& outputs, std::size_t inputs) {
  const code::Tape tape = code::record_tape(graph, outputs, static_cast<std::uint32_t>(inputs));
  std::vector<std::uint32_t> from, to;
  for (std::uint32_t k = 0; k < inputs; ++k) from.push_back(k);
  for (std::uint32_t k = 0; k < outputs.size(); ++k) to.push_back(static_cast<std::uint32_t>(inputs) + k);
  code::Binder binder(static_cast<std::uint32_t>(inputs + outputs.size()));
  binder.append(tape, from, to);
  Scalar result{binder.finish(), std::vector<double>(binder.size())};
  for (const auto& [place, value] : binder.constants()) result.values[place] = value;
  return result;
}

/// One tape for an oscillator, and where each of them has its numbers.
struct Lanes {
  code::Tape tape;
  std::vector<std::uint32_t> index;
};

Lanes lanes_of(const System& system) {
  const std::size_t oscillators = system.oscillators;
  Graph graph;
  const NodeId speed = graph.operand(3);
  const NodeId value =
      acceleration(graph, system.is_pendulum, graph.operand(0), graph.operand(1), graph.operand(2), speed);
  Lanes result{code::record_tape(graph, std::vector{speed, value}, 4), {}};
  const std::size_t inputs = 2 * oscillators;
  for (std::size_t k = 0; k < oscillators; ++k) {
    const std::size_t left = (k + oscillators - 1) % oscillators, right = (k + 1) % oscillators;
    for (const std::size_t place : {2 * left, 2 * k, 2 * right, 2 * k + 1, inputs + 2 * k, inputs + 2 * k + 1}) {
      result.index.push_back(static_cast<std::uint32_t>(place));
    }
  }
  return result;
}

template <typename Work>
std::function<double()> timed(std::size_t turns, Work work) {
  return [turns, work] {
    const double begin = processor_time_s();
    for (std::size_t k = 0; k < turns; ++k) work();
    return (processor_time_s() - begin) / static_cast<double>(turns);
  };
}

/// False: a contender computed something else.
bool measure(const System& system, int repetitions) {
  const std::size_t inputs = 2 * system.oscillators;
  Graph graph;
  const std::vector<NodeId> outputs = right_hand_side(graph, system);
  const Function function = compiled(as_source(graph, outputs));
  if (function == nullptr) {
    fmt::print("there is no compiler to compare with\n");
    return true;
  }
  Scalar scalar = scalar_of(graph, outputs, inputs);
  const Lanes lanes = lanes_of(system);
  for (std::size_t k = 0; k < inputs; ++k) scalar.values[k] = 0.1 + 0.9 * static_cast<double>(k % 17) / 17;
  std::vector<double> expected(outputs.size());
  double* const values = scalar.values.data();

  const std::size_t turns = 2'000'000 / graph.size() + 1;
  const std::vector<Spread> times = interleaved_times(
      repetitions,
      {timed(turns, [&] { function(values, expected.data()); }), timed(turns, [&] { code::run(scalar.code, values); }),
       timed(turns, [&] { code::run(lanes.tape, values, lanes.index.data(), system.oscillators); })});
  bool agree = true;
  for (const bool in_lanes : {false, true}) {
    for (std::size_t j = 0; j < outputs.size(); ++j) values[inputs + j] = -1;
    if (in_lanes) code::run(lanes.tape, values, lanes.index.data(), system.oscillators);
    if (!in_lanes) code::run(scalar.code, values);
    for (std::size_t j = 0; j < outputs.size(); ++j) agree = agree && values[inputs + j] == expected[j];
  }
  const auto instructions = static_cast<double>(scalar.code.instructions.size());
  fmt::print(
      "{:<16} C {:9.1f} ns   scalar {:5.2f} x C, {:4.2f} ns per operation (at most {} x)   lanes {:5.2f} x C{}\n",
      system.name, 1e9 * times[0].minimum_s, times[1].minimum_s / times[0].minimum_s,
      1e9 * times[1].minimum_s / instructions, system.target, times[2].minimum_s / times[0].minimum_s,
      agree ? "" : "   WRONG RESULTS");
  return agree;
}

}  // namespace
}  // namespace hyla::bench

int main(int count, char** arguments) {
  using hyla::bench::System;
  const int repetitions = count > 1 ? std::atoi(arguments[1]) : 21;
  bool agree = true;
  const System systems[] = {
      {"2 equations", 1, false, 2.6},   {"2, pendulum", 1, true, 2.6},        {"60 equations", 30, false, 1.9},
      {"60, pendulums", 30, true, 1.9}, {"2000 equations", 1000, false, 7.6}, {"2000, pendulums", 1000, true, 7.6},
  };
  for (const System& system : systems) {
    agree = hyla::bench::measure(system, repetitions) && agree;
  }
  return agree ? 0 : 1;
}
