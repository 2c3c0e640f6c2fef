#include "code/tape.h"

#include <unordered_map>
#include <unordered_set>

#include "base/check.h"

namespace hyla::code {
namespace {

/// Lists the operations that outputs need, each after its operands, and keeps what is used together close together: an
/// operation follows its last operand.
class Recorder {
 public:
  Recorder(const Graph& graph, std::uint32_t inputs) : graph_(graph) { tape_.inputs = inputs; }

  Tape record(std::span<const NodeId> outputs) {
    for (const NodeId output : outputs) visit(output);
    for (const NodeId output : outputs) is_output_.insert(output);
    number_leaves();
    for (const NodeId output : outputs) {
      if (!registers_.contains(output)) registers_[output] = tape_.registers++;
    }
    for (const NodeId id : order_) emit(id);
    for (const NodeId output : outputs) tape_.outputs.push_back(registers_.at(output));
    return std::move(tape_);
  }

 private:
  void visit(NodeId root) {
    std::vector<NodeId> path = {root};
    while (!path.empty()) {
      const NodeId id = path.back();
      const Node& node = graph_[id];
      NodeId open = kNoNode;
      for (const NodeId operand : {node.c, node.b, node.a}) {
        if (operand != kNoNode && !uses_.contains(operand)) open = operand;
      }
      if (open != kNoNode) {
        path.push_back(open);
        continue;
      }
      path.pop_back();
      if (!uses_.emplace(id, 0).second) continue;
      order_.push_back(id);
      for (const NodeId operand : {node.a, node.b, node.c}) {
        if (operand != kNoNode) ++uses_[operand];
      }
    }
  }

  void number_leaves() {
    tape_.registers = tape_.inputs;
    for (const NodeId id : order_) {
      const Node& node = graph_[id];
      if (node.op == NodeOp::Operand) {
        HYLA_CHECK(node.operand < tape_.inputs, "an operand that is no input");
        registers_[id] = node.operand;
      } else if (node.op == NodeOp::Constant) {
        registers_[id] = tape_.registers++;
        tape_.constants.push_back(node.number);
      }
    }
  }

  void emit(NodeId id) {
    const Node& node = graph_[id];
    if (operands_of(node.op) == 0) return;
    TapeInstruction instruction{.op = node.op};
    instruction.a = registers_.at(node.a);
    if (node.b != kNoNode) instruction.b = registers_.at(node.b);
    if (node.c != kNoNode) instruction.c = registers_.at(node.c);
    // The operands' registers are free before the result is placed: a result may overwrite an operand.
    for (const NodeId operand : {node.a, node.b, node.c}) {
      if (operand != kNoNode) release(operand);
    }
    const auto [place, is_new] = registers_.try_emplace(id, 0);
    if (is_new) place->second = take();
    instruction.out = place->second;
    tape_.instructions.push_back(instruction);
  }

  void release(NodeId id) {
    if (--uses_.at(id) > 0 || is_output_.contains(id) || operands_of(graph_[id].op) == 0) return;
    free_.push_back(registers_.at(id));
  }

  std::uint32_t take() {
    if (free_.empty()) return tape_.registers++;
    const std::uint32_t result = free_.back();
    free_.pop_back();
    return result;
  }

  const Graph& graph_;
  Tape tape_;
  std::vector<NodeId> order_;
  std::unordered_map<NodeId, std::uint32_t> uses_;  ///< of visited nodes, as operands
  std::unordered_set<NodeId> is_output_;
  std::unordered_map<NodeId, std::uint32_t> registers_;
  std::vector<std::uint32_t> free_;
};

}  // namespace

Tape record_tape(const Graph& graph, std::span<const NodeId> outputs, std::uint32_t inputs) {
  return Recorder(graph, inputs).record(outputs);
}

}  // namespace hyla::code
