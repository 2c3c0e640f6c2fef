// Terms in a canonical form. Two equations share a term if their graphs have the same form and their operands the same
// pattern; so operands are numbered in the order in which a walk over the term meets them first.
#include "engine/terms.h"

#include <algorithm>
#include <cstring>

#include "code/callee.h"

namespace hyla::engine {
namespace {

using code::Graph;
using code::kNoNode;
using code::Node;
using code::NodeId;
using code::NodeOp;

/// Walks over the part of a graph that a value and its modes need, operands of a node before the node. Deep graphs are
/// common (sums over long arrays), so the walk keeps its own stack.
class Walk {
 public:
  /// `places` holds nothing but kNoNode before and after.
  Walk(const Graph& graph, std::vector<NodeId>& places) : graph_(graph), places_(places) {
    if (places_.size() < graph.size()) places_.resize(graph.size(), kNoNode);
  }
  ~Walk() {
    for (const NodeId id : order) places_[id] = kNoNode;
  }
  Walk(const Walk&) = delete;
  Walk& operator=(const Walk&) = delete;

  /// The new nodes on the way to this one are added to `order`.
  void to(NodeId root) {
    std::vector<std::pair<NodeId, int>> stack;
    enter(root, stack);
    while (!stack.empty()) {
      auto& [id, next] = stack.back();
      const Node& node = graph_[id];
      if (next < code::operands_of(node.op)) {
        const NodeId inner = next == 0 ? node.a : next == 1 ? node.b : node.c;
        ++next;
        enter(inner, stack);
        continue;
      }
      places_[id] = static_cast<NodeId>(order.size());
      order.push_back(id);
      stack.pop_back();
    }
  }
  NodeId place(NodeId id) const { return places_[id]; }

  std::vector<NodeId> order;

 private:
  static constexpr NodeId kEntered = kNoNode - 1;
  void enter(NodeId id, std::vector<std::pair<NodeId, int>>& stack) {
    if (places_[id] != kNoNode) return;
    places_[id] = kEntered;
    stack.emplace_back(id, 0);
  }

  const Graph& graph_;
  std::vector<NodeId>& places_;
};

template <class T>
void append(std::string& text, const T& value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  text.append(bytes, sizeof(T));
}

/// A term found in a larger graph.
class Cut {
 public:
  Cut(const Graph& graph, NodeId value, const std::vector<Mode>& modes, std::vector<NodeId>& places,
      std::vector<std::uint32_t>& numbers)
      : graph_(graph), value_(value), modes_(modes), walk_(graph, places), numbers_(numbers) {
    walk_.to(value);
    number();
    for (std::size_t i = 0; i < found_.size(); ++i) {
      walk_.to(found_[i]->g);
      number();
    }
  }

  /// Everything that makes the term what it is.
  std::string key() const {
    std::string text;
    for (const NodeId id : walk_.order) append_node(text, graph_[id]);
    append(text, walk_.place(value_));
    for (const Mode* mode : found_) {
      append(text, mode->kind);
      append(text, walk_.place(mode->g));
    }
    return text;
  }

  Term term() const {
    Term result;
    std::vector<NodeId> made(walk_.order.size());
    for (std::size_t i = 0; i < made.size(); ++i) {
      const Node& node = graph_[walk_.order[i]];
      const auto at = [&](NodeId id) { return id == kNoNode ? kNoNode : made[walk_.place(id)]; };
      if (node.op == NodeOp::Constant) {
        made[i] = result.graph.constant(node.number);
      } else if (node.op == NodeOp::Operand) {
        made[i] = result.graph.operand(numbers_[node.operand]);
      } else {
        made[i] = result.graph.make_like(node, at(node.a), at(node.b), at(node.c));
      }
    }
    result.value = made[walk_.place(value_)];
    result.operands = static_cast<std::uint32_t>(operands.size());
    for (const Mode* mode : found_) {
      result.modes.push_back({mode->kind, numbers_[mode->operand], made[walk_.place(mode->g)]});
    }
    return result;
  }

  std::vector<std::uint32_t> operands;  ///< of the larger graph, by the number that they have in the term

 private:
  /// Gives numbers to the operands met since the last call.
  void number() {
    for (; numbered_ < walk_.order.size(); ++numbered_) {
      const Node& node = graph_[walk_.order[numbered_]];
      if (node.op != NodeOp::Operand) continue;
      if (node.operand >= numbers_.size()) numbers_.resize(node.operand + 1, kNone);
      numbers_[node.operand] = static_cast<std::uint32_t>(operands.size());
      operands.push_back(node.operand);
      const auto mode = std::lower_bound(modes_.begin(), modes_.end(), node.operand,
                                         [](const Mode& one, std::uint32_t operand) { return one.operand < operand; });
      if (mode != modes_.end() && mode->operand == node.operand) found_.push_back(&*mode);
    }
  }

  void append_node(std::string& text, const Node& node) const {
    append(text, node.op);
    if (node.op == NodeOp::Constant) {
      append(text, node.number);
    } else if (node.op == NodeOp::Operand) {
      append(text, numbers_[node.operand]);
    } else {
      const int count = code::operands_of(node.op);
      if (node.op == NodeOp::Call) {
        append(text, node.callee->number());
        append(text, node.operand);
      }
      append(text, walk_.place(node.a));
      if (count > 1) append(text, walk_.place(node.b));
      if (count > 2) append(text, walk_.place(node.c));
    }
  }

  const Graph& graph_;
  NodeId value_;
  const std::vector<Mode>& modes_;
  Walk walk_;
  std::size_t numbered_ = 0;
  std::vector<std::uint32_t>& numbers_;  ///< by operand of the larger graph; only those of `operands` count
  std::vector<const Mode*> found_;       ///< modes of the term
};

}  // namespace

TermId Terms::intern(const Term& term) {
  std::vector<std::uint32_t> order;
  return cut(term.graph, term.value, term.modes, order);
}

TermId Terms::cut(const code::Graph& graph, code::NodeId value, const std::vector<Mode>& modes,
                  std::vector<std::uint32_t>& operands) {
  Cut found(graph, value, modes, places_, numbers_);
  const auto [entry, added] = known_.try_emplace(found.key(), static_cast<TermId>(terms_.size()));
  if (added) terms_.push_back(std::make_unique<Term>(found.term()));
  operands = std::move(found.operands);
  return entry->second;
}

}  // namespace hyla::engine
