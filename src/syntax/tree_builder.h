// Builds a tree from its leaves upwards.
//
// Finished nodes wait until a parent takes them: finish() makes a node of all that waits since a mark. So a parent need
// not be known when its first child is read, as in `a + b` or `if x -> T`.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "syntax/tree.h"

namespace hyla::syntax {

class TreeBuilder {
 public:
  TreeBuilder(diag::FileId file, std::string_view source, std::vector<Token> tokens, std::vector<Comment> comments) {
    tree_.file_ = file;
    tree_.source_ = source;
    tree_.tokens_ = std::move(tokens);
    tree_.comments_ = std::move(comments);
    // Few texts have more nodes than this, and memory that is never touched costs nothing.
    const std::size_t expected_nodes = tree_.tokens_.size() + tree_.tokens_.size() * 3 / 4;
    tree_.nodes_.reserve(expected_nodes);
    tree_.children_.reserve(expected_nodes);
  }

  struct Mark {
    std::uint32_t waiting;
    std::uint32_t nodes;
    std::uint32_t children;
  };
  Mark mark() const { return {size(waiting_), size(tree_.nodes_), size(tree_.children_)}; }

  /// Adds a node without children over the tokens [first, end).
  void leaf(NodeKind kind, std::uint32_t first, std::uint32_t end) {
    waiting_.push_back(NodeId{size(tree_.nodes_)});
    tree_.nodes_.push_back({kind, first, end, size(tree_.children_), 0});
  }
  /// Makes one node of everything that waits since the mark.
  void finish(NodeKind kind, const Mark& mark, std::uint32_t first, std::uint32_t end) {
    const std::uint32_t first_child = size(tree_.children_);
    tree_.children_.insert(tree_.children_.end(), waiting_.begin() + mark.waiting, waiting_.end());
    waiting_.resize(mark.waiting);
    waiting_.push_back(NodeId{size(tree_.nodes_)});
    tree_.nodes_.push_back({kind, first, end, first_child, size(tree_.children_) - first_child});
  }
  /// Puts an empty leaf before what waits since the mark.
  void insert_empty(NodeKind kind, const Mark& mark, std::uint32_t token) {
    waiting_.insert(waiting_.begin() + mark.waiting, NodeId{size(tree_.nodes_)});
    tree_.nodes_.push_back({kind, token, token, size(tree_.children_), 0});
  }
  /// Forgets everything since the mark.
  void drop(const Mark& mark) {
    waiting_.resize(mark.waiting);
    tree_.nodes_.resize(mark.nodes);
    tree_.children_.resize(mark.children);
  }
  std::uint32_t waiting_since(const Mark& mark) const { return size(waiting_) - mark.waiting; }
  /// The node that was added last and waits.
  const Node& last() const { return tree_.node(waiting_.back()); }
  const Tree& tree() const { return tree_; }

  /// Ends the work: the one node that waits is the root.
  Tree take() {
    tree_.root_ = waiting_.back();
    shrink(tree_.tokens_);
    shrink(tree_.comments_);
    shrink(tree_.nodes_);
    shrink(tree_.children_);
    return std::move(tree_);
  }

 private:
  template <class T>
  static std::uint32_t size(const std::vector<T>& elements) {
    return static_cast<std::uint32_t>(elements.size());
  }
  /// Trees live long. Small vectors give back what they do not use; for large ones the system has never provided it.
  template <class T>
  static void shrink(std::vector<T>& elements) {
    if (elements.capacity() * sizeof(T) < std::size_t{1} << 20) elements.shrink_to_fit();
  }

  Tree tree_;
  std::vector<NodeId> waiting_;
};

}  // namespace hyla::syntax
