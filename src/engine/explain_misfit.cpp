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

/// Differential equations of the form `der(x) = e` only read what is open.
Misfit too_few(const EquationSystem& system) {
  const structure::Misfit found = structure::misfit(system.incidence, system.matching);
  Misfit result;
  result.kind = Misfit::Kind::TooFew;
  for (const std::uint32_t row : found.under_equations) {
    if (system.equation(row).form != EquationForm::Derivative) result.equations.push_back(system.equations[row]);
  }
  for (const std::uint32_t column : found.under_unknowns) {
    const std::uint32_t variable = system.variable_of_column(column);
    if (system.roles[variable].derivative == kNone) result.variables.push_back(variable);
  }
  return result;
}

/// The smallest set of equations that contradict each other, beside one that determines nothing. None if these are
/// constraints on states.
Misfit contradiction(const EquationSystem& system, std::uint32_t row) {
  std::vector<std::uint32_t> equations;
  std::set<std::uint32_t> unknowns, states;
  for (const std::uint32_t one : structure::contradicting(system.incidence, system.matching, row)) {
    equations.push_back(system.equations[one]);
    for (std::uint32_t k = system.incidence.starts[one]; k < system.incidence.starts[one + 1]; ++k) {
      unknowns.insert(system.variable_of_column(system.incidence.columns[k]));
    }
    for (const At operand : system.equation(one).operands) {
      if (system.is_state_value(operand)) states.insert(system.variable_at[operand]);
    }
  }
  if (!unknowns.empty()) {
    Misfit open = too_few(system);
    return {Misfit::Kind::TooMany,
            equations,
            {unknowns.begin(), unknowns.end()},
            std::move(open.variables),
            std::move(open.equations)};
  }
  if (states.empty()) return {Misfit::Kind::Constrained, equations, {}, {}, {}};
  return {};
}

}  // namespace

Misfit explain_misfit(const EquationSystem& system, const SignedEquations& all) {
  if (Misfit found = given_twice(system); found.kind != Misfit::Kind::None) return found;
  for (std::uint32_t row = 0; row < system.equations.size(); ++row) {
    if (system.matching.unknown_of_equation[row] != kNothing) continue;
    if (Misfit found = contradiction(system, row); found.kind != Misfit::Kind::None) return found;
  }
  Misfit found = too_many(all);
  return found.kind == Misfit::Kind::None ? too_few(system) : found;
}

}  // namespace hyla::engine
