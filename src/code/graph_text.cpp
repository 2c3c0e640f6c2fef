// Graphs as text: keys for look-up, and formulas for people.
#include <bit>
#include <cctype>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"
#include "code/callee.h"
#include "code/graph.h"

namespace hyla::code {
namespace {

constexpr int kDeepest = 100;  ///< operations inside each other that people can be shown

std::string_view sign_between(NodeOp op) {
  switch (op) {
    case NodeOp::Add:
      return " + ";
    case NodeOp::Subtract:
      return " - ";
    case NodeOp::Multiply:
      return " * ";
    case NodeOp::Divide:
      return " / ";
    case NodeOp::Power:
      return "^";
    case NodeOp::Less:
      return " < ";
    case NodeOp::LessEqual:
      return " <= ";
    case NodeOp::Equal:
      return " == ";
    case NodeOp::NotEqual:
      return " <> ";
    case NodeOp::And:
      return " and ";
    case NodeOp::Or:
      return " or ";
    default:
      return {};
  }
}

std::string function_name(NodeOp op) {
  std::string name = name_of(op);
  for (char& letter : name) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return name;
}

/// Every operation that is not a call stands in brackets, except the outermost.
void write(const Graph& graph, NodeId id, int depth, std::string& out) {
  const Node& node = graph[id];
  if (depth > kDeepest) {
    out += "...";
  } else if (node.op == NodeOp::Constant) {
    out += base::format_number(node.number);
  } else if (node.op == NodeOp::Operand) {
    out += fmt::format("x{}", node.operand);
  } else if (const std::string_view sign = sign_between(node.op); !sign.empty() || node.op == NodeOp::Negate) {
    if (depth > 0) out += '(';
    if (node.op == NodeOp::Negate) out += '-';
    write(graph, node.a, depth + 1, out);
    out += sign;
    if (node.b != kNoNode) write(graph, node.b, depth + 1, out);
    if (depth > 0) out += ')';
  } else if (node.op == NodeOp::Call) {
    out += node.callee->name() + "(";
    const std::vector<NodeId> arguments = graph.arguments_of(id);
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      if (k > 0) out += ", ";
      write(graph, arguments[k], depth + 1, out);
    }
    out += ')';
  } else {
    out += function_name(node.op) + "(";
    write(graph, node.a, depth + 1, out);
    for (const NodeId operand : {node.b, node.c}) {
      if (operand == kNoNode) break;
      out += ", ";
      write(graph, operand, depth + 1, out);
    }
    out += ')';
  }
}

}  // namespace

std::string Graph::text(NodeId node) const {
  std::string result;
  write(*this, node, 0, result);
  return result;
}

std::string Graph::key(NodeId node) const {
  // Numbers by the order in which nodes are finished when walking from the root, left to right: the order in which they
  // were made does not matter.
  NumberMap numbers;
  std::uint32_t count = 0;
  std::string result;
  std::vector<NodeId> path = {node};
  while (!path.empty()) {
    const Node& at = nodes_[path.back()];
    NodeId open = kNoNode;
    for (const NodeId operand : {at.c, at.b, at.a}) {
      if (operand != kNoNode && numbers.find(operand) == nullptr) open = operand;
    }
    if (open != kNoNode) {
      path.push_back(open);
      continue;
    }
    result += fmt::format("{:x}", static_cast<unsigned>(at.op));
    if (at.op == NodeOp::Constant) result += fmt::format(" {:x}", std::bit_cast<std::uint64_t>(at.number));
    if (at.op == NodeOp::Operand) result += fmt::format(" {:x}", at.operand);
    if (at.op == NodeOp::Call) result += fmt::format(" {:x}.{:x}", at.callee->number(), at.operand);
    for (const NodeId operand : {at.a, at.b, at.c}) {
      if (operand != kNoNode) result += fmt::format(" {:x}", *numbers.find(operand));
    }
    result += ';';
    numbers.insert(path.back(), count++);
    path.pop_back();
  }
  return result;
}

}  // namespace hyla::code
