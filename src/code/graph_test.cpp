#include "code/graph.h"

#include <gtest/gtest.h>

#include "code/graph_testing.h"

namespace hyla::code {
namespace {

TEST(Graph, EqualNodesAreMadeOnce) {
  Graph graph;
  const NodeId x = graph.operand(0), y = graph.operand(1);
  EXPECT_EQ(graph.make(NodeOp::Add, x, y), graph.make(NodeOp::Add, x, y));
  EXPECT_EQ(graph.make(NodeOp::Add, x, y), graph.make(NodeOp::Add, y, x));
  EXPECT_NE(graph.make(NodeOp::Subtract, x, y), graph.make(NodeOp::Subtract, y, x));
  EXPECT_NE(graph.constant(0.0), graph.constant(-0.0));
  EXPECT_EQ(graph.constant(NAN), graph.constant(-NAN));
}

TEST(Graph, TextIsForPeople) {
  Graph graph;
  const NodeId x = graph.operand(0), y = graph.operand(1);
  const NodeId sum = graph.make(NodeOp::Add, x, graph.constant(2));
  const NodeId product = graph.make(NodeOp::Multiply, sum, graph.make(NodeOp::Sin, y));
  EXPECT_EQ(graph.text(product), "(x0 + 2) * sin(x1)");
  const NodeId choice =
      graph.make(NodeOp::Select, graph.make(NodeOp::Less, x, y), product, graph.make(NodeOp::Negate, x));
  EXPECT_EQ(graph.text(choice), "select((x0 < x1), ((x0 + 2) * sin(x1)), (-x0))");
}

TEST(Graph, KeysDoNotDependOnTheOrderOfMaking) {
  Graph first, second;
  const NodeId x = first.operand(0), y = first.operand(1);
  const NodeId left = first.make(NodeOp::Divide, first.make(NodeOp::Sin, x), first.make(NodeOp::Exp, y));
  const NodeId v = second.operand(1);
  const NodeId exp = second.make(NodeOp::Exp, v), u = second.operand(0);
  const NodeId right = second.make(NodeOp::Divide, second.make(NodeOp::Sin, u), exp);
  EXPECT_EQ(first.key(left), second.key(right));
  EXPECT_NE(first.key(left),
            first.key(first.make(NodeOp::Divide, first.make(NodeOp::Sin, y), first.make(NodeOp::Exp, x))));
  EXPECT_NE(first.key(first.constant(0.0)), first.key(first.constant(-0.0)));
}

TEST(Graph, OperandsOfANode) {
  Graph graph;
  const NodeId sum = graph.make(NodeOp::Add, graph.operand(7), graph.make(NodeOp::Sin, graph.operand(2)));
  graph.operand(5);
  EXPECT_EQ(graph.operands_of_node(sum), (std::vector<std::uint32_t>{2, 7}));
  EXPECT_TRUE(graph.depends_on(sum, 2));
  EXPECT_TRUE(graph.depends_on(sum, 7));
  EXPECT_FALSE(graph.depends_on(sum, 5));
  EXPECT_FALSE(graph.depends_on(sum, 6));
}

TEST(Graph, ImportReplacesOperands) {
  Graph from, to;
  const NodeId node = from.make(NodeOp::Subtract, from.operand(0), from.make(NodeOp::Sin, from.operand(1)));
  const NodeId copy = to.import(from, node, {to.constant(3), to.operand(4)});
  EXPECT_EQ(to.text(copy), "3 - sin(x4)");
  const NodeId folded = to.import(to, copy, {kNoNode, kNoNode, kNoNode, kNoNode, to.constant(0)});
  EXPECT_TRUE(to.is_constant(folded, 3));
}

/// Each operation on operands and constants, simplified where the graph does so, against the operation itself.
TEST(Graph, SimplificationKeepsTheBits) {
  RandomGraphs random(3);
  for (int turn = 0; turn < 20000; ++turn) {
    Graph graph;
    std::vector<NodeId> nodes = {graph.operand(0), graph.operand(1), graph.constant(random.number()),
                                 graph.constant(std::ldexp(1, static_cast<int>(random.below(2100)) - 1050))};
    for (const NodeOp op : {NodeOp::Negate, NodeOp::Abs, NodeOp::Less, NodeOp::Not, NodeOp::Equal, NodeOp::Square}) {
      nodes.push_back(random.any(graph, op, nodes));
    }
    const double operands[] = {random.number(), random.number()};
    for (int k = 0; k < 10; ++k) {
      const NodeOp op = random.operation();
      const auto pick = [&](int least) {
        return operands_of(op) > least ? nodes[random.below(nodes.size())] : kNoNode;
      };
      const NodeId a = pick(0), b = pick(1), c = pick(2);
      const auto value = [&](NodeId id) { return id == kNoNode ? 0.0 : walk(graph, id, operands); };
      const double expected = apply(op, value(a), value(b), value(c));
      const NodeId made = graph.make(op, a, b, c);
      ASSERT_TRUE(same(value(made), expected)) << name_of(op) << " became " << graph.text(made);
    }
  }
}

TEST(Graph, SimplifiesWhatItCan) {
  Graph graph;
  const NodeId x = graph.operand(0), y = graph.operand(1), zero = graph.constant(0), one = graph.constant(1);
  const NodeId less = graph.make(NodeOp::Less, x, y);
  EXPECT_EQ(graph.make(NodeOp::Multiply, x, one), x);
  EXPECT_EQ(graph.make(NodeOp::Subtract, x, zero), x);
  EXPECT_NE(graph.make(NodeOp::Add, x, zero), x);
  EXPECT_NE(graph.make(NodeOp::Multiply, x, zero), zero);
  EXPECT_EQ(graph.make(NodeOp::Negate, graph.make(NodeOp::Negate, x)), x);
  EXPECT_EQ(graph.text(graph.make(NodeOp::Divide, x, graph.constant(4))), "x0 * 0.25");
  EXPECT_EQ(graph.text(graph.make(NodeOp::Power, x, graph.constant(3))), "square(x0) * x0");
  EXPECT_EQ(graph.make(NodeOp::Select, one, x, y), x);
  EXPECT_EQ(graph.make(NodeOp::And, less, zero), zero);
  EXPECT_EQ(graph.make(NodeOp::And, less, one), less);
  EXPECT_EQ(graph.make(NodeOp::Or, less, one), one);
  EXPECT_EQ(graph.make(NodeOp::Not, graph.make(NodeOp::Not, less)), less);
}

}  // namespace
}  // namespace hyla::code
