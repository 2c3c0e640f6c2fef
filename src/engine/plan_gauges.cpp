// The margin of a condition as a term: its relations are replaced by the distance of their sides. Relations inside them
// (`abs`, `if`) are computed where they are, since nothing stops at them while a margin is measured.
#include <algorithm>
#include <limits>
#include <unordered_map>

#include "engine/configure.h"
#include "engine/gauges.h"
#include "engine/write_out.h"

namespace hyla::engine {
namespace {

using code::kNoNode;
using code::Node;
using code::NodeId;
using code::NodeOp;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class MarginWriter {
 public:
  explicit MarginWriter(const Term& term) : term_(term), operands_(term.operands, kNoNode) {}

  Term write() {
    Term result;
    const NodeId value = margin(term_.value, false);
    result.graph = std::move(graph_);
    result.value = value;
    result.operands = term_.operands;
    return result;
  }

 private:
  NodeId margin(NodeId node, bool negated) {
    const Node record = term_.graph[node];
    switch (record.op) {
      case NodeOp::Not:
        return margin(record.a, !negated);
      case NodeOp::And:
      case NodeOp::Or: {
        const NodeId a = margin(record.a, negated), b = margin(record.b, negated);
        return graph_.make((record.op == NodeOp::And) != negated ? NodeOp::Min : NodeOp::Max, a, b);
      }
      case NodeOp::Less:
      case NodeOp::LessEqual: {
        const NodeId a = plain(record.a), b = plain(record.b);
        return negated ? graph_.make(NodeOp::Subtract, a, b) : graph_.make(NodeOp::Subtract, b, a);
      }
      case NodeOp::Operand:
        if (const Mode* mode = mode_of(record.operand); mode != nullptr && is_relation(*mode)) {
          const NodeId g = plain(mode->g);
          return negated ? graph_.make(NodeOp::Negate, g) : g;
        }
        [[fallthrough]];
      default:
        return far(plain(node), negated);
    }
  }

  NodeId far(NodeId truth, bool negated) {
    const NodeId yes = graph_.constant(negated ? -kInfinity : kInfinity);
    const NodeId no = graph_.constant(negated ? kInfinity : -kInfinity);
    return graph_.make(NodeOp::Select, truth, yes, no);
  }

  const Mode* mode_of(std::uint32_t operand) const {
    const auto found =
        std::find_if(term_.modes.begin(), term_.modes.end(), [&](const Mode& mode) { return mode.operand == operand; });
    return found == term_.modes.end() ? nullptr : &*found;
  }

  /// Its function is the distance of two sides, and no truth value from which a half is taken.
  bool is_relation(const Mode& mode) const {
    if (mode.kind != ModeKind::NotNegative && mode.kind != ModeKind::Positive) return false;
    const Node& g = term_.graph[mode.g];
    return g.op != NodeOp::Subtract || !term_.graph.is_constant(g.b, 0.5) || !is_truth(g.a);
  }

  bool is_truth(NodeId node) const {
    const NodeOp op = term_.graph[node].op;
    return (op >= NodeOp::Less && op <= NodeOp::Select) || op == NodeOp::Call;
  }

  /// A node of the condition, without modes.
  NodeId plain(NodeId node) {
    for (const std::uint32_t operand : term_.graph.operands_of_node(node)) {
      if (operands_[operand] == kNoNode) operands_[operand] = value_of(operand);
    }
    return graph_.import(term_.graph, node, operands_);
  }

  NodeId value_of(std::uint32_t operand) {
    const Mode* mode = mode_of(operand);
    if (mode == nullptr || mode->kind >= ModeKind::Crosses) return graph_.operand(operand);
    const NodeId g = plain(mode->g);
    switch (mode->kind) {
      case ModeKind::NotNegative:
        return graph_.make(NodeOp::LessEqual, graph_.constant(0), g);
      case ModeKind::Positive:
        return graph_.make(NodeOp::Less, graph_.constant(0), g);
      case ModeKind::Floor:
        return graph_.make(NodeOp::Floor, g);
      case ModeKind::Ceil:
        return graph_.make(NodeOp::Ceil, g);
      case ModeKind::Round:
        return graph_.make(NodeOp::Round, g);
      default:
        return graph_.make(NodeOp::Truncate, g);
    }
  }

  const Term& term_;
  code::Graph graph_;
  std::vector<NodeId> operands_;  ///< of the condition, in the graph of the margin
};

/// In place: all margins from the values of the cluster.
void compose_in_place(const Shape& shape, const std::vector<Term>& margins, GuardPlan& guards) {
  GaugePlan& plan = *guards.gauges;
  code::Graph graph;
  std::vector<At> inputs, places;
  std::unordered_map<At, NodeId> nodes;
  std::vector<NodeId> outputs;
  for (std::size_t i = 0; i < plan.gauges.size(); ++i) {
    std::vector<NodeId> operands;
    for (const At place : shape.conditions[plan.gauges[i].condition].operands) {
      const auto [entry, added] = nodes.try_emplace(place, kNoNode);
      if (added) {
        entry->second = graph.operand(static_cast<std::uint32_t>(inputs.size()));
        inputs.push_back(place);
      }
      operands.push_back(entry->second);
    }
    outputs.push_back(graph.import(margins[i].graph, margins[i].value, operands));
    plan.gauges[i].margin = guards.size++;
    places.push_back(plan.gauges[i].margin);
  }
  const code::Tape tape = code::record_tape(graph, outputs, static_cast<std::uint32_t>(inputs.size()));
  code::Binder binder(guards.size);
  binder.append(tape, inputs, places);
  guards.size = std::max(guards.size, binder.size());
  guards.constants.insert(guards.constants.end(), binder.constants().begin(), binder.constants().end());
  plan.margins = binder.finish();
}

void compose_course(const Shape& shape, TermTapes& tapes, const IslandPlan& island, const std::vector<Term>& margins,
                    const GaugePlan& plan, GaugePlan::Course& course) {
  WriteOut writing(shape, tapes, island);
  std::vector<NodeId> outputs;
  for (const std::uint32_t gauge : course.gauges) {
    NodeId node = kNoNode;
    const std::vector<At>& operands = shape.conditions[plan.gauges[gauge].condition].operands;
    course.direct = course.direct && writing.import(margins[gauge], margins[gauge].value, operands, node);
    outputs.push_back(node);
  }
  if (!course.direct) return;
  course.tape = code::record_tape(writing.graph, outputs, static_cast<std::uint32_t>(writing.inputs.size()));
  course.inputs = writing.inputs;
  course.state_inputs = writing.state_inputs();
}

}  // namespace

void plan_gauges(const Shape& shape, TermTapes& tapes, const Configuration& configuration, GuardPlan& guards) {
  std::vector<Term> margins;
  for (std::size_t i = 0; i < guards.conditions.size(); ++i) {
    const ShapeCondition& condition = shape.conditions[guards.conditions[i]];
    if (shape.plans[condition.object]->watches[condition.watch].kind != PlanWatch::Kind::Require) continue;
    if (!guards.gauges) {
      guards.gauges = std::make_shared<GaugePlan>();
      guards.gauges->courses.resize(configuration.islands.size());
    }
    const std::uint32_t island = guards.condition_islands[i];
    if (island != kNone) {
      guards.gauges->courses[island].gauges.push_back(static_cast<std::uint32_t>(guards.gauges->gauges.size()));
    }
    guards.gauges->gauges.push_back({guards.conditions[i], island, kNowhere});
    margins.push_back(MarginWriter(tapes.terms()[condition.term]).write());
  }
  if (!guards.gauges) return;
  compose_in_place(shape, margins, guards);
  for (std::uint32_t i = 0; i < configuration.islands.size(); ++i) {
    GaugePlan::Course& course = guards.gauges->courses[i];
    if (!course.gauges.empty()) {
      compose_course(shape, tapes, configuration.islands[i], margins, *guards.gauges, course);
    }
  }
}

}  // namespace hyla::engine
