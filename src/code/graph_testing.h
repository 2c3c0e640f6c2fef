// Random graphs and numbers for tests, and the slow evaluator that all others are compared with.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <unordered_map>
#include <vector>

#include "code/graph.h"

namespace hyla::code {

/// Bit for bit; any NaN is like any other.
inline bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

/// The value of a node, by walking the graph.
inline double walk(const Graph& graph, NodeId node, std::span<const double> operands) {
  std::unordered_map<NodeId, double> values;
  const std::vector<NodeId> order = graph.reachable(node);
  for (auto id = order.rbegin(); id != order.rend(); ++id) {
    const Node& at = graph[*id];
    const auto value = [&](NodeId operand) { return operand == kNoNode ? 0.0 : values.at(operand); };
    values[*id] = at.op == NodeOp::Constant  ? at.number
                  : at.op == NodeOp::Operand ? operands[at.operand]
                                             : apply(at.op, value(at.a), value(at.b), value(at.c));
  }
  return values.at(node);
}

class RandomGraphs {
 public:
  explicit RandomGraphs(std::uint64_t seed) : generator_(seed) {}
  bool mostly_arithmetic = false;

  std::size_t below(std::size_t end) { return std::uniform_int_distribution<std::size_t>(0, end - 1)(generator_); }
  double between(double least, double greatest) {
    return std::uniform_real_distribution<double>(least, greatest)(generator_);
  }

  /// Any operation but Constant and Operand, or one that is often part of a chain.
  NodeOp operation() {
    constexpr NodeOp kFrequent[] = {NodeOp::Add, NodeOp::Subtract, NodeOp::Multiply, NodeOp::Square};
    if (mostly_arithmetic && below(5) != 0) return kFrequent[below(std::size(kFrequent))];
    const auto first = static_cast<std::size_t>(NodeOp::Negate), last = static_cast<std::size_t>(NodeOp::Select);
    return static_cast<NodeOp>(first + below(last - first + 1));
  }

  /// Often one of the numbers at which functions change their mind.
  double number() {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    constexpr double kOdd[] = {0.0,       -0.0,       1,   -1,     2,     3,       4,   0.5,
                               kInfinity, -kInfinity, NAN, 5e-324, 1e308, -1e-310, -2.5};
    return below(3) == 0 ? kOdd[below(std::size(kOdd))] : between(-3, 3);
  }

  /// Fills a graph with so many operations on so many operands and returns the nodes.
  std::vector<NodeId> fill(Graph& graph, std::size_t operands, std::size_t operations) {
    std::vector<NodeId> nodes;
    for (std::size_t k = 0; k < operands; ++k) nodes.push_back(graph.operand(static_cast<std::uint32_t>(k)));
    for (int k = 0; k < 3; ++k) nodes.push_back(graph.constant(number()));
    for (std::size_t k = 0; k < operations; ++k) nodes.push_back(any(graph, operation(), nodes));
    return nodes;
  }

  /// An operation on some of the nodes.
  NodeId any(Graph& graph, NodeOp op, const std::vector<NodeId>& nodes) {
    const auto pick = [&](int least) { return operands_of(op) > least ? nodes[below(nodes.size())] : kNoNode; };
    const NodeId a = op == NodeOp::Polygamma ? graph.constant(static_cast<double>(below(3))) : pick(0);
    const NodeId b = pick(1);
    return graph.make(op, a, b, pick(2));
  }

 private:
  std::mt19937_64 generator_;
};

}  // namespace hyla::code
