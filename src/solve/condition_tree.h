// A condition as a tree of relations under `not`, `and` and `or`.
//
// A relation holds where its function g is at least zero. Trees are built from the leaves up; nodes are numbers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hyla::solve {

class ConditionTree {
 public:
  using Node = std::uint32_t;
  enum class Kind : std::uint8_t { Relation, Not, And, Or };

  Node add_relation(std::uint32_t relation, bool negated = false);
  Node add_not(Node operand);
  Node add_and(std::span<const Node> operands) { return add(Kind::And, operands); }
  Node add_or(std::span<const Node> operands) { return add(Kind::Or, operands); }
  void set_root(Node root) { root_ = root; }

  Node root() const { return root_; }
  std::size_t size() const { return nodes_.size(); }
  Kind kind(Node node) const { return nodes_[node].kind; }
  /// Of a relation.
  std::uint32_t relation(Node node) const { return nodes_[node].relation; }
  bool negated(Node node) const { return nodes_[node].negated; }
  std::span<const Node> operands(Node node) const;

  bool holds(const double* values) const { return holds(root_, values); }
  bool holds(Node node, const double* values) const;

 private:
  struct Entry {
    Kind kind = Kind::Relation;
    bool negated = false;
    std::uint32_t relation = 0;
    std::uint32_t first_operand = 0, number_of_operands = 0;
  };
  Node add(Kind kind, std::span<const Node> operands);

  std::vector<Entry> nodes_;
  std::vector<Node> operands_;
  Node root_ = 0;
};

/// The condition for staying in a mode that is left when one of these conditions holds: none of them does. Negations
/// are pushed to the relations, so that the result has no `not`. (Formula 12 and algorithm 1 of Shornikov et al. 2024.)
ConditionTree make_staying(const ConditionTree& leaving, std::span<const ConditionTree::Node> conditions);

}  // namespace hyla::solve
