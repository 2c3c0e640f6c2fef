// The steps: which variables are unknowns; which equation gives which (matching); in which order, with which loops
// (blocks); what of it varies between events; who shares what varies (islands); code for all of it.
#include "engine/configure.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "engine/compose.h"
#include "engine/hidden_constraints.h"
#include "engine/jacobian.h"
#include "engine/large_loop.h"
#include "engine/reduce.h"
#include "structure/structure.h"

namespace hyla::engine {

using model::EquationForm;
using structure::kNothing;

const code::Tape& TermTapes::operator[](TermId id) {
  if (tapes_.size() <= id) tapes_.resize(id + 1);
  if (!tapes_[id]) {
    const Term& term = terms_[id];
    tapes_[id] = std::make_unique<code::Tape>(code::record_tape(term.graph, {&term.value, 1}, term.operands));
  }
  return *tapes_[id];
}

const LinearForm& TermTapes::linear(TermId id) {
  if (linear_.size() <= id) linear_.resize(id + 1);
  if (!linear_[id]) linear_[id] = std::make_unique<LinearForm>(linear_form(terms_[id]));
  return *linear_[id];
}

IslandPlan::IslandPlan() = default;
IslandPlan::~IslandPlan() = default;
IslandPlan::IslandPlan(IslandPlan&&) noexcept = default;
Configuration::Configuration() = default;
Configuration::~Configuration() = default;

namespace {

class Configurator {
 public:
  Configurator(const Shape& shape, TermTapes& tapes, const std::vector<std::uint8_t>& active)
      : shape_(shape), tapes_(tapes), terms_(tapes.terms()), result_(std::make_unique<Configuration>()) {
    absent_.assign(shape.plans.size(), 0);
    for (std::uint32_t i = 0; i < active.size(); ++i) {
      if (active[i] == 0) {
        note_absent(shape.equations[i]);
        continue;
      }
      if (shape.equations[i].hold) {
        held_.push_back(i);
      } else {
        equations_.push_back(i);
      }
    }
  }

  Configurator(const std::shared_ptr<Reduction>& reduction, TermTapes& tapes, const std::vector<std::uint8_t>& demoted)
      : shape_(reduction->shape), tapes_(tapes), terms_(tapes.terms()), result_(std::make_unique<Configuration>()) {
    result_->reduction = reduction;
    result_->demoted = demoted;
    equations_ = reduction->equations;
  }

  /// For a start: `running` is the configuration that follows.
  Configurator(const Shape& shape, const Configuration& running, TermTapes& tapes,
               const std::vector<std::uint8_t>& active, const StartRoles& roles)
      : Configurator(running.reduction ? running.reduction->shape : shape, tapes, active) {
    start_ = &roles;
    if (!running.reduction) return;
    result_->reduction = running.reduction;
    result_->demoted = running.demoted;
    equations_ = running.reduction->equations;
    for (std::uint32_t i = 0; i < active.size(); ++i) {
      if (active[i] != 0 && shape.equations[i].use == EquationUse::Initial) equations_.push_back(i);
    }
  }

  StartSystem system() {
    return {std::move(equations_), std::move(columns_), std::move(incidence_), std::move(matching_),
            std::move(blocks_)};
  }

  std::unique_ptr<Configuration> configure(const IslandGroups& united = {}) {
    place_variables();
    result_->united = united;
    result_->shape = &shape_;
    result_->island_of.assign(shape_.variables.size(), kNone);
    result_->size = shape_.size;
    if (result_->reduction) {
      take_selection();
      if (start_ != nullptr && !has_derivatives()) return std::move(result_);
    } else if (!find_roles()) {
      return std::move(result_);
    } else {
      find_unknowns();
    }
    if (match() && !result_->is_open) {
      blocks_ = structure::blocks(incidence_, matching_);
      if (hides_constraints() && reduce()) return std::move(result_);
      find_varying();
      find_islands();
      make_islands();
    }
    return std::move(result_);
  }

 private:
  struct Role {
    std::uint32_t derivative = kNone;  ///< the equation `der(x) = e`
    std::uint32_t first_formula = kNone;
    std::uint32_t formulas = 0;
    bool is_state = false, is_held = false;
    std::uint32_t hold = kNone;  ///< the equation `hold x`, if it is held
    bool is_implicit = false;    ///< it stands in an implicit equation
  };

  /// An equation that counts while its object exists does not count.
  void note_absent(const ShapeEquation& equation) {
    if (equation.activity == kNone || equation.use != EquationUse::Run) return;
    const Activity& activity = shape_.activities[equation.activity];
    if (activity.state == kNone) absent_[activity.object] = 1;
  }

  void place_variables() {
    variable_at_.assign(shape_.size, kNone);
    derivative_at_.assign(shape_.size, kNone);
    column_at_.assign(shape_.size, kNone);
    roles_.resize(shape_.variables.size());
    for (std::uint32_t i = 0; i < shape_.variables.size(); ++i) {
      variable_at_[shape_.variables[i].value] = i;
      if (shape_.variables[i].derivative != kNowhere) derivative_at_[shape_.variables[i].derivative] = i;
    }
  }

  bool misfit(Misfit::Kind kind, std::vector<std::uint32_t> equations, std::vector<std::uint32_t> variables) {
    result_->misfit.kind = kind;
    result_->misfit.equations = std::move(equations);
    result_->misfit.variables = std::move(variables);
    return false;
  }

  /// What the active equations say about each variable.
  bool find_roles() {
    for (const std::uint32_t number : held_) {
      Role& role = roles_[shape_.equations[number].subject];
      role.is_held = true;
      role.hold = number;
    }
    for (const std::uint32_t number : equations_) {
      const ShapeEquation& equation = shape_.equations[number];
      if (equation.form == EquationForm::Derivative) {
        Role& role = roles_[equation.subject];
        if (role.derivative != kNone) {
          return misfit(Misfit::Kind::TwoDerivatives, {role.derivative, number}, {equation.subject});
        }
        role.derivative = number;
        if (!differentiate(equation.subject, number)) return false;
      } else if (equation.form == EquationForm::Formula) {
        Role& role = roles_[equation.subject];
        if (role.formulas++ == 0) role.first_formula = number;
      }
      if (equation.use == EquationUse::Initial) continue;
      for (const At operand : equation.operands) {
        if (derivative_at_[operand] != kNone && !differentiate(derivative_at_[operand], number)) return false;
      }
    }
    return start_ == nullptr || has_derivatives();
  }

  /// The equation contains the derivative of the variable. What is held has none.
  bool differentiate(std::uint32_t variable, std::uint32_t equation) {
    Role& role = roles_[variable];
    role.is_state = true;
    return !role.is_held || misfit(Misfit::Kind::TwoDerivatives, {role.hold, equation}, {variable});
  }

  /// Equations of `initial` cannot ask for derivatives that no equation of the run has.
  bool has_derivatives() {
    for (const std::uint32_t number : equations_) {
      if (shape_.equations[number].use != EquationUse::Initial) continue;
      for (const At operand : shape_.equations[number].operands) {
        const std::uint32_t variable = derivative_at_[operand];
        if (variable == kNone || roles_[variable].is_state || column_at_[operand] != kNone) continue;
        return misfit(Misfit::Kind::NotDifferentiated, {number}, {variable});
      }
    }
    return true;
  }

  StartRole start_role(std::uint32_t variable) const {
    return start_ == nullptr || variable >= start_->values.size() ? StartRole::Default : start_->values[variable];
  }

  /// Whether the value of a variable in an equation is to be found: if it is algebraic, or free at a start.
  bool is_unknown(std::uint32_t variable) const {
    const StartRole start = start_role(variable);
    if (start != StartRole::Default) return start == StartRole::Free;
    const Role& role = roles_[variable];
    return (role.formulas > 0 || !shape_.variables[variable].fixed) && !role.is_state && !role.is_held;
  }

  bool is_guessed(At place) const {
    const std::uint32_t variable = variable_at_[place];
    return variable < start_->guessed.size() && start_->guessed[variable] != 0;
  }

  bool is_given_derivative(std::uint32_t variable) const {
    return start_ != nullptr && variable < start_->derivatives.size() &&
           start_->derivatives[variable] == StartRole::Fixed;
  }

  void add_column(At place) {
    if (column_at_[place] != kNone) return;
    column_at_[place] = static_cast<std::uint32_t>(columns_.size());
    columns_.push_back(place);
  }

  void find_unknowns() {
    for (std::uint32_t i = 0; i < roles_.size(); ++i) {
      const Role& role = roles_[i];
      if (role.is_state && !is_given_derivative(i)) add_column(shape_.variables[i].derivative);
      const bool is_of_plug = shape_.variables[i].of_plug && absent_[shape_.variables[i].object] == 0;
      const bool is_sought = role.formulas > 0 || is_of_plug || start_role(i) == StartRole::Free;
      if (is_sought && is_unknown(i)) add_column(shape_.variables[i].value);
    }
    for (const std::uint32_t number : equations_) {
      if (shape_.equations[number].form != EquationForm::Implicit) continue;
      for (const At operand : shape_.equations[number].operands) {
        const std::uint32_t variable = variable_at_[operand];
        if (variable == kNone) continue;
        if (!shape_.variables[variable].fixed) roles_[variable].is_implicit = true;
        if (is_unknown(variable)) add_column(operand);
      }
    }
  }

  /// Under a reduction, what is integrated has been selected, and everything else is an unknown.
  void take_selection() {
    const Reduction& reduction = *result_->reduction;
    for (std::size_t i = 0; i < reduction.candidates.size(); ++i) {
      if (result_->demoted[i] != 0) continue;
      const Candidate& candidate = reduction.candidates[i];
      roles_[candidate.variable].is_state = true;
      if (candidate.copying != kNone) equations_.push_back(candidate.copying);
    }
    for (const At place : reduction.unknowns) {
      if (is_state_value(place)) continue;
      const std::uint32_t variable = variable_at_[place], derivative = derivative_at_[place];
      const bool is_given = (variable != kNone && start_role(variable) == StartRole::Fixed) ||
                            (derivative != kNone && is_given_derivative(derivative));
      if (!is_given) add_column(place);
    }
    for (std::uint32_t i = 0; i < shape_.variables.size(); ++i) {
      if (start_role(i) == StartRole::Free) add_column(shape_.variables[i].value);
    }
  }

  std::uint32_t column_of(At operand) const { return column_at_[operand]; }

  /// The unknown that an equation is written for.
  std::uint32_t own_column(const ShapeEquation& equation) const {
    if (equation.form == EquationForm::Implicit) return kNone;
    const ShapeVariable& subject = shape_.variables[equation.subject];
    return column_at_[equation.form == EquationForm::Derivative ? subject.derivative : subject.value];
  }

  /// Operands from which the value follows; others are compared in relations only, whose outcomes are held.
  const std::vector<std::uint32_t>& needed_operands(const ShapeEquation& equation) {
    const auto [entry, added] = needed_.try_emplace(equation.term);
    if (added) entry->second = terms_[equation.term].graph.operands_of_node(terms_[equation.term].value);
    return entry->second;
  }

  /// A formula is solved for its own variable where nothing else determines that.
  bool is_causal(const ShapeEquation& equation) const {
    if (equation.form != EquationForm::Formula) return false;
    const Role& role = roles_[equation.subject];
    return role.formulas == 1 && !role.is_state && !role.is_held && !role.is_implicit;
  }

  void add_row(const ShapeEquation& equation) {
    std::vector<std::pair<std::uint32_t, std::uint8_t>> row;
    const std::uint32_t own = own_column(equation);
    bool own_inside = false;
    for (const std::uint32_t k : needed_operands(equation)) {
      const std::uint32_t column = column_of(equation.operands[k]);
      if (column == kNone) continue;
      own_inside = own_inside || column == own;
      row.emplace_back(column, equation.solvable[k]);
    }
    if (own_inside || (start_ == nullptr && is_causal(equation))) {
      for (auto& entry : row) entry.second = 0;
    }
    if (own != kNone) {
      row.erase(std::remove_if(row.begin(), row.end(), [&](const auto& entry) { return entry.first == own; }),
                row.end());
      row.emplace_back(own, own_inside ? 0 : 1);
    }
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.first == b.first; }),
              row.end());
    for (const auto& [column, is_explicit] : row) {
      incidence_.columns.push_back(column);
      incidence_.explicit_for.push_back(is_explicit);
    }
    incidence_.starts.push_back(static_cast<std::uint32_t>(incidence_.columns.size()));
  }

  bool match() {
    incidence_.unknowns = columns_.size();
    if (start_ != nullptr) {
      for (const At place : columns_) incidence_.preferred.push_back(is_guessed(place) ? 1 : 0);
    }
    for (const std::uint32_t number : equations_) add_row(shape_.equations[number]);
    matching_ = structure::match(incidence_);
    if (matching_.size == equations_.size() && matching_.size == columns_.size()) return true;
    if (start_ != nullptr) return misfit(Misfit::Kind::TooFew, {}, {});  // explained by whoever asks
    return reduce() || explain_misfit();
  }

  /// Forces of constraints often stand in differential equations only, where they would be held.
  void open_forces() {
    for (const std::uint32_t number : equations_) {
      for (const std::uint32_t k : needed_operands(shape_.equations[number])) {
        const At operand = shape_.equations[number].operands[k];
        const std::uint32_t variable = variable_at_[operand];
        if (variable == kNone || !shape_.variables[variable].open) continue;
        if (!roles_[variable].is_state && !roles_[variable].is_held) add_column(operand);
      }
    }
  }

  bool hides_constraints() {
    if (start_ != nullptr || result_->reduction) return false;
    all_.restated = restate_loops(shape_, tapes_, {equations_, columns_, incidence_, blocks_});
    return !all_.restated.empty();
  }

  /// Equations of higher index are differentiated; false if they do not fit together even so.
  bool reduce() {
    if (columns_.size() < equations_.size()) open_forces();
    for (std::uint32_t column = 0; column < columns_.size(); ++column) {
      all_.variables.push_back(variable_of_column(column));
    }
    all_.equations = equations_;
    make_signature(shape_, terms_, all_);
    structure::Offsets offsets = structure::offsets(all_.signature);
    if (!offsets.exist || result_->reduction) return false;
    restate_reduced(shape_, tapes_, all_, offsets);
    result_->reduction = engine::reduce(shape_, terms_, all_, offsets);
    result_->is_open = true;
    return true;
  }

  bool explain_misfit() {
    for (std::uint32_t i = 0; i < roles_.size(); ++i) {
      const Role& role = roles_[i];
      if (role.formulas < 2 && !(role.is_state && role.formulas > 0)) continue;
      std::vector<std::uint32_t> both;
      for (const std::uint32_t number : equations_) {
        const ShapeEquation& equation = shape_.equations[number];
        if (equation.form != EquationForm::Implicit && equation.subject == i) both.push_back(number);
      }
      if (!is_surplus(both)) continue;
      return misfit(role.is_state ? Misfit::Kind::Constrained : Misfit::Kind::TwoFormulas, both, {i});
    }
    for (std::uint32_t row = 0; row < equations_.size(); ++row) {
      if (matching_.unknown_of_equation[row] != kNothing) continue;
      std::vector<std::uint32_t> rows = structure::contradicting(incidence_, matching_, row);
      std::vector<std::uint32_t> equations;
      std::set<std::uint32_t> unknowns, states;
      for (const std::uint32_t one : rows) {
        equations.push_back(equations_[one]);
        for (std::uint32_t k = incidence_.starts[one]; k < incidence_.starts[one + 1]; ++k) {
          unknowns.insert(variable_of_column(incidence_.columns[k]));
        }
        for (const At operand : shape_.equations[equations_[one]].operands) {
          if (is_state_value(operand)) states.insert(variable_at_[operand]);
        }
      }
      if (!unknowns.empty()) {
        misfit_of_open();
        std::swap(result_->misfit.equations, result_->misfit.open_equations);
        std::swap(result_->misfit.variables, result_->misfit.open);
        return misfit(Misfit::Kind::TooMany, equations, {unknowns.begin(), unknowns.end()});
      }
      if (states.empty()) return misfit(Misfit::Kind::Constrained, equations, {});
    }
    result_->misfit = too_many(all_);
    return result_->misfit.kind == Misfit::Kind::None && misfit_of_open();
  }

  /// Whether equations are more than the unknowns in them.
  bool is_surplus(const std::vector<std::uint32_t>& equations) const {
    std::set<std::uint32_t> unknowns;
    for (std::uint32_t row = 0; row < equations_.size(); ++row) {
      if (std::find(equations.begin(), equations.end(), equations_[row]) == equations.end()) continue;
      for (std::uint32_t k = incidence_.starts[row]; k < incidence_.starts[row + 1]; ++k) {
        unknowns.insert(incidence_.columns[k]);
      }
    }
    return equations.size() > unknowns.size();
  }

  /// Differential equations of the form `der(x) = e` only read what is open.
  bool misfit_of_open() {
    const structure::Misfit found = structure::misfit(incidence_, matching_);
    std::vector<std::uint32_t> equations, variables;
    for (const std::uint32_t one : found.under_equations) {
      if (shape_.equations[equations_[one]].form != EquationForm::Derivative) equations.push_back(equations_[one]);
    }
    for (const std::uint32_t one : found.under_unknowns) {
      const std::uint32_t variable = variable_of_column(one);
      if (roles_[variable].derivative == kNone) variables.push_back(variable);
    }
    return misfit(Misfit::Kind::TooFew, equations, variables);
  }

  std::uint32_t variable_of_column(std::uint32_t column) const {
    const At place = columns_[column];
    return variable_at_[place] != kNone ? variable_at_[place] : derivative_at_[place];
  }

  // --- what varies, and with whom -----------------------------------------------------------------

  bool is_state_value(At operand) const {
    return variable_at_[operand] != kNone && roles_[variable_at_[operand]].is_state;
  }

  /// The variable that is integrated with this unknown as its derivative.
  std::uint32_t state_of_column(std::uint32_t column) const {
    const std::uint32_t variable = derivative_at_[columns_[column]];
    return variable != kNone && roles_[variable].is_state ? variable : kNone;
  }

  void find_varying() {
    block_of_column_.assign(columns_.size(), kNone);
    varies_.assign(blocks_.size(), 0);
    for (std::uint32_t b = 0; b < blocks_.size(); ++b) {
      for (const std::uint32_t column : blocks_[b].unknowns) block_of_column_[column] = b;
    }
    // What a block compares may come behind it in the order, so this is repeated until nothing is added.
    for (bool again = true; again;) {
      again = false;
      for (std::uint32_t b = 0; b < blocks_.size() && start_ == nullptr; ++b) {
        if (varies_[b] != 0 || !block_varies(b)) continue;
        varies_[b] = 1;
        again = true;
      }
    }
  }

  /// What an equation reads or gives.
  std::vector<At> places_of(const ShapeEquation& equation) const {
    std::vector<At> places = equation.operands;
    const At own = own_place(shape_, equation);
    if (own != kNowhere) places.push_back(own);
    return places;
  }

  /// A block with a relation over something that varies is taken to vary too: it may slide along the relation's zero.
  bool block_varies(std::uint32_t b) const {
    for (const std::uint32_t column : blocks_[b].unknowns) {
      if (state_of_column(column) != kNone) return true;
    }
    for (const std::uint32_t row : blocks_[b].equations) {
      for (const At operand : places_of(shape_.equations[equations_[row]])) {
        const std::uint32_t column = column_of(operand);
        if (operand == kTime || is_state_value(operand)) return true;
        if (column != kNone && block_of_column_[column] != b && varies_[block_of_column_[column]] != 0) return true;
      }
    }
    return false;
  }

  /// The node of the graph of islands to which a place belongs: a varying block, or a state; kNone if it is held.
  std::uint32_t node_of(At operand) const {
    if (start_ != nullptr) return kNone;
    if (is_state_value(operand)) return static_cast<std::uint32_t>(blocks_.size()) + variable_at_[operand];
    const std::uint32_t column = column_of(operand);
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
    for (std::uint32_t b = 0; b < blocks_.size(); ++b) {
      if (varies_[b] == 0) continue;
      for (const std::uint32_t row : blocks_[b].equations) join(b, places_of(shape_.equations[equations_[row]]));
      for (const std::uint32_t column : blocks_[b].unknowns) {
        const std::uint32_t state = state_of_column(column);
        if (state != kNone) edges.emplace_back(b, static_cast<std::uint32_t>(blocks_.size()) + state);
      }
    }
    for (const std::uint32_t number : equations_) {
      if (shape_.equations[number].modes > 0) join(kNone, shape_.equations[number].operands);
    }
    for (const ShapeCondition& condition : shape_.conditions) join(kNone, condition.operands);
    std::vector<std::uint32_t> firsts(UINT8_MAX + 1, kNone);  // nodes, by group
    for (std::uint32_t variable = 0; variable < result_->united.size(); ++variable) {
      const std::uint8_t group = result_->united[variable];
      const std::uint32_t node = group == 0 ? kNone : node_of(shape_.variables[variable].value);
      if (node == kNone) continue;
      if (firsts[group] == kNone) firsts[group] = node;
      edges.emplace_back(firsts[group], node);
    }
    component_ = structure::components(blocks_.size() + shape_.variables.size(), edges);
  }

  void make_islands() {
    std::vector<std::uint32_t> island_of_component(component_.size(), kNone);
    std::vector<std::uint32_t> held_blocks;
    std::vector<std::vector<std::uint32_t>> island_blocks;
    for (std::uint32_t b = 0; b < blocks_.size(); ++b) {
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
    Composer composer(shape_, tapes_, result_->size);
    result_->held_parts = parts_of(held_blocks);
    result_->held = composer.compose(result_->held_parts);
    collect_held(held_blocks);
    for (const std::vector<std::uint32_t>& members : island_blocks) make_island(composer, members);
    result_->size = composer.size();
    for (IslandPlan& island : result_->islands) island.configuration = result_.get();
    if (result_->reduction) assign_constraints(*result_);
  }

  /// What follows from guesses by formulas is where the search for other unknowns of a loop begins.
  void add_guesses(const structure::Block& block, std::vector<EvaluationPart>& parts) const {
    std::set<std::uint32_t> open;
    for (const std::uint32_t column : block.unknowns) {
      if (incidence_.preferred[column] == 0) open.insert(column);
    }
    const auto is_open = [&](std::uint32_t column) { return open.contains(column); };
    if (open.size() == block.unknowns.size() || std::none_of(block.tears.begin(), block.tears.end(), is_open)) return;
    for (bool again = true; again;) {
      again = false;
      for (const std::uint32_t row : block.equations) {
        const auto begin = incidence_.columns.begin() + incidence_.starts[row],
                   end = incidence_.columns.begin() + incidence_.starts[row + 1];
        const auto found = std::find_if(begin, end, is_open);
        if (found == end || std::find_if(found + 1, end, is_open) != end) continue;
        if (incidence_.explicit_for[static_cast<std::size_t>(found - incidence_.columns.begin())] == 0) continue;
        EvaluationPart part;
        part.steps.push_back({equations_[row], columns_[*found]});
        parts.push_back(std::move(part));
        open.erase(*found);
        again = true;
      }
    }
  }

  std::vector<EvaluationPart> parts_of(const std::vector<std::uint32_t>& members) const {
    std::vector<EvaluationPart> parts;
    for (const std::uint32_t b : members) {
      const structure::Block& block = blocks_[b];
      if (block.is_loop && start_ != nullptr) add_guesses(block, parts);
      EvaluationPart part;
      part.is_loop = block.is_loop;
      if (!block.is_loop) {
        part.steps.push_back({equations_[block.equations[0]], columns_[block.unknowns[0]]});
      } else {
        for (const structure::Block::Step& step : block.inner) {
          part.steps.push_back({equations_[step.equation], columns_[step.unknown]});
        }
        for (const std::uint32_t column : block.tears) part.tears.push_back(columns_[column]);
        for (const std::uint32_t row : block.residuals) part.residuals.push_back(equations_[row]);
        for (const std::uint32_t column : block.unknowns) part.variables.push_back(variable_of_column(column));
        untear_large(shape_, tapes_, part);
      }
      parts.push_back(std::move(part));
    }
    return parts;
  }

  void collect_held(const std::vector<std::uint32_t>& members) {
    for (const std::uint32_t b : members) {
      for (const std::uint32_t column : blocks_[b].unknowns) {
        if (variable_at_[columns_[column]] != kNone) result_->held_outputs.push_back(variable_at_[columns_[column]]);
      }
    }
  }

  void find_places(IslandPlan& island) const {
    for (const std::uint32_t state : island.states) {
      island.places.emplace_back(shape_.variables[state].value, shape_.variables[state].derivative);
    }
    island.in_a_row = !island.places.empty();
    for (At i = 0; i < island.places.size(); ++i) {
      const auto& [value, derivative] = island.places[i];
      island.in_a_row =
          island.in_a_row && value == island.places[0].first + i && derivative == island.places[0].second + i;
    }
  }

  void make_island(Composer& composer, const std::vector<std::uint32_t>& members) {
    const auto number = static_cast<std::uint32_t>(result_->islands.size());
    IslandPlan island;
    island.parts = parts_of(members);
    island.evaluation = composer.compose(island.parts);
    std::vector<std::uint8_t> known(shape_.size);
    for (const std::uint32_t b : members) {
      for (const std::uint32_t column : blocks_[b].unknowns) {
        const std::uint32_t state = state_of_column(column), variable = variable_at_[columns_[column]];
        if (state != kNone) island.states.push_back(state);
        if (state == kNone && variable != kNone) island.outputs.push_back(variable);
      }
    }
    std::sort(island.states.begin(), island.states.end());
    find_places(island);
    for (const std::uint32_t state : island.states) result_->island_of[state] = number;
    for (const std::uint32_t variable : island.outputs) result_->island_of[variable] = number;
    // What is integrated can be a derivative, which is no variable of an object; these come last.
    const auto end = std::find_if(island.states.begin(), island.states.end(),
                                  [&](std::uint32_t state) { return shape_.variables[state].derivative_of != kNone; });
    island.outputs.insert(island.outputs.begin(), island.states.begin(), end);
    for (const std::uint32_t state : island.states) island.nominals.push_back(shape_.variables[state].nominal);
    for (const std::uint32_t b : members) {
      for (const std::uint32_t row : blocks_[b].equations) {
        const ShapeEquation& equation = shape_.equations[equations_[row]];
        island.equations.push_back(equations_[row]);
        for (const At operand : places_of(equation)) {
          if (operand == kTime || node_of(operand) != kNone || std::exchange(known[operand], 1) != 0) continue;
          island.reads.push_back(operand);
        }
      }
    }
    result_->islands.push_back(std::move(island));
  }

  const Shape& shape_;
  TermTapes& tapes_;
  Terms& terms_;
  const StartRoles* start_ = nullptr;  ///< of a start; null: for the run
  std::unique_ptr<Configuration> result_;
  std::vector<std::uint32_t> equations_;  ///< active, without holds
  std::vector<std::uint32_t> held_;       ///< active holds
  std::unordered_map<TermId, std::vector<std::uint32_t>> needed_;
  std::vector<std::uint8_t> absent_;                        ///< by object: it is declared in a state that is not active
  std::vector<Role> roles_;                                 ///< by variable
  std::vector<std::uint32_t> variable_at_, derivative_at_;  ///< by place
  std::vector<std::uint32_t> column_at_;                    ///< likewise
  std::vector<At> columns_;                                 ///< unknowns
  structure::Incidence incidence_;
  SignedEquations all_;  ///< if there is no complete matching
  structure::Matching matching_;
  std::vector<structure::Block> blocks_;
  std::vector<std::uint32_t> block_of_column_;
  std::vector<std::uint8_t> varies_;  ///< by block
  std::vector<std::uint32_t> component_;
};

}  // namespace

std::unique_ptr<Configuration> configure(const Shape& shape, TermTapes& tapes, const std::vector<std::uint8_t>& active,
                                         const IslandGroups& united) {
  return Configurator(shape, tapes, active).configure(united);
}

std::unique_ptr<Configuration> configure(const std::shared_ptr<Reduction>& reduction, TermTapes& tapes,
                                         const std::vector<std::uint8_t>& demoted, const IslandGroups& united) {
  return Configurator(reduction, tapes, demoted).configure(united);
}

std::unique_ptr<Configuration> configure_start(const Shape& shape, const Configuration& running, TermTapes& tapes,
                                               const std::vector<std::uint8_t>& active, const StartRoles& roles,
                                               StartSystem& system) {
  Configurator configurator(shape, running, tapes, active, roles);
  std::unique_ptr<Configuration> result = configurator.configure();
  system = configurator.system();
  return result;
}

}  // namespace hyla::engine
