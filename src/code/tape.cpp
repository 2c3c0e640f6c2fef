#include "code/tape.h"

#include <array>
#include <numeric>

#include "base/check.h"
#include "code/tape_words.h"

namespace hyla::code {
namespace {

/// Lists the operations that outputs need, each after its operands, and keeps what is used together close together: an
/// operation follows its last operand. Then gives out registers.
class Recorder {
 public:
  Recorder(const Graph& graph, std::uint32_t inputs) : graph_(graph) { tape_.inputs = inputs; }

  Tape record(std::span<const NodeId> outputs) {
    for (const NodeId output : outputs) visit(output);
    number_leaves();
    for (const NodeId output : outputs) {
      Item& item = items_[*numbers_.find(output)];
      if (item.place == kNowhere) item.place = tape_.registers++;
      ++item.uses;  // never free
      tape_.outputs.push_back(item.place);
    }
    const std::uint32_t first_temporary = tape_.registers;
    for (Item& item : items_) emit(item);
    std::vector<std::uint32_t> temporaries(tape_.registers - first_temporary);
    std::iota(temporaries.begin(), temporaries.end(), first_temporary);
    tape_.words = pack(tape_.instructions, tape_.calls, temporaries);
    return std::move(tape_);
  }

 private:
  static constexpr std::uint32_t kNowhere = UINT32_MAX;
  struct Item {
    NodeId id = kNoNode;
    std::array<std::uint32_t, 3> operands{kNowhere, kNowhere, kNowhere};  ///< numbers of items
    std::uint32_t uses = 0;
    std::uint32_t place = kNowhere;  ///< its register
  };

  void visit(NodeId root) {
    path_.push_back(root);
    while (!path_.empty()) {
      const Node& node = graph_[path_.back()];
      Item item{.id = path_.back()};
      NodeId open = kNoNode;
      const std::array<NodeId, 3> operands = {node.a, node.b, node.c};
      for (std::size_t k = 0; k < 3 && operands[k] != kNoNode && open == kNoNode; ++k) {
        const std::uint32_t* const number = numbers_.find(operands[k]);
        if (number == nullptr) open = operands[k];
        if (number != nullptr) item.operands[k] = *number;
      }
      if (open != kNoNode) {
        path_.push_back(open);
        continue;
      }
      path_.pop_back();
      if (!numbers_.insert(item.id, static_cast<std::uint32_t>(items_.size())).second) continue;
      for (const std::uint32_t operand : item.operands) {
        if (operand != kNowhere) ++items_[operand].uses;
      }
      items_.push_back(item);
    }
  }

  void number_leaves() {
    tape_.registers = tape_.inputs;
    for (Item& item : items_) {
      const Node& node = graph_[item.id];
      if (node.op == NodeOp::Operand) {
        HYLA_CHECK(node.operand < tape_.inputs, "an operand that is no input");
        item.place = node.operand;
        ++item.uses;  // never free
      } else if (node.op == NodeOp::Constant) {
        item.place = tape_.registers++;
        ++item.uses;
        tape_.constants.push_back(node.number);
      }
    }
  }

  void emit(Item& item) {
    const NodeOp op = graph_[item.id].op;
    if (operands_of(op) == 0 || op == NodeOp::Argument) return;  // arguments keep their registers for all calls
    if (op == NodeOp::Call) return emit_call(item);
    std::array<std::uint32_t, 3> places{};
    for (std::size_t k = 0; k < 3 && item.operands[k] != kNowhere; ++k) places[k] = items_[item.operands[k]].place;
    // The operands' registers are free before the result is placed: a result may overwrite an operand.
    for (const std::uint32_t operand : item.operands) {
      if (operand != kNowhere && --items_[operand].uses == 0) free_.push_back(items_[operand].place);
    }
    if (item.place == kNowhere) item.place = take();
    tape_.instructions.push_back({.op = op, .out = item.place, .a = places[0], .b = places[1], .c = places[2]});
  }

  void emit_call(Item& item) {
    const Node& node = graph_[item.id];
    TapeCall call{node.callee, node.operand, {}};
    for (const NodeId argument : graph_.arguments_of(item.id)) {
      call.arguments.push_back(items_[*numbers_.find(argument)].place);
    }
    if (item.place == kNowhere) item.place = take();
    tape_.instructions.push_back(
        {.op = NodeOp::Call, .out = item.place, .a = static_cast<std::uint32_t>(tape_.calls.size())});
    tape_.calls.push_back(std::move(call));
  }

  std::uint32_t take() {
    if (free_.empty()) return tape_.registers++;
    const std::uint32_t result = free_.back();
    free_.pop_back();
    return result;
  }

  const Graph& graph_;
  Tape tape_;
  std::vector<Item> items_;  ///< in the order of computation
  NumberMap numbers_;        ///< of items by node
  std::vector<NodeId> path_;
  std::vector<std::uint32_t> free_;
};

}  // namespace

Tape record_tape(const Graph& graph, std::span<const NodeId> outputs, std::uint32_t inputs) {
  return Recorder(graph, inputs).record(outputs);
}

}  // namespace hyla::code
