#include "engine/terms.h"

#include <gtest/gtest.h>

namespace hyla::engine {
namespace {

using code::Graph;
using code::NodeId;
using code::NodeOp;

TEST(Terms, SameFormGivesTheSameTerm) {
  Graph graph;
  const NodeId five = graph.operand(5), two = graph.operand(2), seven = graph.operand(7);
  const NodeId first = graph.make(NodeOp::Subtract, graph.make(NodeOp::Sin, five), two);
  const NodeId second = graph.make(NodeOp::Subtract, graph.make(NodeOp::Sin, two), seven);
  const NodeId other = graph.make(NodeOp::Subtract, graph.make(NodeOp::Sin, two), two);
  Terms terms;
  std::vector<std::uint32_t> operands;
  const TermId id = terms.cut(graph, first, {}, operands);
  EXPECT_EQ(operands, (std::vector<std::uint32_t>{5, 2}));
  EXPECT_EQ(terms[id].graph.text(terms[id].value), "sin(x0) - x1");
  EXPECT_EQ(terms[id].operands, 2U);
  EXPECT_EQ(terms.cut(graph, second, {}, operands), id);
  EXPECT_EQ(operands, (std::vector<std::uint32_t>{2, 7}));
  EXPECT_NE(terms.cut(graph, other, {}, operands), id);
  EXPECT_EQ(terms.intern(terms[id]), id);
  EXPECT_EQ(terms.size(), 2U);
}

TEST(Terms, TakesTheModesThatAValueNeeds) {
  Graph graph;
  const NodeId x = graph.operand(0);
  const NodeId outer = graph.operand(1), unused = graph.operand(2), inner = graph.operand(3);
  const NodeId value = graph.make(NodeOp::Select, outer, x, graph.constant(2));
  const NodeId g = graph.make(NodeOp::Subtract, inner, x);
  const std::vector<Mode> modes = {
      {ModeKind::Positive, 1, g}, {ModeKind::Floor, 2, unused}, {ModeKind::Floor, 3, graph.make(NodeOp::Exp, x)}};
  Terms terms;
  std::vector<std::uint32_t> operands;
  const Term& term = terms[terms.cut(graph, value, modes, operands)];
  EXPECT_EQ(operands, (std::vector<std::uint32_t>{1, 0, 3}));
  ASSERT_EQ(term.modes.size(), 2U);
  EXPECT_EQ(term.modes[0].kind, ModeKind::Positive);
  EXPECT_EQ(term.modes[0].operand, 0U);
  EXPECT_EQ(term.graph.text(term.modes[0].g), "x2 - x1");
  EXPECT_EQ(term.modes[1].operand, 2U);
  EXPECT_EQ(term.graph.text(term.modes[1].g), "exp(x1)");
  const TermId before = terms.cut(graph, value, modes, operands);
  std::vector<Mode> changed = modes;
  changed[0].kind = ModeKind::NotNegative;
  EXPECT_NE(terms.cut(graph, value, changed, operands), before);
}

TEST(Terms, WalksDeepGraphs) {
  Graph graph;
  NodeId sum = graph.operand(0);
  for (std::uint32_t i = 1; i < 50'000; ++i) sum = graph.make(NodeOp::Add, sum, graph.operand(i));
  Terms terms;
  std::vector<std::uint32_t> operands;
  const TermId id = terms.cut(graph, sum, {}, operands);
  EXPECT_EQ(operands.size(), 50'000U);
  EXPECT_EQ(operands.back(), 49'999U);
  EXPECT_EQ(terms.cut(graph, sum, {}, operands), id);
}

}  // namespace
}  // namespace hyla::engine
