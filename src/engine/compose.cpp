#include "engine/compose.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "engine/configure.h"
#include "engine/large_loop.h"
#include "engine/loop_relations.h"

namespace hyla::engine {
namespace {

using code::kNoNode;
using code::NodeId;
using code::NodeOp;

/// Evaluations with fewer equations are not worth looking for equal terms.
constexpr std::size_t kFew = 24;
/// So many equations with one term are evaluated as a batch.
constexpr std::size_t kBatch = 8;
/// Straight code is cut into pieces of about so many instructions, which native code likes.
constexpr std::size_t kLongestCode = 2000;

/// A graph over places of the cluster: operands are numbered as places turn up.
class PlaceGraph {
 public:
  code::Graph graph;
  std::vector<At> inputs;  ///< by operand

  NodeId node(At place) {
    const auto [entry, added] = nodes_.try_emplace(place, kNoNode);
    if (added) {
      entry->second = graph.operand(static_cast<std::uint32_t>(inputs.size()));
      inputs.push_back(place);
    }
    return entry->second;
  }
  void define(At place, NodeId node) { nodes_[place] = node; }

  NodeId import(const Term& term, const std::vector<At>& operands) {
    std::vector<NodeId> nodes;
    nodes.reserve(operands.size());
    for (const At operand : operands) nodes.push_back(node(operand));
    return graph.import(term.graph, term.value, nodes);
  }

 private:
  std::unordered_map<At, NodeId> nodes_;
};

}  // namespace

At own_place(const Shape& shape, const ShapeEquation& equation) {
  if (equation.form == model::EquationForm::Implicit) return kNowhere;
  const ShapeVariable& subject = shape.variables[equation.subject];
  return equation.form == model::EquationForm::Formula ? subject.value : subject.derivative;
}

ExplicitEquation explicit_form(const Shape& shape, TermTapes& tapes, const EvaluationPart::Step& step) {
  const ShapeEquation& equation = shape.equations[step.equation];
  const At own = own_place(shape, equation);
  if (own == step.unknown) return {equation.term, equation.operands, step.unknown};
  Terms& terms = tapes.terms();
  const Term& term = terms[equation.term];
  const auto place = std::find(equation.operands.begin(), equation.operands.end(), step.unknown);
  const auto operand = static_cast<std::uint32_t>(place - equation.operands.begin());
  std::vector<At> operands = equation.operands;
  Term solved;
  std::vector<NodeId> nodes;
  for (std::uint32_t k = 0; k < term.operands; ++k) {
    nodes.push_back(k == operand ? solved.graph.constant(0.0) : solved.graph.operand(k));
  }
  NodeId rest = solved.graph.import(term.graph, term.value, nodes);
  if (own != kNowhere) {
    rest = solved.graph.make(NodeOp::Subtract, rest, solved.graph.operand(term.operands));
    operands.push_back(own);
  }
  const LinearForm& linear = tapes.linear(equation.term);
  const NodeId factor = solved.graph.import(linear.graph, linear.factors[operand], nodes);
  solved.value = solved.graph.make(NodeOp::Divide, rest, solved.graph.make(NodeOp::Negate, factor));
  ExplicitEquation result;
  std::vector<std::uint32_t> used;
  result.term = terms.cut(solved.graph, solved.value, {}, used);
  for (const std::uint32_t k : used) result.operands.push_back(operands[k]);
  result.unknown = step.unknown;
  return result;
}

void Composer::in_order(const std::vector<ExplicitEquation>& equations, Evaluation& result) {
  PlaceGraph graph;
  std::vector<NodeId> outputs;
  std::vector<At> places;
  const auto flush = [&] {
    if (outputs.empty()) return;
    const code::Tape tape = code::record_tape(graph.graph, outputs, static_cast<std::uint32_t>(graph.inputs.size()));
    code::Binder binder(size_);
    binder.append(tape, graph.inputs, places);
    size_ = std::max(size_, binder.size());
    result.constants.insert(result.constants.end(), binder.constants().begin(), binder.constants().end());
    code::Code code = binder.finish();
    const bool extends = !result.steps.empty() && result.steps.back().kind == Evaluation::Kind::Code &&
                         result.codes.back().instructions.size() < kLongestCode && code.calls.empty();
    if (extends) {
      code::append(result.codes.back(), code);
    } else {
      result.steps.push_back({Evaluation::Kind::Code, static_cast<std::uint32_t>(result.codes.size())});
      result.codes.push_back(std::move(code));
    }
    graph = PlaceGraph();
    outputs.clear();
    places.clear();
  };
  for (const ExplicitEquation& equation : equations) {
    const NodeId node = graph.import(tapes_.terms()[equation.term], equation.operands);
    graph.define(equation.unknown, node);
    outputs.push_back(node);
    places.push_back(equation.unknown);
    if (graph.graph.size() > kLongestCode) flush();
  }
  flush();
}

/// Equations of one level need only those of levels before it, so equal terms in a level can be evaluated together.
void Composer::by_levels(const std::vector<ExplicitEquation>& equations, Evaluation& result) {
  std::unordered_map<At, std::size_t> level_of;
  std::vector<std::size_t> levels(equations.size());
  for (std::size_t i = 0; i < equations.size(); ++i) {
    std::size_t level = 0;
    for (const At operand : equations[i].operands) {
      const auto found = level_of.find(operand);
      if (found != level_of.end()) level = std::max(level, found->second + 1);
    }
    levels[i] = level;
    level_of[equations[i].unknown] = level;
  }
  std::map<std::pair<std::size_t, TermId>, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < equations.size(); ++i) groups[{levels[i], equations[i].term}].push_back(i);
  std::vector<ExplicitEquation> few;
  std::size_t present = 0;
  for (const auto& [key, members] : groups) {
    if (key.first != present) {
      in_order(few, result);
      few.clear();
      present = key.first;
    }
    if (members.size() < kBatch) {
      for (const std::size_t i : members) few.push_back(equations[i]);
      continue;
    }
    std::vector<At> index;
    for (const std::size_t i : members) {
      index.insert(index.end(), equations[i].operands.begin(), equations[i].operands.end());
      index.push_back(equations[i].unknown);
    }
    add_batches(result, tapes_[key.second], index);
  }
  in_order(few, result);
}

void Composer::straight(const std::vector<EvaluationPart>& parts, std::size_t begin, std::size_t end,
                        Evaluation& result) {
  std::vector<ExplicitEquation> equations;
  for (std::size_t i = begin; i < end; ++i) equations.push_back(explicit_form(shape_, tapes_, parts[i].steps[0]));
  if (equations.size() < kFew) {
    in_order(equations, result);
  } else {
    by_levels(equations, result);
  }
}

/// Typical sizes of unknowns; nothing if all are 1. A derivative is taken to be as small as its variable.
std::vector<double> Composer::nominals_of(const std::vector<At>& unknowns) {
  if (!std::exchange(knows_sizes_, true)) {
    for (const ShapeVariable& variable : shape_.variables) {
      if (variable.nominal == 1) continue;
      sizes_[variable.value] = variable.nominal;
      if (variable.derivative != kNowhere && variable.nominal < 1) sizes_[variable.derivative] = variable.nominal;
    }
  }
  if (sizes_.empty()) return {};
  std::vector<double> result;
  for (const At unknown : unknowns) {
    const auto found = sizes_.find(unknown);
    result.push_back(found == sizes_.end() ? 1 : found->second);
  }
  return result;
}

Loop Composer::loop(const EvaluationPart& part, Evaluation& result) {
  Loop loop;
  loop.nominals = nominals_of(part.tears);
  if (part.is_large) {
    loop.unknowns = part.tears;
    loop.variables = part.variables;
    loop.equations = part.residuals;
    make_large(shape_, tapes_, loop, size_);
    return loop;
  }
  const Terms& terms = tapes_.terms();
  PlaceGraph graph;
  for (const At tear : part.tears) graph.node(tear);  // the first operands
  std::vector<NodeId> outputs;
  std::vector<At> places;
  for (const EvaluationPart::Step& step : part.steps) {
    const ExplicitEquation equation = explicit_form(shape_, tapes_, step);
    const NodeId node = graph.import(terms[equation.term], equation.operands);
    graph.define(equation.unknown, node);
    outputs.push_back(node);
    places.push_back(equation.unknown);
    loop.equations.push_back(step.equation);
  }
  std::vector<NodeId> residuals;
  for (const std::uint32_t number : part.residuals) {
    const ShapeEquation& equation = shape_.equations[number];
    NodeId node = graph.import(terms[equation.term], equation.operands);
    const At own = own_place(shape_, equation);
    if (own != kNowhere) {
      node = graph.graph.make(NodeOp::Subtract, graph.node(own), node);
    }
    residuals.push_back(node);
    outputs.push_back(node);
    places.push_back(size_);
    loop.residuals.push_back(size_++);
    loop.equations.push_back(number);
  }
  loop.unknowns = part.tears;
  loop.variables = part.variables;
  const auto bind = [&](const std::vector<NodeId>& nodes, const std::vector<At>& where) {
    const code::Tape tape = code::record_tape(graph.graph, nodes, static_cast<std::uint32_t>(graph.inputs.size()));
    code::Binder binder(size_);
    binder.append(tape, graph.inputs, where);
    size_ = std::max(size_, binder.size());
    result.constants.insert(result.constants.end(), binder.constants().begin(), binder.constants().end());
    return binder.finish();
  };
  std::vector<NodeId> entries;
  std::vector<At> entry_places;
  loop.linear = true;
  const std::size_t size = part.tears.size();
  for (std::uint32_t i = 0; i < size; ++i) {
    for (std::uint32_t j = 0; j < size; ++j) {
      const NodeId entry = graph.graph.derivative(residuals[i], j);
      if (graph.graph.is_constant(entry, 0.0)) continue;
      for (std::uint32_t k = 0; k < size; ++k) loop.linear = loop.linear && !graph.graph.depends_on(entry, k);
      loop.entries.emplace_back(static_cast<std::uint32_t>(i * size + j), size_);
      entries.push_back(entry);
      entry_places.push_back(size_++);
    }
  }
  loop.evaluate = bind(outputs, places);
  loop.differentiate = bind(entries, entry_places);
  if (loop.linear && !part.steps.empty()) {
    loop.whole = make_whole(shape_, tapes_, part, size_);
    loop.whole->nominals = nominals_of(loop.whole->unknowns);
  }
  return loop;
}

void Composer::add_loop(const std::vector<EvaluationPart>& parts, std::size_t number, Evaluation& result) {
  Loop added = loop(parts[number], result);
  const bool has_relations = std::any_of(added.equations.begin(), added.equations.end(),
                                         [&](std::uint32_t equation) { return shape_.equations[equation].modes > 0; });
  if (has_relations) {
    std::unordered_set<At> later;
    for (std::size_t i = number + 1; i < parts.size(); ++i) {
      for (const EvaluationPart::Step& step : parts[i].steps) later.insert(step.unknown);
      later.insert(parts[i].tears.begin(), parts[i].tears.end());
    }
    add_relations(shape_, tapes_, parts[number], later, added, result, size_);
    if (added.whole) {
      added.whole->relations = added.relations;
      added.whole->relate = added.relate;
    }
  }
  result.steps.push_back({Evaluation::Kind::Loop, static_cast<std::uint32_t>(result.loops.size())});
  result.loops.push_back(std::move(added));
}

Evaluation Composer::compose(const std::vector<EvaluationPart>& parts) {
  Evaluation result;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= parts.size(); ++i) {
    if (i < parts.size() && !parts[i].is_loop) continue;
    straight(parts, begin, i, result);
    begin = i + 1;
    if (i == parts.size()) break;
    add_loop(parts, i, result);
  }
  for (const code::Code& code : result.codes) result.cost += code.instructions.size();
  for (const Batch& batch : result.batches) result.cost += batch.tape->instructions.size() * batch.count;
  return result;
}

}  // namespace hyla::engine
