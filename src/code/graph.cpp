#include "code/graph.h"

#include <algorithm>
#include <array>
#include <bit>
#include <queue>

#include <fmt/format.h>

#include "base/check.h"
#include "code/callee.h"
#include "code/graph_apply.h"

namespace hyla::code {
namespace {

constexpr std::array kOperands = {
#define HYLA_NODE(op, operands) operands,
#include "code/graph_ops.def"
#undef HYLA_NODE
};

constexpr std::array kNames = {
#define HYLA_NODE(op, operands) #op,
#include "code/graph_ops.def"
#undef HYLA_NODE
};

/// The same bits for the same number: all NaNs are one.
std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value != value ? std::nan("") : value); }

std::uint64_t mix(std::uint64_t seed, std::uint64_t value) {
  return std::rotl((seed ^ value) * 0x9E3779B97F4A7C15U, 29) * 0xBF58476D1CE4E5B9U;
}

std::size_t hash_of(const Node& node) {
  std::uint64_t hash = mix(static_cast<std::uint64_t>(node.op), node.a);
  hash = mix(hash, (std::uint64_t{node.b} << 32) | node.c);
  hash = mix(mix(hash, std::bit_cast<std::uint64_t>(node.number)), node.operand);
  if (node.callee != nullptr) hash = mix(hash, node.callee->number());
  return static_cast<std::size_t>(hash ^ (hash >> 32));
}

bool is_same(const Node& a, const Node& b) {
  return a.op == b.op && a.a == b.a && a.b == b.b && a.c == b.c && a.operand == b.operand && a.callee == b.callee &&
         std::bit_cast<std::uint64_t>(a.number) == std::bit_cast<std::uint64_t>(b.number);
}

bool is_commutative(NodeOp op) {
  return op == NodeOp::Add || op == NodeOp::Multiply || op == NodeOp::Equal || op == NodeOp::NotEqual ||
         op == NodeOp::And || op == NodeOp::Or;
}

}  // namespace

int operands_of(NodeOp op) { return kOperands[static_cast<std::size_t>(op)]; }

const char* name_of(NodeOp op) { return kNames[static_cast<std::size_t>(op)]; }

double apply(NodeOp op, double a, double b, double c) { return apply_inline(op, a, b, c); }

std::size_t Graph::place_of(const Node& node) const {
  std::size_t place = hash_of(node) & (table_.size() - 1);
  while (table_[place] != kNoNode && !is_same(nodes_[table_[place]], node)) place = (place + 1) & (table_.size() - 1);
  return place;
}

NodeId Graph::find(const Node& node) const { return table_.empty() ? kNoNode : table_[place_of(node)]; }

NodeId Graph::intern(const Node& node) {
  if (2 * (size() + 1) > table_.size()) {
    table_.assign(std::max<std::size_t>(16, 2 * table_.size()), kNoNode);
    for (NodeId id = 0; id < size(); ++id) table_[place_of(nodes_[id])] = id;
  }
  NodeId& known = table_[place_of(node)];
  if (known == kNoNode) {
    known = static_cast<NodeId>(size());
    nodes_.push_back(node);
  }
  return known;
}

NodeId Graph::constant(double value) {
  return intern({.op = NodeOp::Constant, .number = std::bit_cast<double>(bits(value))});
}

NodeId Graph::operand(std::uint32_t number) { return intern({.op = NodeOp::Operand, .operand = number}); }

NodeId Graph::make(NodeOp op, NodeId a, NodeId b, NodeId c) {
  const int operands = operands_of(op);
  HYLA_CHECK(operands > 0, "constants and operands are made by functions of their own");
  HYLA_CHECK(a < size() && (b < size()) == (operands > 1) && (c < size()) == (operands > 2),
             "an operand too few or many");
  if (const NodeId folded = fold(op, a, b, c); folded != kNoNode) return folded;
  if (const NodeId simpler = simplify(op, a, b, c); simpler != kNoNode) return simpler;
  if (is_commutative(op)) {
    if (const NodeId swapped = find({.op = op, .a = b, .b = a}); swapped != kNoNode) return swapped;
  }
  return intern({.op = op, .a = a, .b = b, .c = c});
}

NodeId Graph::call(const Callee& callee, std::span<const NodeId> arguments, std::uint32_t result) {
  HYLA_CHECK(arguments.size() == callee.arguments() && result < callee.results(), "a call that does not fit");
  NodeId list = constant(0);
  for (const NodeId argument : arguments) list = intern({.op = NodeOp::Argument, .a = list, .b = argument});
  return intern({.op = NodeOp::Call, .a = list, .operand = result, .callee = &callee});
}

NodeId Graph::make_like(const Node& node, NodeId a, NodeId b, NodeId c) {
  if (node.op == NodeOp::Argument) return intern({.op = NodeOp::Argument, .a = a, .b = b});
  if (node.op != NodeOp::Call) return make(node.op, a, b, c);
  return intern({.op = NodeOp::Call, .a = a, .operand = node.operand, .callee = node.callee});
}

std::vector<NodeId> Graph::arguments_of(NodeId call) const {
  std::vector<NodeId> result;
  for (NodeId list = nodes_[call].a; nodes_[list].op == NodeOp::Argument; list = nodes_[list].a) {
    result.push_back(nodes_[list].b);
  }
  std::reverse(result.begin(), result.end());
  return result;
}

/// An operation on constants alone.
NodeId Graph::fold(NodeOp op, NodeId a, NodeId b, NodeId c) {
  std::array<double, 3> values{};
  const std::array<NodeId, 3> operands = {a, b, c};
  for (std::size_t k = 0; k < 3 && operands[k] != kNoNode; ++k) {
    const Node& node = nodes_[operands[k]];
    if (node.op != NodeOp::Constant) return kNoNode;
    values[k] = node.number;
  }
  return constant(apply(op, values[0], values[1], values[2]));
}

bool Graph::is_constant(NodeId id, double value) const {
  return nodes_[id].op == NodeOp::Constant && bits(nodes_[id].number) == bits(value);
}

void Graph::clear() {
  nodes_.clear();
  table_.clear();
  derivatives_.clear();
}

NodeId Graph::import(const Graph& other, NodeId node, const std::vector<NodeId>& operands) {
  const std::vector<NodeId> order = other.reachable(node);
  NumberMap copies;
  const auto copy_of = [&](NodeId id) { return id == kNoNode ? kNoNode : *copies.find(id); };
  for (auto id = order.rbegin(); id != order.rend(); ++id) {
    const Node from = other[*id];  // a copy, because `other` can be this graph, which grows
    NodeId copy = kNoNode;
    if (from.op == NodeOp::Constant) {
      copy = constant(from.number);
    } else if (from.op == NodeOp::Operand) {
      HYLA_CHECK(from.operand < operands.size(), "an operand without a replacement");
      copy = operands[from.operand];
    } else {
      copy = make_like(from, copy_of(from.a), copy_of(from.b), copy_of(from.c));
    }
    copies.insert(*id, copy);
  }
  return copy_of(node);
}

std::vector<NodeId> Graph::reachable(NodeId node) const {
  // Operands have smaller numbers than what they are used in, so the greatest number left is never met again.
  std::priority_queue<NodeId> left;
  std::vector<NodeId> result;
  left.push(node);
  while (!left.empty()) {
    const NodeId next = left.top();
    left.pop();
    if (!result.empty() && result.back() == next) continue;
    result.push_back(next);
    for (const NodeId id : {nodes_[next].a, nodes_[next].b, nodes_[next].c}) {
      if (id != kNoNode) left.push(id);
    }
  }
  return result;
}

std::vector<std::uint32_t> Graph::operands_of_node(NodeId node) const {
  std::vector<std::uint32_t> result;
  for (const NodeId id : reachable(node)) {
    if (nodes_[id].op == NodeOp::Operand) result.push_back(nodes_[id].operand);
  }
  std::sort(result.begin(), result.end());
  return result;
}

bool Graph::depends_on(NodeId node, std::uint32_t operand) const {
  const NodeId leaf = find({.op = NodeOp::Operand, .operand = operand});
  if (leaf == kNoNode || leaf > node) return false;
  const std::vector<NodeId> order = reachable(node);
  return std::binary_search(order.rbegin(), order.rend(), leaf);
}

}  // namespace hyla::code
