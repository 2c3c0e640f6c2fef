#include <array>

#include <gtest/gtest.h>

#include "code/graph_testing.h"
#include "code/tape.h"

namespace hyla::code {
namespace {

constexpr int kOrder = kMostJetOrder;
constexpr std::size_t kSize = kOrder + 1;

/// The Taylor coefficients of a node when operand k moves along inputs[k].
std::vector<double> jet_of(const Graph& graph, NodeId node, const std::vector<std::vector<double>>& inputs, int order) {
  const Tape tape = record_tape(graph, std::array{node}, static_cast<std::uint32_t>(inputs.size()));
  const auto size = static_cast<std::size_t>(order) + 1;
  std::vector<double> registers(tape.registers * size);
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    std::copy_n(inputs[k].begin(), size, registers.begin() + static_cast<std::ptrdiff_t>(k * size));
  }
  run_jets(tape, registers.data(), order);
  const auto first = registers.begin() + static_cast<std::ptrdiff_t>(tape.outputs[0] * size);
  return {first, first + static_cast<std::ptrdiff_t>(size)};
}

/// t0 + t.
std::vector<double> time(double t0) {
  std::vector<double> result(kSize);
  result[0] = t0;
  result[1] = 1;
  return result;
}

void expect_close(double value, double expected, double tolerance, const std::string& what) {
  EXPECT_NEAR(value, expected, tolerance * (1 + std::abs(expected))) << what;
}

struct Case {
  NodeOp op;
  double a, b, c;
};

/// A point inside the domain of each operation, away from its jumps.
constexpr Case kCases[] = {
    {NodeOp::Negate, 0.7, 0, 0},     {NodeOp::Add, 0.7, 1.3, 0},       {NodeOp::Subtract, 0.7, 1.3, 0},
    {NodeOp::Multiply, 0.7, 1.3, 0}, {NodeOp::Divide, 0.7, 1.3, 0},    {NodeOp::Power, 0.7, 1.3, 0},
    {NodeOp::Square, 0.7, 0, 0},     {NodeOp::Abs, -0.7, 0, 0},        {NodeOp::Sign, -0.7, 0, 0},
    {NodeOp::Sqrt, 0.7, 0, 0},       {NodeOp::Cbrt, -0.7, 0, 0},       {NodeOp::Exp, 0.7, 0, 0},
    {NodeOp::Expm1, 0.7, 0, 0},      {NodeOp::Log, 0.7, 0, 0},         {NodeOp::Log2, 0.7, 0, 0},
    {NodeOp::Log10, 0.7, 0, 0},      {NodeOp::Log1p, 0.7, 0, 0},       {NodeOp::Sin, 0.7, 0, 0},
    {NodeOp::Cos, 0.7, 0, 0},        {NodeOp::Tan, 0.7, 0, 0},         {NodeOp::Asin, 0.4, 0, 0},
    {NodeOp::Acos, 0.4, 0, 0},       {NodeOp::Atan, 0.7, 0, 0},        {NodeOp::Atan2, 0.7, -1.3, 0},
    {NodeOp::Sinh, 0.7, 0, 0},       {NodeOp::Cosh, 0.7, 0, 0},        {NodeOp::Tanh, 0.7, 0, 0},
    {NodeOp::Asinh, 0.7, 0, 0},      {NodeOp::Acosh, 1.7, 0, 0},       {NodeOp::Atanh, 0.4, 0, 0},
    {NodeOp::Hypot, 0.7, 1.3, 0},    {NodeOp::Erf, 0.7, 0, 0},         {NodeOp::Erfc, 0.7, 0, 0},
    {NodeOp::TGamma, 1.7, 0, 0},     {NodeOp::LGamma, -1.6, 0, 0},     {NodeOp::Floor, 0.7, 0, 0},
    {NodeOp::Ceil, 0.7, 0, 0},       {NodeOp::Round, 0.7, 0, 0},       {NodeOp::Truncate, 0.7, 0, 0},
    {NodeOp::Mod, -5.2, 1.3, 0},     {NodeOp::Min, 0.7, 0.6, 0},       {NodeOp::Max, 0.7, 0.6, 0},
    {NodeOp::Less, 0.7, 1.3, 0},     {NodeOp::LessEqual, 0.7, 1.3, 0}, {NodeOp::Equal, 0.7, 1.3, 0},
    {NodeOp::NotEqual, 0.7, 1.3, 0}, {NodeOp::And, 0.7, 1.3, 0},       {NodeOp::Or, 0.7, 1.3, 0},
    {NodeOp::Not, 0.7, 0, 0},        {NodeOp::Select, 0.7, 1.3, 0.2},
};

/// The operation on a curve that passes through the point of the case.
NodeId on_curve(Graph& graph, const Case& each) {
  const NodeId t = graph.operand(0);
  std::array<NodeId, 3> operands = {kNoNode, kNoNode, kNoNode};
  const std::array<double, 3> point = {each.a, each.b, each.c};
  for (std::size_t k = 0; k < static_cast<std::size_t>(operands_of(each.op)); ++k) {
    const NodeId slope = graph.make(NodeOp::Multiply, graph.constant(0.3 + 0.2 * static_cast<double>(k)), t);
    const NodeId bent = graph.make(NodeOp::Multiply, graph.constant(0.1), graph.make(NodeOp::Sin, t));
    operands[k] = graph.make(NodeOp::Add, graph.constant(point[k]), graph.make(NodeOp::Add, slope, bent));
  }
  return graph.make(each.op, operands[0], operands[1], operands[2]);
}

TEST(Jets, AreTheRepeatedDerivativesOfEveryOperation) {
  for (const Case& each : kCases) {
    Graph graph;
    NodeId node = on_curve(graph, each);
    const std::vector<double> jet = jet_of(graph, node, {time(0)}, kOrder);
    const double at[] = {0.0};
    EXPECT_TRUE(same(jet[0], walk(graph, node, at))) << name_of(each.op);
    double factorial = 1;
    for (int k = 1; k <= 5; ++k) {
      node = graph.derivative(node, 0);
      factorial *= k;
      expect_close(jet[static_cast<std::size_t>(k)], walk(graph, node, at) / factorial, 1e-10, name_of(each.op));
    }
  }
}

/// Summing the series must give the function a little further on: a check that shares nothing with derivatives.
TEST(Jets, SumUpToTheFunctionNearby) {
  constexpr double kStep = 0.02;
  for (const Case& each : kCases) {
    Graph graph;
    const NodeId node = on_curve(graph, each);
    const std::vector<double> jet = jet_of(graph, node, {time(0)}, kOrder);
    double sum = 0;
    for (std::size_t k = kSize; k > 0; --k) sum = sum * kStep + jet[k - 1];
    const double further[] = {kStep};
    expect_close(sum, walk(graph, node, further), 1e-12, name_of(each.op));
  }
}

TEST(Jets, EveryOperationHasACase) {
  for (auto op = static_cast<int>(NodeOp::Negate); op <= static_cast<int>(NodeOp::Select); ++op) {
    const bool found = std::any_of(std::begin(kCases), std::end(kCases),
                                   [&](const Case& each) { return static_cast<int>(each.op) == op; });
    EXPECT_TRUE(found || static_cast<NodeOp>(op) == NodeOp::Polygamma) << name_of(static_cast<NodeOp>(op));
  }
}

TEST(Jets, ClosedForms) {
  Graph graph;
  const NodeId t = graph.operand(0);
  const std::vector<double> exponential = jet_of(graph, graph.make(NodeOp::Exp, t), {time(0)}, kOrder);
  double factorial = 1;
  for (std::size_t k = 0; k < kSize; ++k) {
    if (k > 0) factorial *= static_cast<double>(k);
    EXPECT_DOUBLE_EQ(exponential[k], 1 / factorial);
  }
  // 1 / (1 - t) is the geometric series.
  const NodeId geometric =
      graph.make(NodeOp::Divide, graph.constant(1), graph.make(NodeOp::Subtract, graph.constant(1), t));
  EXPECT_EQ(jet_of(graph, geometric, {time(0)}, kOrder), std::vector<double>(kSize, 1.0));
  // t^5 at 0 has one coefficient.
  std::vector<double> fifth(kSize, 0.0);
  fifth[5] = 1;
  EXPECT_EQ(jet_of(graph, graph.make(NodeOp::Power, t, graph.constant(5)), {time(0)}, kOrder), fifth);
}

TEST(Jets, WhatDoesNotMoveHasNoDerivatives) {
  Graph graph;
  const NodeId t = graph.operand(0), zero = graph.operand(1);
  for (const NodeId still : {graph.make(NodeOp::Divide, graph.constant(1), zero), graph.make(NodeOp::Sqrt, zero),
                             graph.make(NodeOp::Log, zero), graph.make(NodeOp::LGamma, zero)}) {
    EXPECT_EQ(jet_of(graph, graph.make(NodeOp::Add, still, t), {time(0), std::vector<double>(kSize)}, 2)[1], 1);
  }
}

TEST(Jets, CornersAreLeftWithTime) {
  Graph graph;
  const NodeId t = graph.operand(0), negative = graph.make(NodeOp::Negate, t);
  EXPECT_EQ(jet_of(graph, graph.make(NodeOp::Abs, negative), {time(0)}, 1)[1], 1);
  EXPECT_EQ(jet_of(graph, graph.make(NodeOp::Min, t, negative), {time(0)}, 1)[1], -1);
  EXPECT_EQ(jet_of(graph, graph.make(NodeOp::Max, negative, t), {time(0)}, 1)[1], 1);
}

TEST(Jets, ValuesHaveTheBitsOfTheTreeWalk) {
  RandomGraphs random(4);
  for (int turn = 0; turn < 1000; ++turn) {
    Graph graph;
    const NodeId node = random.fill(graph, 2, 1 + random.below(20)).back();
    const double at[] = {random.between(-2, 2), random.between(-2, 2)};
    std::vector<double> x = time(at[0]), y = time(at[1]);
    for (const int order : {0, 3}) {
      ASSERT_TRUE(same(jet_of(graph, node, {x, y}, order)[0], walk(graph, node, at))) << graph.text(node);
    }
  }
}

}  // namespace
}  // namespace hyla::code
