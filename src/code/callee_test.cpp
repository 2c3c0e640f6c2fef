// Calls in graphs: the same values in all ways of evaluation, derivatives by differences.
#include "code/callee.h"

#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "code/tape.h"

namespace hyla::code {
namespace {

/// x y and x sin(y), counting how often it is asked.
class Pair final : public Callee {
 public:
  Pair() : Callee(2, 2) {}
  std::string name() const override { return "pair"; }
  void call(std::span<const double> x, std::span<double> results) const override {
    ++calls;
    results[0] = x[0] * x[1];
    results[1] = x[0] * std::sin(x[1]);
  }
  std::string failure(std::span<const double>) const override { return ""; }

  mutable int calls = 0;
};

struct Calls : testing::Test {
  Pair pair;
  Graph graph;
  NodeId x = graph.operand(0), y = graph.operand(1);

  /// f(x + 1, x y)[result] + x
  NodeId expression(std::uint32_t result) {
    const NodeId more = graph.make(NodeOp::Add, x, graph.constant(1)), product = graph.make(NodeOp::Multiply, x, y);
    return graph.make(NodeOp::Add, graph.call(pair, std::array{more, product}, result), x);
  }
  static double value(double a, double b, std::uint32_t result) {
    const double u = a + 1, v = a * b;
    return (result == 0 ? u * v : u * std::sin(v)) + a;
  }
};

TEST_F(Calls, AreMadeOnce) {
  EXPECT_EQ(expression(0), expression(0));
  EXPECT_NE(expression(0), expression(1));
  EXPECT_EQ(graph.text(expression(1)), "pair((x0 + 1), (x0 * x1)) + x0");
  EXPECT_NE(graph.key(expression(0)), graph.key(expression(1)));
  EXPECT_FALSE(graph.depends_on(expression(0), 2));
  EXPECT_TRUE(graph.depends_on(expression(0), 1));
  Graph other;
  const NodeId copy = other.import(graph, expression(1), {other.operand(1), other.operand(0)});
  EXPECT_EQ(other.text(copy), "pair((x1 + 1), (x1 * x0)) + x1");
}

TEST_F(Calls, OfConstantsAreNotFolded) {
  const NodeId call = graph.call(pair, std::array{graph.constant(2), graph.constant(3)}, 0);
  EXPECT_EQ(graph[call].op, NodeOp::Call);
}

TEST_F(Calls, GiveTheSameInLanesAndScalar) {
  const std::array outputs = {expression(0), expression(1)};
  const Tape tape = record_tape(graph, outputs, 2);
  constexpr std::uint32_t kCount = 70;
  std::vector<double> values(4 * kCount);
  std::vector<std::uint32_t> index(4 * kCount);
  for (std::uint32_t i = 0; i < 4 * kCount; ++i) {
    values[i] = 0.1 * i;
    index[i] = i;
  }
  run(tape, values.data(), index.data(), kCount);
  Binder binder(4 * kCount);
  for (std::uint32_t i = 0; i < kCount; ++i) {
    binder.append(tape, std::span(index).subspan(4 * i, 2), std::span(index).subspan(4 * i + 2, 2));
  }
  const Code code = binder.finish();
  std::vector<double> scalar(binder.size());
  for (std::uint32_t i = 0; i < 4 * kCount; ++i) scalar[i] = 0.1 * i;
  for (const auto& [place, constant] : binder.constants()) scalar[place] = constant;
  run(code, scalar.data());
  for (std::uint32_t i = 0; i < kCount; ++i) {
    for (std::uint32_t k = 0; k < 2; ++k) {
      EXPECT_EQ(values[4 * i + 2 + k], value(0.1 * (4 * i), 0.1 * (4 * i + 1), k));
      EXPECT_EQ(values[4 * i + 2 + k], scalar[4 * i + 2 + k]);
    }
  }
}

TEST_F(Calls, WithSeveralResultsAreMadeOnceForAll) {
  const std::array outputs = {expression(0), expression(1)};
  const Tape tape = record_tape(graph, outputs, 2);
  double values[] = {0.3, 0.4, 0, 0};
  constexpr std::uint32_t kIndex[] = {0, 1, 2, 3};
  run(tape, values, kIndex, 1);
  EXPECT_EQ(pair.calls, 1);
}

TEST_F(Calls, HaveDerivativesByDifferences) {
  const std::array outputs = {graph.derivative(expression(1), 0), graph.derivative(expression(1), 1),
                              graph.derivative(graph.derivative(expression(1), 0), 0)};
  EXPECT_TRUE(graph.is_constant(graph.derivative(expression(1), 2), 0));
  const Tape tape = record_tape(graph, outputs, 2);
  double values[] = {0.7, 1.3, 0, 0, 0};
  constexpr std::uint32_t kIndex[] = {0, 1, 2, 3, 4};
  run(tape, values, kIndex, 1);
  const double a = 0.7, b = 1.3, u = a + 1, v = a * b;
  EXPECT_NEAR(values[2], std::sin(v) + u * std::cos(v) * b + 1, 1e-9);
  EXPECT_NEAR(values[3], u * std::cos(v) * a, 1e-9);
  EXPECT_NEAR(values[4], 2 * std::cos(v) * b - u * std::sin(v) * b * b, 1e-4);
}

TEST_F(Calls, HaveARateInJets) {
  const std::array outputs = {expression(1)};
  const Tape tape = record_tape(graph, outputs, 2);
  std::vector<double> registers(tape.registers * 2);
  registers[0] = 0.7;
  registers[1] = 2;
  registers[2] = 1.3;
  run_jets(tape, registers.data(), 1);
  const double a = 0.7, b = 1.3, u = a + 1, v = a * b;
  EXPECT_EQ(registers[2 * tape.outputs[0]], value(a, b, 1));
  EXPECT_NEAR(registers[2 * tape.outputs[0] + 1], 2 * (std::sin(v) + u * std::cos(v) * b + 1), 1e-8);
}

TEST(Codes, AreAppended) {
  Graph graph;
  const std::array outputs = {graph.make(NodeOp::Add, graph.operand(0), graph.operand(0))};
  const Tape tape = record_tape(graph, outputs, 1);
  const auto code = [&](std::uint32_t from, std::uint32_t to) {
    Binder binder(8);
    binder.append(tape, std::array{from}, std::array{to});
    return binder.finish();
  };
  Code both = code(0, 1);
  append(both, code(1, 2));
  double values[8] = {1.5};
  run(both, values);
  EXPECT_EQ(values[2], 6);
}

}  // namespace
}  // namespace hyla::code
