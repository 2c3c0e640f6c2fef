// Which relations are watched, and how they are computed: at events in place, and over a step of an island as functions
// of its states.
#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "engine/configure.h"
#include "engine/gauges.h"
#include "engine/write_out.h"

namespace hyla::engine {
namespace {

using code::kNoNode;
using code::NodeId;
using code::NodeOp;

class GuardPlanner {
 public:
  GuardPlanner(const Shape& shape, TermTapes& tapes, const Configuration& configuration)
      : shape_(shape),
        tapes_(tapes),
        terms_(tapes.terms()),
        configuration_(configuration),
        result_(std::make_unique<GuardPlan>()),
        island_at_(shape.size, kNone) {
    result_->size = configuration.size;
    for (std::uint32_t i = 0; i < shape.variables.size(); ++i) {
      island_at_[shape.variables[i].value] = configuration.island_of[i];
      if (shape.variables[i].derivative != kNowhere && configuration.island_of[i] != kNone) {
        const auto& states = configuration.islands[configuration.island_of[i]].states;
        if (configuration.reduction || std::binary_search(states.begin(), states.end(), i)) {
          island_at_[shape.variables[i].derivative] = configuration.island_of[i];
        }
      }
    }
  }

  std::unique_ptr<GuardPlan> plan(const std::vector<std::uint8_t>& equations, const std::vector<std::uint8_t>& active) {
    for (std::uint32_t i = 0; i < shape_.modes.size(); ++i) {
      const ShapeMode& mode = shape_.modes[i];
      const bool is_active = mode.equation != kNone ? equations[mode.equation] != 0 : active[mode.condition] != 0;
      if (is_active) add_guard(i);
    }
    for (std::uint32_t i = 0; i < shape_.conditions.size(); ++i) {
      if (active[i] == 0) continue;
      result_->conditions.push_back(i);
      result_->condition_islands.push_back(island_of(shape_.conditions[i].operands));
    }
    compose_in_place();
    result_->searches.resize(configuration_.islands.size());
    for (std::uint32_t i = 0; i < result_->guards.size(); ++i) {
      if (result_->guards[i].island != kNone) result_->searches[result_->guards[i].island].guards.push_back(i);
    }
    for (std::uint32_t i = 0; i < result_->searches.size(); ++i) compose_search(i);
    plan_gauges(shape_, tapes_, configuration_, *result_);
    return std::move(result_);
  }

 private:
  const std::vector<At>& operands_of(const ShapeMode& mode) const {
    return mode.equation != kNone ? shape_.equations[mode.equation].operands
                                  : shape_.conditions[mode.condition].operands;
  }

  std::uint32_t island_of(const std::vector<At>& operands) const {
    std::uint32_t result = kNone;
    bool reads_time = false;
    for (const At operand : operands) {
      if (island_at_[operand] != kNone) result = island_at_[operand];
      reads_time = reads_time || operand == kTime;
    }
    return result == kNone && reads_time ? time_island() : result;
  }

  /// Relations over time alone are watched by any island; there is one, since the shape has something that varies.
  std::uint32_t time_island() const { return configuration_.islands.empty() ? kNone : 0; }

  void add_guard(std::uint32_t number) {
    const ShapeMode& mode = shape_.modes[number];
    const Term& term = terms_[mode.term];
    std::vector<At> used;
    for (const std::uint32_t operand : term.graph.operands_of_node(mode.g)) used.push_back(operands_of(mode)[operand]);
    GuardPlan::Guard guard;
    guard.mode = number;
    guard.island = island_of(used);
    result_->guards.push_back(guard);
  }

  NodeId place_node(code::Graph& graph, std::vector<At>& inputs, std::unordered_map<At, NodeId>& nodes, At place) {
    const auto [entry, added] = nodes.try_emplace(place, kNoNode);
    if (added) {
      entry->second = graph.operand(static_cast<std::uint32_t>(inputs.size()));
      inputs.push_back(place);
    }
    return entry->second;
  }

  code::Code bind(const code::Graph& graph, const std::vector<NodeId>& outputs, const std::vector<At>& inputs,
                  const std::vector<At>& places) {
    const code::Tape tape = code::record_tape(graph, outputs, static_cast<std::uint32_t>(inputs.size()));
    code::Binder binder(result_->size);
    binder.append(tape, inputs, places);
    result_->size = std::max(result_->size, binder.size());
    result_->constants.insert(result_->constants.end(), binder.constants().begin(), binder.constants().end());
    return binder.finish();
  }

  void compose_in_place() {
    code::Graph graph;
    std::vector<At> inputs, places;
    std::unordered_map<At, NodeId> nodes;
    std::vector<NodeId> outputs;
    for (GuardPlan::Guard& guard : result_->guards) {
      const ShapeMode& mode = shape_.modes[guard.mode];
      const Term& term = terms_[mode.term];
      std::vector<NodeId> operands;
      for (const At place : operands_of(mode)) operands.push_back(place_node(graph, inputs, nodes, place));
      const NodeId g = graph.import(term.graph, mode.g, operands);
      NodeId size = graph.make(NodeOp::Abs, g);
      if (graph[g].op == NodeOp::Subtract) {
        size = graph.make(NodeOp::Add, graph.make(NodeOp::Abs, graph[g].a), graph.make(NodeOp::Abs, graph[g].b));
      }
      guard.g = result_->size++;
      guard.size = result_->size++;
      outputs.push_back(g);
      outputs.push_back(size);
      places.push_back(guard.g);
      places.push_back(guard.size);
    }
    result_->relations = bind(graph, outputs, inputs, places);
    graph.clear();
    inputs.clear();
    nodes.clear();
    outputs.clear();
    places.clear();
    for (const std::uint32_t number : result_->conditions) {
      const ShapeCondition& condition = shape_.conditions[number];
      const Term& term = terms_[condition.term];
      std::vector<NodeId> operands;
      for (const At place : condition.operands) operands.push_back(place_node(graph, inputs, nodes, place));
      outputs.push_back(graph.import(term.graph, term.value, operands));
      places.push_back(condition.value);
    }
    result_->truths = bind(graph, outputs, inputs, places);
  }

  // --- over a step --------------------------------------------------------------------------------

  void compose_search(std::uint32_t number) {
    GuardPlan::Search& search = result_->searches[number];
    if (search.guards.empty()) return;
    const IslandPlan& island = configuration_.islands[number];
    WriteOut writing(shape_, tapes_, island);
    std::vector<NodeId> outputs;
    std::vector<std::pair<NodeId, bool>> written;
    search.direct = write_functions(search, writing, written);
    std::unordered_map<NodeId, std::size_t> known;
    for (std::uint32_t i = 0; i < written.size() && search.direct; ++i) {
      const auto [node, negated] = written[i];
      const bool is_rounding = rounds(shape_.modes[result_->guards[search.guards[i]].mode]);
      const auto [entry, added] = known.try_emplace(node, outputs.size());
      if (added || is_rounding) {
        entry->second = outputs.size();
        outputs.push_back(node);
        search.functions.emplace_back();
      }
      search.functions[entry->second].push_back({i, negated});
      if (is_rounding) known.erase(node);
    }
    if (!search.direct) {
      for (std::uint32_t i = 0; i < search.guards.size(); ++i) search.functions.push_back({{i, false}});
      for (const std::uint32_t guard : search.guards) result_->guards[guard].noise = result_->size++;
      return;
    }
    search.tape = code::record_tape(writing.graph, outputs, static_cast<std::uint32_t>(writing.inputs.size()));
    search.inputs = writing.inputs;
    search.state_inputs = writing.state_inputs();
    for (const NodeId output : outputs) search.singles.push_back(single(writing, output, search.single_size));
    compose_sizes(search, writing, outputs);
  }

  static bool rounds(const ShapeMode& mode) { return mode.kind >= ModeKind::Floor && mode.kind <= ModeKind::Truncate; }

  /// By guard: its function, and whether that is its negative. Relations over one function change together, so that
  /// functions that depend on them are one function too: those that others depend on come first, from the inside out.
  bool write_functions(const GuardPlan::Search& search, WriteOut& writing,
                       std::vector<std::pair<NodeId, bool>>& written) const {
    const auto mode_of = [&](std::uint32_t i) -> const ShapeMode& {
      return shape_.modes[result_->guards[search.guards[i]].mode];
    };
    const auto number = static_cast<std::uint32_t>(search.guards.size());
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = number; i-- > 0;) {
      if (mode_of(i).inner) order.push_back(i);
    }
    for (std::uint32_t i = 0; i < number; ++i) {
      if (!mode_of(i).inner) order.push_back(i);
    }
    std::map<std::tuple<NodeId, bool, ModeKind>, At> first;
    written.resize(number);
    for (const std::uint32_t i : order) {
      const ShapeMode& mode = mode_of(i);
      auto& [node, negated] = written[i];
      if (!writing.import(terms_[mode.term], mode.g, operands_of(mode), node)) return false;
      negated = !rounds(mode) && take_sign(writing.graph, node);
      const auto [entry, added] = first.try_emplace({node, negated, mode.kind}, mode.value);
      if (!added) writing.share(mode.value, entry->second);
    }
    return true;
  }

  /// The sum of the sizes of the terms of a sum: rounding errors are in proportion to it. Factors pass them on.
  static NodeId size_of(code::Graph& graph, NodeId node, int depth = 0) {
    const code::Node record = graph[node];
    if (depth < 16 && record.op == NodeOp::Negate) return size_of(graph, record.a, depth + 1);
    if (depth < 16 && (record.op == NodeOp::Add || record.op == NodeOp::Subtract)) {
      const NodeId a = size_of(graph, record.a, depth + 1), b = size_of(graph, record.b, depth + 1);
      return graph.make(NodeOp::Add, a, b);
    }
    if (depth < 16 && record.op == NodeOp::Multiply && is_sum(graph, record.a) != is_sum(graph, record.b)) {
      const bool first = is_sum(graph, record.a);
      const NodeId sum = size_of(graph, first ? record.a : record.b, depth + 1);
      return graph.make(NodeOp::Multiply, sum, graph.make(NodeOp::Abs, first ? record.b : record.a));
    }
    if (depth < 16 && record.op == NodeOp::Divide && is_sum(graph, record.a)) {
      return graph.make(NodeOp::Divide, size_of(graph, record.a, depth + 1), graph.make(NodeOp::Abs, record.b));
    }
    return graph.make(NodeOp::Abs, node);
  }

  static bool is_sum(const code::Graph& graph, NodeId node) {
    while (graph[node].op == NodeOp::Negate) node = graph[node].a;
    const NodeOp op = graph[node].op;
    if (op == NodeOp::Multiply) return is_sum(graph, graph[node].a) != is_sum(graph, graph[node].b);
    if (op == NodeOp::Divide) return is_sum(graph, graph[node].a);
    return op == NodeOp::Add || op == NodeOp::Subtract;
  }

  void compose_sizes(const GuardPlan::Search& search, WriteOut& writing, const std::vector<NodeId>& outputs) {
    std::vector<NodeId> nodes;
    std::vector<At> places;
    for (std::size_t f = 0; f < outputs.size(); ++f) {
      for (const GuardPlan::Search::Use& use : search.functions[f]) {
        nodes.push_back(size_of(writing.graph, outputs[f]));
        GuardPlan::Guard& guard = result_->guards[search.guards[use.guard]];
        guard.noise = result_->size++;
        places.push_back(guard.noise);
      }
    }
    const code::Code code = bind(writing.graph, nodes, writing.inputs, places);
    result_->sizes.push_back(code);
  }

  /// Gives a node and its negative one form: a - b and b - a, x and -x. Rounding is the same for both.
  static bool take_sign(code::Graph& graph, NodeId& node) {
    bool negated = false;
    for (; graph[node].op == NodeOp::Negate; negated = !negated) node = graph[node].a;
    if (graph[node].op != NodeOp::Subtract || graph[node].a <= graph[node].b) return negated;
    node = graph.make(NodeOp::Subtract, graph[node].b, graph[node].a);
    return !negated;
  }

  static GuardPlan::Search::Single single(const WriteOut& writing, NodeId output, std::uint32_t& size) {
    const auto inputs = static_cast<std::uint32_t>(writing.inputs.size());
    GuardPlan::Search::Single result;
    const code::Tape tape = code::record_tape(writing.graph, {&output, 1}, inputs);
    std::vector<At> places(inputs);
    for (std::uint32_t k = 0; k < inputs; ++k) places[k] = k;
    code::Binder binder(inputs + 1);
    binder.append(tape, places, {&inputs, 1});
    result.constants = binder.constants();
    result.code = binder.finish();
    result.inputs = writing.graph.operands_of_node(output);
    size = std::max(size, std::max(binder.size(), inputs + 1));
    return result;
  }

  const Shape& shape_;
  TermTapes& tapes_;
  Terms& terms_;
  const Configuration& configuration_;
  std::unique_ptr<GuardPlan> result_;
  std::vector<std::uint32_t> island_at_;  ///< by place
};

}  // namespace

std::unique_ptr<GuardPlan> plan_guards(const Shape& shape, TermTapes& tapes, const Configuration& configuration,
                                       const std::vector<std::uint8_t>& equations,
                                       const std::vector<std::uint8_t>& active) {
  return GuardPlanner(shape, tapes, configuration).plan(equations, active);
}

}  // namespace hyla::engine
