// Writes quantities of an island out as functions of its states: formulas on the way are put into each other.
#pragma once

#include <unordered_map>
#include <vector>

#include "engine/cluster.h"

namespace hyla::engine {

class TermTapes;

class WriteOut {
 public:
  WriteOut(const Shape& shape, TermTapes& tapes, const IslandPlan& island);

  /// The value at a place. False: a loop has to be solved on the way.
  bool node(At place, code::NodeId& result);
  /// A node of a term with its operands at these places.
  bool import(const Term& term, code::NodeId node, const std::vector<At>& operands, code::NodeId& result);
  /// From now on the value at a place is read at another, which holds the same.
  void share(At place, At with) { shared_.try_emplace(place, with); }
  /// By input: the number of the state that it is, kNone for others.
  std::vector<std::uint32_t> state_inputs() const;

  code::Graph graph;
  std::vector<At> inputs;  ///< by operand: states, time, and what is held

 private:
  const Shape& shape_;
  TermTapes& tapes_;
  const IslandPlan& island_;
  std::unordered_map<At, code::NodeId> nodes_;
  std::unordered_map<At, At> shared_;
  std::unordered_map<At, EvaluationPart::Step> definers_;  ///< by what they give
  std::unordered_map<At, bool> solved_;                    ///< places that only the island's evaluation gives
};

/// The flow of an island, made at the first call.
const Flow& flow_of(const Shape& shape, TermTapes& tapes, IslandPlan& island);

}  // namespace hyla::engine
