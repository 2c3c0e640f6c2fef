#include "engine/equation_system.h"

#include <algorithm>
#include <utility>

#include "engine/reduce.h"

namespace hyla::engine {

using model::EquationForm;

EquationSystem::EquationSystem(const Shape& its_shape, TermTapes& its_tapes) : shape(its_shape), tapes(its_tapes) {
  absent.assign(shape.plans.size(), 0);
  variable_at.assign(shape.size, kNone);
  derivative_at.assign(shape.size, kNone);
  column_at.assign(shape.size, kNone);
  roles.resize(shape.variables.size());
  for (std::uint32_t i = 0; i < shape.variables.size(); ++i) {
    variable_at[shape.variables[i].value] = i;
    if (shape.variables[i].derivative != kNowhere) derivative_at[shape.variables[i].derivative] = i;
  }
}

void EquationSystem::add_active(const std::vector<std::uint8_t>& active) {
  for (std::uint32_t i = 0; i < active.size(); ++i) {
    const ShapeEquation& equation = shape.equations[i];
    if (active[i] != 0) {
      (equation.hold ? held : equations).push_back(i);
    } else if (equation.activity != kNone && equation.use == EquationUse::Run) {
      // One that counts while its object exists does not count.
      const Activity& activity = shape.activities[equation.activity];
      if (activity.state == kNone) absent[activity.object] = 1;
    }
  }
}

const std::vector<std::uint32_t>& EquationSystem::needed_operands(const ShapeEquation& equation) {
  const auto [entry, added] = needed_.try_emplace(equation.term);
  const Term& term = tapes.terms()[equation.term];
  if (added) entry->second = term.graph.operands_of_node(term.value);
  return entry->second;
}

void EquationSystem::add_column(At place) {
  if (column_at[place] != kNone) return;
  column_at[place] = static_cast<std::uint32_t>(columns.size());
  columns.push_back(place);
}

namespace {

class UnknownFinder {
 public:
  UnknownFinder(EquationSystem& system, const Configuration& configuration, Misfit& misfit)
      : system_(system), configuration_(configuration), misfit_(misfit) {}

  bool find() {
    if (configuration_.reduction) {
      take_selection();
      return system_.start == nullptr || has_derivatives();
    }
    if (!find_roles()) return false;
    find_unknowns();
    return true;
  }

 private:
  bool misfit(Misfit::Kind kind, std::vector<std::uint32_t> equations, std::vector<std::uint32_t> variables) {
    misfit_.kind = kind;
    misfit_.equations = std::move(equations);
    misfit_.variables = std::move(variables);
    return false;
  }

  /// What the active equations say about each variable.
  bool find_roles() {
    for (const std::uint32_t number : system_.held) {
      VariableRole& role = system_.roles[system_.shape.equations[number].subject];
      role.is_held = true;
      role.hold = number;
    }
    for (const std::uint32_t number : system_.equations) {
      const ShapeEquation& equation = system_.shape.equations[number];
      if (equation.form == EquationForm::Derivative) {
        VariableRole& role = system_.roles[equation.subject];
        if (role.derivative != kNone) {
          return misfit(Misfit::Kind::TwoDerivatives, {role.derivative, number}, {equation.subject});
        }
        role.derivative = number;
        if (!differentiate(equation.subject, number)) return false;
      } else if (equation.form == EquationForm::Formula) {
        VariableRole& role = system_.roles[equation.subject];
        if (role.formulas++ == 0) role.first_formula = number;
      }
      if (equation.use == EquationUse::Initial) continue;
      for (const At operand : equation.operands) {
        if (system_.derivative_at[operand] != kNone && !differentiate(system_.derivative_at[operand], number))
          return false;
      }
    }
    return system_.start == nullptr || has_derivatives();
  }

  /// The equation contains the derivative of the variable. What is held has none.
  bool differentiate(std::uint32_t variable, std::uint32_t equation) {
    VariableRole& role = system_.roles[variable];
    role.is_state = true;
    return !role.is_held || misfit(Misfit::Kind::TwoDerivatives, {role.hold, equation}, {variable});
  }

  /// Equations of `initial` cannot ask for derivatives that no equation of the run has.
  bool has_derivatives() {
    for (const std::uint32_t number : system_.equations) {
      if (system_.shape.equations[number].use != EquationUse::Initial) continue;
      for (const At operand : system_.shape.equations[number].operands) {
        const std::uint32_t variable = system_.derivative_at[operand];
        if (variable == kNone || system_.roles[variable].is_state || system_.column_at[operand] != kNone) continue;
        return misfit(Misfit::Kind::NotDifferentiated, {number}, {variable});
      }
    }
    return true;
  }

  StartRole start_role(std::uint32_t variable) const {
    return system_.start == nullptr || variable >= system_.start->values.size() ? StartRole::Default
                                                                                : system_.start->values[variable];
  }

  /// Whether the value of a variable in an equation is to be found: if it is algebraic, or free at a start.
  bool is_unknown(std::uint32_t variable) const {
    const StartRole start = start_role(variable);
    if (start != StartRole::Default) return start == StartRole::Free;
    const VariableRole& role = system_.roles[variable];
    return (role.formulas > 0 || !system_.shape.variables[variable].fixed) && !role.is_state && !role.is_held;
  }

  bool is_given_derivative(std::uint32_t variable) const {
    return system_.start != nullptr && variable < system_.start->derivatives.size() &&
           system_.start->derivatives[variable] == StartRole::Fixed;
  }

  void find_unknowns() {
    for (std::uint32_t i = 0; i < system_.roles.size(); ++i) {
      const VariableRole& role = system_.roles[i];
      if (role.is_state && !is_given_derivative(i)) system_.add_column(system_.shape.variables[i].derivative);
      const bool is_of_plug =
          system_.shape.variables[i].of_plug && system_.absent[system_.shape.variables[i].object] == 0;
      const bool is_sought = role.formulas > 0 || is_of_plug || start_role(i) == StartRole::Free;
      if (is_sought && is_unknown(i)) system_.add_column(system_.shape.variables[i].value);
    }
    for (const std::uint32_t number : system_.equations) {
      if (system_.shape.equations[number].form != EquationForm::Implicit) continue;
      for (const At operand : system_.shape.equations[number].operands) {
        const std::uint32_t variable = system_.variable_at[operand];
        if (variable == kNone) continue;
        if (!system_.shape.variables[variable].fixed) system_.roles[variable].is_implicit = true;
        if (is_unknown(variable)) system_.add_column(operand);
      }
    }
  }

  /// Under a reduction, what is integrated has been selected, and everything else is an unknown.
  void take_selection() {
    const Reduction& reduction = *configuration_.reduction;
    for (std::size_t i = 0; i < reduction.candidates.size(); ++i) {
      if (configuration_.demoted[i] != 0) continue;
      const Candidate& candidate = reduction.candidates[i];
      system_.roles[candidate.variable].is_state = true;
      if (candidate.copying != kNone) system_.equations.push_back(candidate.copying);
    }
    for (const At place : reduction.unknowns) {
      if (system_.is_state_value(place)) continue;
      const std::uint32_t variable = system_.variable_at[place], derivative = system_.derivative_at[place];
      const bool is_given = (variable != kNone && start_role(variable) == StartRole::Fixed) ||
                            (derivative != kNone && is_given_derivative(derivative));
      if (!is_given) system_.add_column(place);
    }
    for (std::uint32_t i = 0; i < system_.shape.variables.size(); ++i) {
      if (start_role(i) == StartRole::Free) system_.add_column(system_.shape.variables[i].value);
    }
  }

  EquationSystem& system_;
  const Configuration& configuration_;
  Misfit& misfit_;
};

class IncidenceFinder {
 public:
  explicit IncidenceFinder(EquationSystem& system) : system_(system) {}

  void find() {
    system_.incidence.unknowns = system_.columns.size();
    if (system_.start != nullptr) {
      for (const At place : system_.columns) system_.incidence.preferred.push_back(is_guessed(place) ? 1 : 0);
    }
    for (std::uint32_t row = 0; row < system_.equations.size(); ++row) add_row(system_.equation(row));
  }

 private:
  bool is_guessed(At place) const {
    const std::uint32_t variable = system_.variable_at[place];
    return variable < system_.start->guessed.size() && system_.start->guessed[variable] != 0;
  }

  /// The unknown that an equation is written for.
  std::uint32_t own_column(const ShapeEquation& equation) const {
    if (equation.form == EquationForm::Implicit) return kNone;
    const ShapeVariable& subject = system_.shape.variables[equation.subject];
    return system_.column_at[equation.form == EquationForm::Derivative ? subject.derivative : subject.value];
  }

  /// A formula is solved for its own variable where nothing else determines that.
  bool is_causal(const ShapeEquation& equation) const {
    if (equation.form != EquationForm::Formula) return false;
    const VariableRole& role = system_.roles[equation.subject];
    return role.formulas == 1 && !role.is_state && !role.is_held && !role.is_implicit;
  }

  void add_row(const ShapeEquation& equation) {
    std::vector<std::pair<std::uint32_t, std::uint8_t>> row;
    const std::uint32_t own = own_column(equation);
    bool own_inside = false;
    for (const std::uint32_t k : system_.needed_operands(equation)) {
      const std::uint32_t column = system_.column_at[equation.operands[k]];
      if (column == kNone) continue;
      own_inside = own_inside || column == own;
      row.emplace_back(column, equation.solvable[k]);
    }
    if (own_inside || (system_.start == nullptr && is_causal(equation))) {
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
      system_.incidence.columns.push_back(column);
      system_.incidence.explicit_for.push_back(is_explicit);
    }
    system_.incidence.starts.push_back(static_cast<std::uint32_t>(system_.incidence.columns.size()));
  }

  EquationSystem& system_;
};

}  // namespace

bool find_unknowns(EquationSystem& system, const Configuration& configuration, Misfit& misfit) {
  return UnknownFinder(system, configuration, misfit).find();
}

void find_incidence(EquationSystem& system) { IncidenceFinder(system).find(); }

}  // namespace hyla::engine
