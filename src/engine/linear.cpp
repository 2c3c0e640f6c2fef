// One walk from the value of a term down to its operands finds all factors: a sum hands its own factor on, a product
// the one multiplied by its other side. What lies under any other operation is not linear.
#include "engine/linear.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "code/heap.h"
#include "engine/make_shape.h"

namespace hyla::engine {
namespace {

using code::Graph;
using code::kNoNode;
using code::Node;
using code::NodeId;
using code::NodeOp;

class FactorFinder {
 public:
  FactorFinder(const Term& term, LinearForm& form)
      : graph_(form.graph), factors_(term.graph.size(), kNoNode), is_bent_(term.graph.size(), 0) {
    factors_[term.value] = graph_.constant(1);
  }

  void visit(NodeId id) {
    const Node node = graph_[id];
    if (is_bent_[id] != 0) {
      bend_operands(node);
      return;
    }
    const NodeId own = factors_[id];
    switch (node.op) {
      case NodeOp::Constant:
      case NodeOp::Operand:
        break;
      case NodeOp::Add:
        add(node.a, own);
        add(node.b, own);
        break;
      case NodeOp::Subtract:
        add(node.a, own);
        add(node.b, graph_.make(NodeOp::Negate, own));
        break;
      case NodeOp::Negate:
        add(node.a, graph_.make(NodeOp::Negate, own));
        break;
      case NodeOp::Multiply:
        add(node.a, graph_.make(NodeOp::Multiply, own, node.b));
        add(node.b, graph_.make(NodeOp::Multiply, own, node.a));
        break;
      case NodeOp::Divide:
        add(node.a, graph_.make(NodeOp::Divide, own, node.b));
        is_bent_[node.b] = 1;
        break;
      default:
        bend_operands(node);
        break;
    }
  }

  NodeId factor(NodeId id) const { return is_bent_[id] != 0 ? kNoNode : factors_[id]; }

 private:
  void add(NodeId id, NodeId factor) {
    factors_[id] = factors_[id] == kNoNode ? factor : graph_.make(NodeOp::Add, factors_[id], factor);
  }
  void bend_operands(const Node& node) {
    const NodeId inner[] = {node.a, node.b, node.c};
    for (int i = 0; i < code::operands_of(node.op); ++i) is_bent_[inner[i]] = 1;
  }

  Graph& graph_;
  std::vector<NodeId> factors_;        ///< by node of the term
  std::vector<std::uint8_t> is_bent_;  ///< likewise: it stands under an operation that is not linear
};

/// Not a number if a function is called on the way.
double value_of(const Graph& graph, NodeId root, const std::vector<double>& operands) {
  std::vector<NodeId> order = graph.reachable(root);
  std::vector<double> values(root + 1);
  for (auto id = order.rbegin(); id != order.rend(); ++id) {
    const Node& node = graph[*id];
    const auto at = [&](NodeId inner) { return inner == kNoNode ? 0.0 : values[inner]; };
    const bool is_call = node.op == NodeOp::Call || node.op == NodeOp::Argument;
    values[*id] = is_call                       ? std::numeric_limits<double>::quiet_NaN()
                  : node.op == NodeOp::Constant ? node.number
                  : node.op == NodeOp::Operand  ? operands[node.operand]
                                                : code::apply(node.op, at(node.a), at(node.b), at(node.c));
  }
  return values[root];
}

/// A parameter or constant.
bool is_fixed(World& world, const Leaf& leaf, double& value) {
  value = leaf.number;
  if (leaf.kind != Leaf::Kind::Value) return leaf.kind == Leaf::Kind::Constant;
  const Object& object = world.object(leaf.place.object);
  const model::VariableId id = variable_at(world, object.object_class, leaf.place.slot);
  if (!id || !world.model.variables[id].is_fixed()) return false;
  Slot slot = object.slots[leaf.place.slot];
  if (leaf.place.element != kNone) slot = slot.box->slots()[leaf.place.element];
  value = leaf.type == model::TypeKind::Real ? slot.real : static_cast<double>(slot.integer);
  return true;
}

}  // namespace

LinearForm linear_form(const Term& term) {
  LinearForm form;
  form.graph = term.graph;
  form.factors.assign(term.operands, kNoNode);
  FactorFinder finder(term, form);
  const std::vector<NodeId> nodes = term.graph.reachable(term.value);
  for (const NodeId id : nodes) finder.visit(id);
  for (const NodeId id : nodes) {
    const Node& node = term.graph[id];
    if (node.op != NodeOp::Operand) continue;
    const NodeId factor = finder.factor(id);
    const bool linear = factor != kNoNode && !form.graph.depends_on(factor, node.operand);
    if (linear && !form.graph.is_constant(factor, 0)) form.factors[node.operand] = factor;
  }
  return form;
}

std::vector<std::uint8_t> solvable_operands(World& world, const ScalarEquation& equation, const LinearForm& form) {
  std::vector<std::uint8_t> result(equation.operands.size(), 0);
  std::vector<double> values(equation.operands.size());
  for (std::size_t k = 0; k < result.size(); ++k) {
    const NodeId factor = form.factors[k];
    if (factor == kNoNode) continue;
    const std::vector<std::uint32_t> reads = form.graph.operands_of_node(factor);
    const bool fixed = std::all_of(reads.begin(), reads.end(), [&](std::uint32_t operand) {
      return is_fixed(world, equation.operands[operand], values[operand]);
    });
    if (!fixed) continue;
    const double value = value_of(form.graph, factor, values);
    result[k] = std::isfinite(value) && value != 0 ? 1 : 0;
  }
  return result;
}

}  // namespace hyla::engine
