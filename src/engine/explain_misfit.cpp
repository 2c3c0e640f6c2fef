// Equations and unknowns do not fit together: which of them are too many or too few, in the smallest set that shows it.
#include <algorithm>
#include <set>
#include <utility>

#include "engine/equation_system.h"
#include "engine/reduce.h"

namespace hyla::engine {
namespace {

using model::EquationForm;
using structure::kNothing;

/// Whether equations are more than the unknowns in them.
bool is_surplus(const EquationSystem& system, const std::vector<std::uint32_t>& equations) {
  const structure::Incidence& incidence = system.incidence;
  std::set<std::uint32_t> unknowns;
  for (std::uint32_t row = 0; row < system.equations.size(); ++row) {
    if (std::find(equations.begin(), equations.end(), system.equations[row]) == equations.end()) continue;
    for (std::uint32_t k = incidence.starts[row]; k < incidence.starts[row + 1]; ++k) {
      unknowns.insert(incidence.columns[k]);
    }
  }
  return equations.size() > unknowns.size();
}

/// A variable that several formulas give, or a formula and a derivative.
Misfit given_twice(const EquationSystem& system) {
  for (std::uint32_t i = 0; i < system.roles.size(); ++i) {
    const VariableRole& role = system.roles[i];
    if (role.formulas < 2 && !(role.is_state && role.formulas > 0)) continue;
    std::vector<std::uint32_t> both;
    for (const std::uint32_t number : system.equations) {
      const ShapeEquation& equation = system.shape.equations[number];
      if (equation.form != EquationForm::Implicit && equation.subject == i) both.push_back(number);
    }
    if (!is_surplus(system, both)) continue;
    return {role.is_state ? Misfit::Kind::Constrained : Misfit::Kind::TwoFormulas, both, {i}, {}, {}};
  }
  return {};
}

/// Rows and columns of an incidence as equations and variables. Differential equations of the form `der(x) = e` only
/// read what is open.
Misfit open_part(const EquationSystem& system, const structure::Misfit& found,
                 const std::vector<std::uint32_t>& equations, const std::vector<std::uint32_t>& variables) {
  Misfit result;
  result.kind = Misfit::Kind::TooFew;
  for (const std::uint32_t row : found.under_equations) {
    const std::uint32_t number = equations[row];
    if (system.shape.equations[number].form != EquationForm::Derivative) result.equations.push_back(number);
  }
  for (const std::uint32_t column : found.under_unknowns) {
    if (system.roles[variables[column]].derivative == kNone) result.variables.push_back(variables[column]);
  }
  return result;
}

Misfit too_few(const EquationSystem& system) {
  std::vector<std::uint32_t> variables;
  for (std::uint32_t i = 0; i < system.columns.size(); ++i) variables.push_back(system.variable_of_column(i));
  return open_part(system, structure::misfit(system.incidence, system.matching), system.equations, variables);
}

/// The smallest set of equations with one that determines nothing. Where states stand in it as well, it may be no more
/// than a constraint on them.
struct Contradiction {
  std::vector<std::uint32_t> equations;
  std::set<std::uint32_t> unknowns;
  bool has_states = false;
};

Contradiction contradiction(const EquationSystem& system, std::uint32_t row) {
  Contradiction result;
  for (const std::uint32_t one : structure::contradicting(system.incidence, system.matching, row)) {
    result.equations.push_back(system.equations[one]);
    for (std::uint32_t k = system.incidence.starts[one]; k < system.incidence.starts[one + 1]; ++k) {
      result.unknowns.insert(system.variable_of_column(system.incidence.columns[k]));
    }
    const std::vector<At>& operands = system.equation(one).operands;
    result.has_states = result.has_states || std::any_of(operands.begin(), operands.end(),
                                                         [&](At operand) { return system.is_state_value(operand); });
  }
  return result;
}

/// More equations than unknowns; what is left over elsewhere is told with it.
Misfit too_many(Contradiction found, Misfit open) {
  return {Misfit::Kind::TooMany,
          std::move(found.equations),
          {found.unknowns.begin(), found.unknowns.end()},
          std::move(open.variables),
          std::move(open.equations)};
}

/// The same among the equations of higher index. A constraint on states is told instead if it is a part of it.
Misfit too_many_of_all(const EquationSystem& system, const SignedEquations& all,
                       const std::vector<Contradiction>& constraints) {
  Misfit result = too_many(all);
  if (result.kind == Misfit::Kind::None) return result;
  const std::set<std::uint32_t> whole(result.equations.begin(), result.equations.end());
  for (const Contradiction& one : constraints) {
    if (one.unknowns.empty()) continue;
    const auto is_inside = [&](std::uint32_t equation) { return whole.contains(equation); };
    if (std::all_of(one.equations.begin(), one.equations.end(), is_inside)) return too_many(one, too_few(system));
  }
  const structure::Incidence& incidence = all.signature.incidence;
  const structure::Misfit open = structure::misfit(incidence, structure::match(incidence));
  Misfit left = open_part(system, open, all.equations, all.variables);
  result.open = std::move(left.variables);
  result.open_equations = std::move(left.equations);
  return result;
}

}  // namespace

Misfit explain_misfit(const EquationSystem& system, const SignedEquations& all) {
  if (Misfit found = given_twice(system); found.kind != Misfit::Kind::None) return found;
  std::vector<Contradiction> constraints;
  for (std::uint32_t row = 0; row < system.equations.size(); ++row) {
    if (system.matching.unknown_of_equation[row] != kNothing) continue;
    Contradiction found = contradiction(system, row);
    if (!found.has_states && found.unknowns.empty()) {
      return {Misfit::Kind::Constrained, std::move(found.equations), {}, {}, {}};
    }
    if (!found.has_states) return too_many(std::move(found), too_few(system));
    constraints.push_back(std::move(found));
  }
  if (Misfit found = too_many_of_all(system, all, constraints); found.kind != Misfit::Kind::None) return found;
  for (Contradiction& found : constraints) {
    if (!found.unknowns.empty()) return too_many(std::move(found), too_few(system));
  }
  return too_few(system);
}

}  // namespace hyla::engine
