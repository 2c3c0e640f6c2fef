#include <array>

#include <gtest/gtest.h>

#include "code/graph_testing.h"
#include "code/tape.h"

namespace hyla::code {
namespace {

/// By differences of order 6.
double difference(const Graph& graph, NodeId node, std::vector<double> at, std::size_t operand, double step) {
  constexpr double kWeights[] = {45.0 / 60, -9.0 / 60, 1.0 / 60};
  const double middle = at[operand];
  double result = 0;
  for (int k = 1; k <= 3; ++k) {
    at[operand] = middle + k * step;
    const double above = walk(graph, node, at);
    at[operand] = middle - k * step;
    result += kWeights[k - 1] * (above - walk(graph, node, at)) / step;
  }
  return result;
}

/// The first Taylor coefficient in the direction of one operand.
double first_coefficient(const Graph& graph, NodeId node, const std::vector<double>& at, std::size_t operand) {
  const Tape tape = record_tape(graph, std::array{node}, static_cast<std::uint32_t>(at.size()));
  std::vector<double> registers(tape.registers * 2);
  for (std::size_t k = 0; k < at.size(); ++k) registers[2 * k] = at[k];
  registers[2 * operand + 1] = 1;
  run_jets(tape, registers.data(), 1);
  return registers[2 * tape.outputs[0] + 1];
}

TEST(Derivative, OfEveryOperationAgreesWithJetsAndDifferences) {
  RandomGraphs random(5);
  int compared = 0;
  for (int turn = 0; turn < 4000; ++turn) {
    Graph graph;
    const std::vector<NodeId> leaves = {graph.operand(0), graph.operand(1), graph.constant(random.between(-2, 2))};
    const NodeId inner = random.any(graph, random.operation(), leaves);
    const NodeId node = random.any(graph, random.operation(), {leaves[0], leaves[1], inner});
    const std::vector<double> at = {random.between(0.2, 2), random.between(0.2, 2)};
    for (std::uint32_t k = 0; k < 2; ++k) {
      const double exact = walk(graph, graph.derivative(node, k), at);
      if (!std::isfinite(exact) || !std::isfinite(walk(graph, node, at))) continue;
      const double by_jet = first_coefficient(graph, node, at, k);
      ASSERT_NEAR(exact, by_jet, 1e-9 * (1 + std::abs(exact))) << graph.text(node);
      // Two steps that agree say that no jump or corner is near.
      const double by_difference = difference(graph, node, at, k, 1e-3), again = difference(graph, node, at, k, 7e-4);
      if (!(std::abs(by_difference - again) < 1e-7 * (1 + std::abs(again)))) continue;
      ++compared;
      ASSERT_NEAR(exact, by_difference, 1e-6 * (1 + std::abs(exact))) << graph.text(node);
    }
  }
  EXPECT_GT(compared, 4000);
}

TEST(Derivative, OfLargeGraphsAgreesWithJets) {
  RandomGraphs random(6);
  int compared = 0;
  for (int turn = 0; turn < 1000; ++turn) {
    Graph graph;
    const NodeId node = random.fill(graph, 3, 15).back();
    const std::vector<double> at = {random.between(0.2, 2), random.between(0.2, 2), random.between(0.2, 2)};
    const double exact = walk(graph, graph.derivative(node, 1), at);
    const double by_jet = first_coefficient(graph, node, at, 1);
    if (!std::isfinite(exact) || !std::isfinite(by_jet)) continue;
    ++compared;
    ASSERT_NEAR(exact, by_jet, 1e-8 * (1 + std::abs(exact))) << graph.text(node);
  }
  EXPECT_GT(compared, 500);
}

TEST(Derivative, ZerosAndOnesAreStructural) {
  Graph graph;
  const NodeId x = graph.operand(0), y = graph.operand(1);
  const NodeId product = graph.make(NodeOp::Multiply, x, graph.make(NodeOp::Sin, y));
  EXPECT_EQ(graph.text(graph.derivative(product, 0)), "sin(x1)");
  EXPECT_EQ(graph.text(graph.derivative(product, 1)), "x0 * cos(x1)");
  EXPECT_TRUE(graph.is_constant(graph.derivative(product, 2), 0));
  const NodeId linear = graph.make(NodeOp::Subtract, graph.make(NodeOp::Multiply, graph.constant(3), x), y);
  EXPECT_TRUE(graph.is_constant(graph.derivative(linear, 0), 3));
  EXPECT_TRUE(graph.is_constant(graph.derivative(linear, 1), -1));
}

TEST(Derivative, CornersHaveOneOfTheirSides) {
  Graph graph;
  const NodeId x = graph.operand(0);
  const double zero[] = {0.0};
  EXPECT_EQ(std::abs(walk(graph, graph.derivative(graph.make(NodeOp::Abs, x), 0), zero)), 1);
  const NodeId least = graph.make(NodeOp::Min, x, graph.make(NodeOp::Negate, x));
  EXPECT_EQ(std::abs(walk(graph, graph.derivative(least, 0), zero)), 1);
  const NodeId power = graph.make(NodeOp::Power, x, graph.make(NodeOp::Add, x, graph.constant(2)));
  EXPECT_EQ(walk(graph, graph.derivative(power, 0), zero), 0);
}

/// f_k = sin(f_(k-1)) * f_(k-1): a tree of 2^k nodes, a graph of 2 k.
TEST(Derivative, OfSharedNodesGrowsWithTheGraphOnly) {
  Graph graph;
  NodeId node = graph.operand(0);
  for (int k = 0; k < 200; ++k) node = graph.make(NodeOp::Multiply, graph.make(NodeOp::Sin, node), node);
  const std::size_t before = graph.size();
  const NodeId derivative = graph.derivative(node, 0);
  EXPECT_LT(graph.size(), before + 200 * 6);
  const std::vector<double> at = {0.9};
  const double by_jet = first_coefficient(graph, node, at, 0);
  EXPECT_NEAR(walk(graph, derivative, at), by_jet, 1e-12 * std::abs(by_jet));
}

TEST(Derivative, OfADeepSumNeedsNoDeepStack) {
  Graph graph;
  NodeId sum = graph.operand(0);
  for (int k = 0; k < 50000; ++k) sum = graph.make(NodeOp::Subtract, graph.make(NodeOp::Sin, sum), graph.operand(1));
  EXPECT_NE(graph.derivative(sum, 1), kNoNode);
  EXPECT_EQ(record_tape(graph, std::array{sum}, 2).registers, 4U);
  EXPECT_FALSE(graph.key(sum).empty());
  EXPECT_FALSE(graph.text(sum).empty());
}

}  // namespace
}  // namespace hyla::code
