#include "code/tape.h"

#include <array>

#include <gtest/gtest.h>

#include "code/graph_testing.h"

namespace hyla::code {
namespace {

struct RandomTape {
  Graph graph;
  std::vector<NodeId> outputs;
  Tape tape;
};

RandomTape random_tape(RandomGraphs& random) {
  RandomTape result;
  const std::size_t inputs = 1 + random.below(5);
  const std::vector<NodeId> nodes = random.fill(result.graph, inputs, 1 + random.below(40));
  for (std::size_t k = 1 + random.below(4); k > 0; --k) result.outputs.push_back(nodes[random.below(nodes.size())]);
  result.outputs.push_back(nodes.back());
  result.tape = record_tape(result.graph, result.outputs, static_cast<std::uint32_t>(inputs));
  return result;
}

std::vector<double> random_inputs(RandomGraphs& random, std::size_t count) {
  std::vector<double> result(count);
  for (double& value : result) value = random.number();
  return result;
}

/// Runs a bound tape over inputs at places 0, 1, ... with outputs behind them.
std::vector<double> run_scalar(const Tape& tape, const std::vector<double>& inputs) {
  std::vector<std::uint32_t> from, to;
  for (std::uint32_t k = 0; k < tape.inputs; ++k) from.push_back(k);
  for (std::uint32_t k = 0; k < tape.outputs.size(); ++k) to.push_back(tape.inputs + k);
  Binder binder(static_cast<std::uint32_t>(from.size() + to.size()));
  binder.append(tape, from, to);
  const Code code = binder.finish();
  std::vector<double> values(binder.size(), -77);
  std::copy(inputs.begin(), inputs.end(), values.begin());
  for (const auto& [place, value] : binder.constants()) values[place] = value;
  run(code, values.data());
  return {values.begin() + tape.inputs, values.begin() + tape.inputs + static_cast<std::ptrdiff_t>(to.size())};
}

TEST(Tape, EveryWayGivesTheBitsOfTheTreeWalk) {
  RandomGraphs random(1);
  for (int turn = 0; turn < 4000; ++turn) {
    random.mostly_arithmetic = turn % 2 == 0;
    const auto [graph, outputs, tape] = random_tape(random);
    constexpr std::size_t kLanes = 5;
    std::vector<double> registers(tape.registers * kLanes);
    load_constants(tape, registers.data(), kLanes);
    std::vector<std::vector<double>> inputs;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      inputs.push_back(random_inputs(random, tape.inputs));
      for (std::size_t k = 0; k < tape.inputs; ++k) registers[k * kLanes + lane] = inputs[lane][k];
    }
    run(tape, registers.data(), kLanes);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const std::vector<double> scalar = run_scalar(tape, inputs[lane]);
      for (std::size_t j = 0; j < outputs.size(); ++j) {
        const double expected = walk(graph, outputs[j], inputs[lane]);
        ASSERT_TRUE(same(scalar[j], expected)) << graph.text(outputs[j]);
        ASSERT_TRUE(same(registers[tape.outputs[j] * kLanes + lane], expected)) << graph.text(outputs[j]);
      }
    }
  }
}

TEST(Tape, InstancesAreGatheredAndScattered) {
  RandomGraphs random(2);
  for (const std::size_t count : {0U, 1U, 3U, 63U, 64U, 65U, 200U}) {
    const auto [graph, outputs, tape] = random_tape(random);
    const std::size_t width = tape.inputs + outputs.size();
    std::vector<double> values = random_inputs(random, count * width + 1);
    std::vector<std::uint32_t> index;  // from the end backwards
    for (std::size_t k = 0; k < count * width; ++k) index.push_back(static_cast<std::uint32_t>(values.size() - 1 - k));
    const std::vector<double> before = values;
    run(tape, values.data(), index.data(), count);
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<double> inputs;
      for (std::size_t k = 0; k < tape.inputs; ++k) inputs.push_back(before[index[i * width + k]]);
      for (std::size_t j = 0; j < outputs.size(); ++j) {
        const double expected = walk(graph, outputs[j], inputs);
        ASSERT_TRUE(same(values[index[i * width + tape.inputs + j]], expected)) << graph.text(outputs[j]);
      }
    }
  }
}

/// Places in steps against the same places in an index table: apart from each other, and the outputs on the inputs.
TEST(Tape, EvenlySpacedInstances) {
  RandomGraphs random(3);
  for (int turn = 0; turn < 500; ++turn) {
    const auto [graph, outputs, tape] = random_tape(random);
    const std::size_t count = random.below(200), width = tape.inputs + outputs.size();
    std::vector<std::uint32_t> first, steps, index;
    std::size_t end = 0;
    for (std::size_t k = 0; k < width; ++k) {
      const bool is_input = k < tape.inputs;
      first.push_back(static_cast<std::uint32_t>(is_input ? random.below(5) : end));
      steps.push_back(static_cast<std::uint32_t>(is_input ? random.below(4) : 1 + random.below(3)));
      end = std::max(end, first[k] + count * steps[k] + 1);
    }
    std::vector<double> values = random_inputs(random, end);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t k = 0; k < width; ++k) index.push_back(static_cast<std::uint32_t>(first[k] + i * steps[k]));
    }
    std::vector<double> expected = values;
    run(tape, expected.data(), index.data(), count);
    run(tape, values.data(), first.data(), count, steps);
    for (std::size_t k = 0; k < end; ++k) ASSERT_TRUE(same(values[k], expected[k])) << "turn " << turn;
  }
  Graph graph;
  const NodeId x = graph.operand(0), y = graph.operand(1);
  const Tape tape = record_tape(graph, std::array{y, graph.make(NodeOp::Add, x, y)}, 2);
  std::vector<double> values = {1, 2, 3, 10, 20, 30};
  run(tape, values.data(), std::array{0U, 3U, 0U, 3U}.data(), 3, std::array{1U, 1U, 1U, 1U});
  EXPECT_EQ(values, (std::vector<double>{10, 20, 30, 11, 22, 33}));
}

TEST(Tape, LargeTapesRunInstanceByInstance) {
  Graph graph;
  constexpr std::uint32_t kInputs = 10000;
  NodeId sum = graph.operand(0);
  for (std::uint32_t k = 1; k < kInputs; ++k) sum = graph.make(NodeOp::Add, sum, graph.operand(k));
  const Tape tape = record_tape(graph, std::array{sum}, kInputs);
  std::vector<double> values(kInputs + 2, 1.0);
  std::vector<std::uint32_t> index;
  for (std::uint32_t instance = 0; instance < 2; ++instance) {
    for (std::uint32_t k = 0; k < kInputs; ++k) index.push_back(k);
    index.push_back(kInputs + instance);
  }
  run(tape, values.data(), index.data(), 2);
  EXPECT_EQ(values[kInputs], kInputs);
  EXPECT_EQ(values[kInputs + 1], kInputs);
}

TEST(Tape, WithoutInstructionsCopies) {
  Graph graph;
  const Tape tape = record_tape(graph, std::array{graph.operand(1), graph.constant(3)}, 2);
  std::vector<double> values = {1, 2, 0, 0};
  run(tape, values.data(), std::array{0U, 1U, 2U, 3U}.data(), 1);
  EXPECT_EQ(values, (std::vector<double>{1, 2, 2, 3}));
  EXPECT_EQ(run_scalar(tape, {1, 2}), (std::vector<double>{2, 3}));
  run(Tape{}, values.data(), nullptr, 5);
  EXPECT_EQ(values[0], 1);
}

TEST(Tape, TemporariesShareRegisters) {
  Graph graph;
  const NodeId x = graph.operand(0);
  NodeId sum = x;
  for (int k = 0; k < 1000; ++k) {
    const NodeId term = graph.make(NodeOp::Sin, graph.make(NodeOp::Multiply, graph.constant(k + 2), x));
    sum = graph.make(NodeOp::Add, sum, term);
  }
  const Tape tape = record_tape(graph, std::array{sum}, 1);
  EXPECT_EQ(tape.instructions.size(), 3000U);
  EXPECT_LE(tape.registers, 1U + 1000U + 1U + 2U);
}

TEST(Binder, OutputsMaySwapInputs) {
  Graph graph;
  const NodeId x = graph.operand(0), y = graph.operand(1);
  const NodeId sum = graph.make(NodeOp::Add, x, y);
  const Tape tape = record_tape(graph, std::array{y, x, sum, sum, graph.constant(7)}, 2);
  Binder binder(5);
  binder.append(tape, std::array{0U, 1U}, std::array{1U, 0U, 2U, 3U, 4U});
  EXPECT_EQ(binder.constants().size(), 1U);
  const Code code = binder.finish();
  std::vector<double> values(binder.size());
  values[0] = 10;
  values[1] = 20;
  for (const auto& [place, value] : binder.constants()) values[place] = value;
  run(code, values.data());
  // Output 0 is y and goes to the place of y; output 1 is x and goes to that of x.
  EXPECT_EQ(std::vector<double>(values.begin(), values.begin() + 5), (std::vector<double>{10, 20, 30, 30, 7}));

  Binder swapping(2);
  swapping.append(record_tape(graph, std::array{y, x}, 2), std::array{0U, 1U}, std::array{0U, 1U});
  const Code swap = swapping.finish();
  values.resize(swapping.size());
  run(swap, values.data());
  EXPECT_EQ(values[0], 20);
  EXPECT_EQ(values[1], 10);
}

TEST(Binder, TapesFollowEachOtherAndShareConstants) {
  Graph graph;
  const NodeId x = graph.operand(0);
  const NodeId half = graph.make(NodeOp::Sin, graph.make(NodeOp::Multiply, x, graph.constant(0.3)));
  const Tape tape = record_tape(graph, std::array{graph.make(NodeOp::Add, half, graph.constant(0.3))}, 1);
  Binder binder(3);
  binder.append(tape, std::array{0U}, std::array{1U});
  binder.append(tape, std::array{1U}, std::array{2U});
  binder.append(tape, std::array{2U}, std::array{0U});
  EXPECT_EQ(binder.constants().size(), 1U);
  EXPECT_EQ(binder.size(), 5U);
  const Code code = binder.finish();
  std::vector<double> values(binder.size());
  values[0] = 1;
  values[binder.constants()[0].first] = 0.3;
  run(code, values.data());
  const auto f = [](double value) { return std::sin(value * 0.3) + 0.3; };
  EXPECT_EQ(values[1], f(1));
  EXPECT_EQ(values[2], f(f(1)));
  EXPECT_EQ(values[0], f(f(f(1))));
}

/// Several tapes over one array, outputs anywhere, also on inputs; against walking the graphs one after the other.
TEST(Binder, RandomTapesOverOneArray) {
  RandomGraphs random(7);
  for (int turn = 0; turn < 1000; ++turn) {
    random.mostly_arithmetic = turn % 2 == 0;
    constexpr std::size_t kPlaces = 12;
    Binder binder(kPlaces);
    std::vector<double> expected = random_inputs(random, kPlaces);
    const std::vector<double> start = expected;
    for (std::size_t k = 1 + random.below(4); k > 0; --k) {
      const auto [graph, outputs, tape] = random_tape(random);
      std::vector<std::uint32_t> from, to;
      std::vector<double> inputs, results;
      for (std::size_t i = 0; i < tape.inputs; ++i) from.push_back(static_cast<std::uint32_t>(random.below(kPlaces)));
      for (const std::uint32_t place : from) inputs.push_back(expected[place]);
      while (to.size() < outputs.size()) {
        const auto place = static_cast<std::uint32_t>(random.below(kPlaces));
        if (std::find(to.begin(), to.end(), place) == to.end()) to.push_back(place);
      }
      for (std::size_t j = 0; j < to.size(); ++j) expected[to[j]] = walk(graph, outputs[j], inputs);
      binder.append(tape, from, to);
    }
    const Code code = binder.finish();
    std::vector<double> values = start;
    values.resize(binder.size(), -77);
    for (const auto& [place, value] : binder.constants()) values[place] = value;
    run(code, values.data());
    for (std::size_t k = 0; k < kPlaces; ++k) ASSERT_TRUE(same(values[k], expected[k])) << "turn " << turn;
  }
}

TEST(Binder, PairsAreFused) {
  Graph graph;
  const NodeId x = graph.operand(0), y = graph.operand(1), z = graph.operand(2);
  const NodeId product = graph.make(NodeOp::Multiply, x, y);
  const Tape pair = record_tape(graph, std::array{graph.make(NodeOp::Subtract, z, product)}, 3);
  Binder binder(4);
  binder.append(pair, std::array{0U, 1U, 2U}, std::array{3U});
  EXPECT_EQ(binder.finish().words.size(), 5U + 1U);
  // A product that is an output too must be written.
  const Tape both = record_tape(graph, std::array{graph.make(NodeOp::Subtract, z, product), product}, 3);
  Binder keeping(5);
  keeping.append(both, std::array{0U, 1U, 2U}, std::array{3U, 4U});
  EXPECT_EQ(keeping.finish().words.size(), 4U + 4U + 1U);
}

}  // namespace
}  // namespace hyla::code
