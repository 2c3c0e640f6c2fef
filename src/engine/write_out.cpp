#include "engine/write_out.h"

#include "engine/compose.h"
#include "engine/configure.h"

namespace hyla::engine {

using code::NodeId;

WriteOut::WriteOut(const Shape& shape, TermTapes& tapes, const IslandPlan& island)
    : shape_(shape), tapes_(tapes), island_(island) {
  for (const EvaluationPart& part : island.parts) {
    for (const At tear : part.tears) solved_[tear] = true;
    for (const EvaluationPart::Step& step : part.steps) {
      if (part.is_loop) {
        solved_[step.unknown] = true;
      } else {
        definers_[step.unknown] = step;
      }
    }
  }
}

bool WriteOut::node(At place, NodeId& result) {
  const auto known = nodes_.find(place);
  if (known != nodes_.end()) {
    result = known->second;
    return true;
  }
  if (solved_.contains(place)) return false;
  const auto shared = shared_.find(place);
  if (shared != shared_.end()) return node(shared->second, result);
  const auto definer = definers_.find(place);
  if (definer == definers_.end()) {
    result = graph.operand(static_cast<std::uint32_t>(inputs.size()));
    inputs.push_back(place);
  } else {
    const ExplicitEquation equation = explicit_form(shape_, tapes_, definer->second);
    const Term& term = tapes_.terms()[equation.term];
    if (!import(term, term.value, equation.operands, result)) return false;
  }
  nodes_[place] = result;
  return true;
}

bool WriteOut::import(const Term& term, NodeId node_of_term, const std::vector<At>& operands, NodeId& result) {
  std::vector<NodeId> nodes(operands.size(), code::kNoNode);
  for (const std::uint32_t k : term.graph.operands_of_node(node_of_term)) {
    if (!node(operands[k], nodes[k])) return false;
  }
  result = graph.import(term.graph, node_of_term, nodes);
  return true;
}

std::vector<std::uint32_t> WriteOut::state_inputs() const {
  std::unordered_map<At, std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < island_.states.size(); ++i) numbers[shape_.variables[island_.states[i]].value] = i;
  std::vector<std::uint32_t> result;
  for (const At place : inputs) {
    const auto found = numbers.find(place);
    result.push_back(found == numbers.end() ? kNone : found->second);
  }
  return result;
}

const Flow& flow_of(const Shape& shape, TermTapes& tapes, IslandPlan& island) {
  if (island.flow) return *island.flow;
  island.flow = std::make_unique<Flow>();
  WriteOut writing(shape, tapes, island);
  std::vector<NodeId> outputs(island.states.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!writing.node(shape.variables[island.states[i]].derivative, outputs[i])) return *island.flow;
  }
  island.flow->direct = true;
  island.flow->tape = code::record_tape(writing.graph, outputs, static_cast<std::uint32_t>(writing.inputs.size()));
  island.flow->inputs = writing.inputs;
  island.flow->state_inputs = writing.state_inputs();
  return *island.flow;
}

}  // namespace hyla::engine
