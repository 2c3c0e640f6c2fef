// The graph of islands has the blocks that vary and the states as its nodes; an equation or condition joins all that it
// reads and gives. Its components are the islands.
#include <algorithm>
#include <set>
#include <utility>

#include "engine/compose.h"
#include "engine/equation_system.h"
#include "engine/large_loop.h"
#include "engine/reduce.h"

namespace hyla::engine {
namespace {

class IslandMaker {
 public:
  IslandMaker(const EquationSystem& system, Configuration& result) : system_(system), result_(result) {}

  void make() {
    find_varying();
    find_islands();
    make_islands();
  }

 private:
  void find_varying() {
    block_of_column_.assign(system_.columns.size(), kNone);
    varies_.assign(system_.blocks.size(), 0);
    for (std::uint32_t b = 0; b < system_.blocks.size(); ++b) {
      for (const std::uint32_t column : system_.blocks[b].unknowns) block_of_column_[column] = b;
    }
    // What a block compares may come behind it in the order, so this is repeated until nothing is added.
    for (bool again = true; again;) {
      again = false;
      for (std::uint32_t b = 0; b < system_.blocks.size() && system_.start == nullptr; ++b) {
        if (varies_[b] != 0 || !block_varies(b)) continue;
        varies_[b] = 1;
        again = true;
      }
    }
  }

  /// What an equation reads or gives.
  std::vector<At> places_of(const ShapeEquation& equation) const {
    std::vector<At> places = equation.operands;
    const At own = own_place(system_.shape, equation);
    if (own != kNowhere) places.push_back(own);
    return places;
  }

  /// A block with a relation over something that varies is taken to vary too: it may slide along the relation's zero.
  bool block_varies(std::uint32_t b) const {
    for (const std::uint32_t column : system_.blocks[b].unknowns) {
      if (system_.state_of_column(column) != kNone) return true;
    }
    for (const std::uint32_t row : system_.blocks[b].equations) {
      for (const At operand : places_of(system_.equation(row))) {
        const std::uint32_t column = system_.column_at[operand];
        if (operand == kTime || system_.is_state_value(operand)) return true;
        if (column != kNone && block_of_column_[column] != b && varies_[block_of_column_[column]] != 0) return true;
      }
    }
    return false;
  }

  /// The node of the graph of islands to which a place belongs: a varying block, or a state; kNone if it is held.
  std::uint32_t node_of(At operand) const {
    if (system_.start != nullptr) return kNone;
    if (system_.is_state_value(operand))
      return static_cast<std::uint32_t>(system_.blocks.size()) + system_.variable_at[operand];
    const std::uint32_t column = system_.column_at[operand];
    if (column == kNone || varies_[block_of_column_[column]] == 0) return kNone;
    return block_of_column_[column];
  }

  void find_islands() {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
    const auto join = [&](std::uint32_t node, const std::vector<At>& operands) {
      for (const At operand : operands) {
        const std::uint32_t other = node_of(operand);
        if (other == kNone) continue;
        if (node == kNone) node = other;
        edges.emplace_back(node, other);
      }
    };
    for (std::uint32_t b = 0; b < system_.blocks.size(); ++b) {
      if (varies_[b] == 0) continue;
      for (const std::uint32_t row : system_.blocks[b].equations) join(b, places_of(system_.equation(row)));
      for (const std::uint32_t column : system_.blocks[b].unknowns) {
        const std::uint32_t state = system_.state_of_column(column);
        if (state != kNone) edges.emplace_back(b, static_cast<std::uint32_t>(system_.blocks.size()) + state);
      }
    }
    for (const std::uint32_t number : system_.equations) {
      if (system_.shape.equations[number].modes > 0) join(kNone, system_.shape.equations[number].operands);
    }
    for (const ShapeCondition& condition : system_.shape.conditions) join(kNone, condition.operands);
    std::vector<std::uint32_t> firsts(UINT8_MAX + 1, kNone);  // nodes, by group
    for (std::uint32_t variable = 0; variable < result_.united.size(); ++variable) {
      const std::uint8_t group = result_.united[variable];
      const std::uint32_t node = group == 0 ? kNone : node_of(system_.shape.variables[variable].value);
      if (node == kNone) continue;
      if (firsts[group] == kNone) firsts[group] = node;
      edges.emplace_back(firsts[group], node);
    }
    component_ = structure::components(system_.blocks.size() + system_.shape.variables.size(), edges);
  }

  void make_islands() {
    std::vector<std::uint32_t> island_of_component(component_.size(), kNone);
    std::vector<std::uint32_t> held_blocks;
    std::vector<std::vector<std::uint32_t>> island_blocks;
    for (std::uint32_t b = 0; b < system_.blocks.size(); ++b) {
      if (varies_[b] == 0) {
        held_blocks.push_back(b);
        continue;
      }
      std::uint32_t& island = island_of_component[component_[b]];
      if (island == kNone) {
        island = static_cast<std::uint32_t>(island_blocks.size());
        island_blocks.emplace_back();
      }
      island_blocks[island].push_back(b);
    }
    Composer composer(system_.shape, system_.tapes, result_.size);
    result_.held_parts = parts_of(held_blocks);
    result_.held = composer.compose(result_.held_parts);
    collect_held(held_blocks);
    for (const std::vector<std::uint32_t>& members : island_blocks) make_island(composer, members);
    result_.size = composer.size();
    for (IslandPlan& island : result_.islands) island.configuration = &result_;
    if (result_.reduction) assign_constraints(result_);
  }

  /// What follows from guesses by formulas is where the search for other unknowns of a loop begins.
  void add_guesses(const structure::Block& block, std::vector<EvaluationPart>& parts) const {
    std::set<std::uint32_t> open;
    for (const std::uint32_t column : block.unknowns) {
      if (system_.incidence.preferred[column] == 0) open.insert(column);
    }
    const auto is_open = [&](std::uint32_t column) { return open.contains(column); };
    if (open.size() == block.unknowns.size() || std::none_of(block.tears.begin(), block.tears.end(), is_open)) return;
    for (bool again = true; again;) {
      again = false;
      for (const std::uint32_t row : block.equations) {
        const auto begin = system_.incidence.columns.begin() + system_.incidence.starts[row],
                   end = system_.incidence.columns.begin() + system_.incidence.starts[row + 1];
        const auto found = std::find_if(begin, end, is_open);
        if (found == end || std::find_if(found + 1, end, is_open) != end) continue;
        if (system_.incidence.explicit_for[static_cast<std::size_t>(found - system_.incidence.columns.begin())] == 0)
          continue;
        EvaluationPart part;
        part.steps.push_back({system_.equations[row], system_.columns[*found]});
        parts.push_back(std::move(part));
        open.erase(*found);
        again = true;
      }
    }
  }

  std::vector<EvaluationPart> parts_of(const std::vector<std::uint32_t>& members) const {
    std::vector<EvaluationPart> parts;
    for (const std::uint32_t b : members) {
      const structure::Block& block = system_.blocks[b];
      if (block.is_loop && system_.start != nullptr) add_guesses(block, parts);
      EvaluationPart part;
      part.is_loop = block.is_loop;
      if (!block.is_loop) {
        part.steps.push_back({system_.equations[block.equations[0]], system_.columns[block.unknowns[0]]});
      } else {
        for (const structure::Block::Step& step : block.inner) {
          part.steps.push_back({system_.equations[step.equation], system_.columns[step.unknown]});
        }
        for (const std::uint32_t column : block.tears) part.tears.push_back(system_.columns[column]);
        for (const std::uint32_t row : block.residuals) part.residuals.push_back(system_.equations[row]);
        for (const std::uint32_t column : block.unknowns) part.variables.push_back(system_.variable_of_column(column));
        untear_large(system_.shape, system_.tapes, part);
      }
      parts.push_back(std::move(part));
    }
    return parts;
  }

  void collect_held(const std::vector<std::uint32_t>& members) {
    for (const std::uint32_t b : members) {
      for (const std::uint32_t column : system_.blocks[b].unknowns) {
        if (system_.variable_at[system_.columns[column]] != kNone)
          result_.held_outputs.push_back(system_.variable_at[system_.columns[column]]);
      }
    }
  }

  void find_places(IslandPlan& island) const {
    for (const std::uint32_t state : island.states) {
      island.places.emplace_back(system_.shape.variables[state].value, system_.shape.variables[state].derivative);
    }
    island.in_a_row = !island.places.empty();
    for (At i = 0; i < island.places.size(); ++i) {
      const auto& [value, derivative] = island.places[i];
      island.in_a_row =
          island.in_a_row && value == island.places[0].first + i && derivative == island.places[0].second + i;
    }
  }

  void make_island(Composer& composer, const std::vector<std::uint32_t>& members) {
    const auto number = static_cast<std::uint32_t>(result_.islands.size());
    IslandPlan island;
    island.parts = parts_of(members);
    island.evaluation = composer.compose(island.parts);
    std::vector<std::uint8_t> known(system_.shape.size);
    for (const std::uint32_t b : members) {
      for (const std::uint32_t column : system_.blocks[b].unknowns) {
        const std::uint32_t state = system_.state_of_column(column),
                            variable = system_.variable_at[system_.columns[column]];
        if (state != kNone) island.states.push_back(state);
        if (state == kNone && variable != kNone) island.outputs.push_back(variable);
      }
    }
    std::sort(island.states.begin(), island.states.end());
    find_places(island);
    for (const std::uint32_t state : island.states) result_.island_of[state] = number;
    for (const std::uint32_t variable : island.outputs) result_.island_of[variable] = number;
    // What is integrated can be a derivative, which is no variable of an object; these come last.
    const auto end = std::find_if(island.states.begin(), island.states.end(), [&](std::uint32_t state) {
      return system_.shape.variables[state].derivative_of != kNone;
    });
    island.outputs.insert(island.outputs.begin(), island.states.begin(), end);
    for (const std::uint32_t state : island.states) island.nominals.push_back(system_.shape.variables[state].nominal);
    for (const std::uint32_t b : members) {
      for (const std::uint32_t row : system_.blocks[b].equations) {
        const ShapeEquation& equation = system_.equation(row);
        island.equations.push_back(system_.equations[row]);
        for (const At operand : places_of(equation)) {
          if (operand == kTime || node_of(operand) != kNone || std::exchange(known[operand], 1) != 0) continue;
          island.reads.push_back(operand);
        }
      }
    }
    result_.islands.push_back(std::move(island));
  }

  const EquationSystem& system_;
  Configuration& result_;
  std::vector<std::uint32_t> block_of_column_;
  std::vector<std::uint8_t> varies_;      ///< by block
  std::vector<std::uint32_t> component_;  ///< by node
};

}  // namespace

void make_islands(const EquationSystem& system, Configuration& configuration) {
  IslandMaker(system, configuration).make();
}

}  // namespace hyla::engine
