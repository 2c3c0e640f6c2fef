// Scalar expressions as a graph: what equations, conditions and their derivatives are made of.
//
// A node is an operation on nodes made before it; equal nodes are made once. All values are doubles, truth values 0 and
// 1. Simplifications keep every bit of the result: constants are folded, x * 1 becomes x, but sums are not reordered
// and x * 0 stays, unless `exact` is off (derivatives, where a factor 0 is structural).
//
// Operands are the leaves: values that come from outside, by number. What cannot be written as operations is called
// (`callee.h`).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "code/number_map.h"

namespace hyla::code {

enum class NodeOp : std::uint8_t {
#define HYLA_NODE(op, operands) op,
#include "code/graph_ops.def"
#undef HYLA_NODE
};
int operands_of(NodeOp op);
const char* name_of(NodeOp op);

class Callee;

using NodeId = std::uint32_t;
inline constexpr NodeId kNoNode = UINT32_MAX;

struct Node {
  NodeOp op{};
  NodeId a = kNoNode, b = kNoNode, c = kNoNode;
  double number = 0;               ///< of Constant
  std::uint32_t operand = 0;       ///< of Operand; of Call: which result
  const Callee* callee = nullptr;  ///< of Call
};

/// The value of an operation: the one definition that interpreter, folding and compiled code share. Not of calls.
double apply(NodeOp op, double a, double b, double c);

class Graph {
 public:
  NodeId constant(double value);
  NodeId operand(std::uint32_t number);
  NodeId make(NodeOp op, NodeId a, NodeId b = kNoNode, NodeId c = kNoNode);
  /// Result number `result` of a function, which outlives the graph.
  NodeId call(const Callee& callee, std::span<const NodeId> arguments, std::uint32_t result);
  /// A node as one of another graph that is no leaf, with operands of this one.
  NodeId make_like(const Node& node, NodeId a, NodeId b, NodeId c);
  /// The arguments of a Call.
  std::vector<NodeId> arguments_of(NodeId call) const;

  /// d node / d operand. Piecewise operations (abs, min, floor, selections) are taken as they are at the point; at a
  /// corner one of the sides is given.
  NodeId derivative(NodeId node, std::uint32_t operand);
  /// A copy of a node of another graph (may be this one), its operands replaced by nodes of this graph.
  NodeId import(const Graph& other, NodeId node, const std::vector<NodeId>& operands);
  /// A node and all that it is made of, each once, descending: every node comes before its operands.
  std::vector<NodeId> reachable(NodeId node) const;
  /// The operands that a node depends on, ascending.
  std::vector<std::uint32_t> operands_of_node(NodeId node) const;
  /// Whether a node depends on an operand.
  bool depends_on(NodeId node, std::uint32_t operand) const;

  const Node& operator[](NodeId id) const { return nodes_[id]; }
  std::size_t size() const { return nodes_.size(); }
  bool is_constant(NodeId id, double value) const;
  void clear();
  /// The reachable part of a node as a text that two graphs share exactly if the nodes compute the same in the same way
  /// with the same operands.
  std::string key(NodeId node) const;
  /// For people and tests: `(x0 + 2) * sin(x1)`.
  std::string text(NodeId node) const;

 private:
  /// The place of an equal node in the table, or the empty place where it would be put.
  std::size_t place_of(const Node& node) const;
  /// An equal node, or none.
  NodeId find(const Node& node) const;
  NodeId intern(const Node& node);
  NodeId fold(NodeOp op, NodeId a, NodeId b, NodeId c);
  NodeId simplify(NodeOp op, NodeId a, NodeId b, NodeId c);
  NodeId simplify_sum(NodeOp op, NodeId a, NodeId b);
  NodeId simplify_product(NodeOp op, NodeId a, NodeId b);
  NodeId simplify_power(NodeId a, NodeId b);
  NodeId simplify_logic(NodeOp op, NodeId a, NodeId b, NodeId c);

  std::vector<Node> nodes_;
  std::vector<NodeId> table_;  ///< of all nodes, by their hash; free places are kNoNode
  NumberMap derivatives_;      ///< by node and operand
};

}  // namespace hyla::code
