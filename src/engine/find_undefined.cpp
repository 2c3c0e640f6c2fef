#include "engine/find_undefined.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "code/callee.h"
#include "engine/compose.h"
#include "engine/configure.h"
#include "engine/run_trouble.h"

namespace hyla::engine {
namespace {

using code::kNoNode;
using code::Node;
using code::NodeId;
using code::NodeOp;

constexpr std::size_t kLongestText = 60;  ///< of an operation that is shown

class Finder {
 public:
  Finder(const Run& run, Cluster& cluster) : run_(run), cluster_(cluster) {}

  /// Computes a term; true if it gives no finite number by an operation of its own.
  bool look_at(std::uint32_t equation, TermId id, const std::vector<At>& operands) {
    const Term& term = cluster_.tapes->terms()[id];
    const std::vector<NodeId> order = term.graph.reachable(term.value);
    std::vector<double> values(term.graph.size());
    for (auto node = order.rbegin(); node != order.rend(); ++node) compute(term.graph, *node, operands, values);
    const NodeId culprit = follow(term.graph, term.value, values);
    if (culprit == kNoNode) return false;
    describe(equation, term.graph, culprit, operands, values);
    return true;
  }

  UndefinedOperation found;

 private:
  void compute(const code::Graph& graph, NodeId id, const std::vector<At>& operands, std::vector<double>& values) {
    const Node& node = graph[id];
    const auto value = [&](NodeId operand) { return operand == kNoNode ? 0.0 : values[operand]; };
    if (node.op == NodeOp::Constant) {
      values[id] = node.number;
    } else if (node.op == NodeOp::Operand) {
      values[id] = cluster_.values[operands[node.operand]];
    } else if (node.op == NodeOp::Argument) {
      values[id] = std::isfinite(value(node.a)) ? value(node.b) : value(node.a);  // finite if all arguments are
    } else if (node.op == NodeOp::Call) {
      std::vector<double> results(node.callee->results());
      node.callee->call(arguments_of(graph, id, values), results);
      values[id] = results[node.operand];
    } else {
      values[id] = code::apply(node.op, value(node.a), value(node.b), value(node.c));
    }
  }

  static std::vector<double> arguments_of(const code::Graph& graph, NodeId call, const std::vector<double>& values) {
    std::vector<double> result;
    for (const NodeId argument : graph.arguments_of(call)) result.push_back(values[argument]);
    return result;
  }

  /// From a node that is no finite number down to the operation that made it so; branches that are not chosen do not
  /// count. None: it came from outside.
  NodeId follow(const code::Graph& graph, NodeId id, const std::vector<double>& values) {
    const auto is_finite = [&](NodeId operand) { return operand == kNoNode || std::isfinite(values[operand]); };
    while (!is_finite(id)) {
      const Node& node = graph[id];
      if (node.op == NodeOp::Constant || node.op == NodeOp::Operand) return kNoNode;
      if (node.op == NodeOp::Select && is_finite(node.a)) {
        const NodeId chosen = values[node.a] != 0 ? node.b : node.c;
        // The scalar form of `x[i]` is a chain of selections that ends in a constant that is no number.
        found.is_index = graph[chosen].op == NodeOp::Constant && std::isnan(values[chosen]);
        if (found.is_index) return id;
        id = chosen;
      } else if (is_finite(node.a) && is_finite(node.b) && is_finite(node.c)) {
        return id;
      } else {
        id = !is_finite(node.a) ? node.a : !is_finite(node.b) ? node.b : node.c;
      }
    }
    return kNoNode;
  }

  void describe(std::uint32_t equation, const code::Graph& graph, NodeId id, const std::vector<At>& operands,
                const std::vector<double>& values) {
    const Node& node = graph[id];
    found.equation = equation;
    found.op = node.op;
    found.result = values[id];
    found.a = values[node.a];
    found.b = node.b == kNoNode ? 0 : values[node.b];
    if (node.op == NodeOp::Call) found.failure = node.callee->failure(arguments_of(graph, id, values));
    bool readable = !found.is_index;
    for (const std::uint32_t operand : graph.operands_of_node(id)) {
      const std::string name = operand_name(operands[operand], equation);
      readable = readable && !name.empty();
      if (!name.empty()) found.operands.emplace_back(name, cluster_.values[operands[operand]]);
    }
    if (!readable) return;
    found.text = with_names(graph.text(id), operands, equation);
    if (found.text.size() > kLongestText) found.text.clear();
  }

  /// Empty for what has no name: relations, constants of families, values that only the machine knows.
  std::string operand_name(At place, std::uint32_t equation) const {
    if (place == kTime) return "time";
    const std::uint32_t viewer = shape_of(cluster_).equations[equation].object;
    const std::vector<ShapeVariable>& variables = shape_of(cluster_).variables;
    for (std::uint32_t i = 0; i < variables.size(); ++i) {
      if (variables[i].value == place) return name_of(run_, cluster_, i, viewer);
      if (variables[i].derivative == place) return "der(" + name_of(run_, cluster_, i, viewer) + ")";
    }
    return "";
  }

  /// Operands are written `x0`, `x1`, ... in the text of a graph.
  std::string with_names(const std::string& text, const std::vector<At>& operands, std::uint32_t equation) const {
    const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
    const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
    std::string result;
    for (std::size_t i = 0; i < text.size();) {
      const bool begins = text[i] == 'x' && i + 1 < text.size() && is_digit(text[i + 1]);
      if (!begins || (i > 0 && is_word(text[i - 1]))) {
        result += text[i++];
        continue;
      }
      std::size_t number = 0;
      for (++i; i < text.size() && is_digit(text[i]); ++i)
        number = 10 * number + static_cast<std::size_t>(text[i] - '0');
      result += operand_name(operands[number], equation);
    }
    return result;
  }

  const Run& run_;
  Cluster& cluster_;
};

std::uint32_t variable_of(const Shape& shape, At place) {
  for (std::uint32_t i = 0; i < shape.variables.size(); ++i) {
    if (shape.variables[i].value == place || shape.variables[i].derivative == place) return i;
  }
  return kNone;
}

}  // namespace

UndefinedOperation find_undefined(const Run& run, Cluster& cluster, const std::vector<EvaluationPart>& parts) {
  const Shape& shape = shape_of(cluster);
  Finder finder(run, cluster);
  for (const EvaluationPart& part : parts) {
    for (const EvaluationPart::Step& step : part.steps) {
      const ExplicitEquation equation = explicit_form(shape, *cluster.tapes, step);
      if (!finder.look_at(step.equation, equation.term, equation.operands)) continue;
      finder.found.variable = variable_of(shape, step.unknown);
      return finder.found;
    }
    for (std::size_t i = 0; i < part.residuals.size(); ++i) {
      const ShapeEquation& equation = shape.equations[part.residuals[i]];
      if (!finder.look_at(part.residuals[i], equation.term, equation.operands)) continue;
      finder.found.variable = variable_of(shape, part.tears[i]);
      return finder.found;
    }
  }
  return {};
}

std::string reason_of(const UndefinedOperation& undefined) {
  if (undefined.is_index) return "an index lies outside its array";
  if (!undefined.failure.empty()) return undefined.failure;
  switch (undefined.op) {
    case NodeOp::Sqrt:
      return "the square root of a negative number";
    case NodeOp::Log:
    case NodeOp::Log2:
    case NodeOp::Log10:
      return "the logarithm of a number that is not positive";
    case NodeOp::Log1p:
      return "the logarithm of a number that is not positive";
    case NodeOp::Divide:
      if (undefined.b == 0) return "a division by zero";
      break;
    case NodeOp::Mod:
      return "a remainder of a division by zero";
    case NodeOp::Power:
      if (undefined.a == 0) return "zero to a negative power";
      if (undefined.a < 0 && std::isnan(undefined.result)) return "a broken power of a negative number";
      break;
    case NodeOp::Asin:
    case NodeOp::Acos:
      return "an arc function of a number outside -1 to 1";
    case NodeOp::Acosh:
    case NodeOp::Atanh:
    case NodeOp::TGamma:
    case NodeOp::LGamma:
      return "an argument outside the domain of the function";
    default:
      break;
  }
  return std::isnan(undefined.result) ? "the result is no number" : "the result is too large";
}

}  // namespace hyla::engine
