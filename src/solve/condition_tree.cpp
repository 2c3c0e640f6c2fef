#include "solve/condition_tree.h"

#include <algorithm>

namespace hyla::solve {

namespace {

/// Copies a node without negations; `negate`: of the opposite.
ConditionTree::Node copy(const ConditionTree& from, ConditionTree::Node node, bool negate, ConditionTree& to) {
  using Kind = ConditionTree::Kind;
  switch (from.kind(node)) {
    case Kind::Relation:
      return to.add_relation(from.relation(node), from.negated(node) != negate);
    case Kind::Not:
      return copy(from, from.operands(node)[0], !negate, to);
    case Kind::And:
    case Kind::Or:
      break;
  }
  std::vector<ConditionTree::Node> operands;
  for (const ConditionTree::Node operand : from.operands(node)) operands.push_back(copy(from, operand, negate, to));
  // De Morgan: `and` and `or` change places.
  return (from.kind(node) == Kind::And) != negate ? to.add_and(operands) : to.add_or(operands);
}

}  // namespace

ConditionTree::Node ConditionTree::add_relation(std::uint32_t relation, bool negated) {
  nodes_.push_back({Kind::Relation, negated, relation, 0, 0});
  return static_cast<Node>(nodes_.size() - 1);
}

ConditionTree::Node ConditionTree::add_not(Node operand) { return add(Kind::Not, std::span<const Node>(&operand, 1)); }

ConditionTree::Node ConditionTree::add(Kind kind, std::span<const Node> operands) {
  const auto first = static_cast<std::uint32_t>(operands_.size());
  operands_.insert(operands_.end(), operands.begin(), operands.end());
  nodes_.push_back({kind, false, 0, first, static_cast<std::uint32_t>(operands.size())});
  return static_cast<Node>(nodes_.size() - 1);
}

std::span<const ConditionTree::Node> ConditionTree::operands(Node node) const {
  return {operands_.data() + nodes_[node].first_operand, nodes_[node].number_of_operands};
}

bool ConditionTree::holds(Node node, const double* values) const {
  const auto operand_holds = [&](Node operand) { return holds(operand, values); };
  const std::span<const Node> below = operands(node);
  switch (kind(node)) {
    case Kind::Relation:
      return (values[relation(node)] >= 0) != negated(node);
    case Kind::Not:
      return !holds(below[0], values);
    case Kind::And:
      return std::all_of(below.begin(), below.end(), operand_holds);
    case Kind::Or:
      return std::any_of(below.begin(), below.end(), operand_holds);
  }
  return false;
}

ConditionTree make_staying(const ConditionTree& leaving, std::span<const ConditionTree::Node> conditions) {
  ConditionTree staying;
  std::vector<ConditionTree::Node> parts;
  for (const ConditionTree::Node condition : conditions) parts.push_back(copy(leaving, condition, true, staying));
  staying.set_root(parts.size() == 1 ? parts[0] : staying.add_and(parts));
  return staying;
}

}  // namespace hyla::solve
