#include "engine/initial_plan.h"

#include <algorithm>
#include <set>
#include <utility>

namespace hyla::engine {

Shape::Shape() = default;
Shape::~Shape() = default;

std::vector<std::uint8_t> start_equations(const Shape& shape, const std::vector<std::uint8_t>& running,
                                          const Beginnings& beginnings, bool continued) {
  std::vector<std::uint8_t> result(shape.equations.size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    const ShapeEquation& equation = shape.equations[i];
    switch (equation.use) {
      case EquationUse::Run:
        result[i] = running[i];
        break;
      case EquationUse::Initial:
        result[i] =
            equation.activity == kNone ? beginnings.objects[equation.object] : beginnings.activities[equation.activity];
        break;
      case EquationUse::Continued:
        if (continued) std::swap(result[i], result[i - 1]);
        break;
    }
  }
  return result;
}

StartRoles start_roles(const Shape& shape, const std::vector<std::uint8_t>& equations, const Beginnings& beginnings) {
  const std::size_t count = shape.variables.size();
  StartRoles roles{std::vector<StartRole>(count), std::vector<StartRole>(count), std::vector<std::uint8_t>(count),
                   std::vector<std::uint8_t>(count)};
  std::vector<std::uint32_t> variable_at(shape.size, kNone);
  for (std::uint32_t i = 0; i < count; ++i) {
    const ShapeVariable& variable = shape.variables[i];
    variable_at[variable.value] = i;
    if (variable.derivative != kNowhere) variable_at[variable.derivative] = i;
    if (beginnings.objects[variable.object] == 0) continue;
    roles.guessed[i] = variable.has_guess ? 1 : 0;
    roles.values[i] = variable.start;
    roles.derivatives[i] = variable.start_derivative;
  }
  for (std::size_t i = 0; i < equations.size(); ++i) {
    const ShapeEquation& equation = shape.equations[i];
    if (equations[i] == 0 || equation.use != EquationUse::Initial || equation.activity == kNone) continue;
    for (const At operand : equation.operands) {
      const std::uint32_t number = variable_at[operand];
      if (number == kNone || roles.values[number] != StartRole::Default) continue;
      const ShapeVariable& variable = shape.variables[number];
      if (variable.fixed || variable.start != StartRole::Free) continue;
      roles.values[number] = StartRole::Free;
      roles.optional[number] = 1;
    }
  }
  return roles;
}

namespace {

/// What is wrong with a system without a complete matching; or which of its unknowns may be left out.
class Misfits {
 public:
  Misfits(const StartRoles& roles, StartPlan& plan) : roles_(roles), plan_(plan), shape_(*plan.configuration->shape) {
    variable_at_.assign(shape_.size, kNone);
    for (std::uint32_t i = 0; i < shape_.variables.size(); ++i) {
      variable_at_[shape_.variables[i].value] = i;
      if (shape_.variables[i].derivative != kNowhere) variable_at_[shape_.variables[i].derivative] = i;
    }
  }

  /// True: what is left over can keep its values, and `unneeded` lists it; else the plan's misfit tells more.
  bool leave_out(std::vector<std::uint32_t>& unneeded) {
    structure::Matching& matching = plan_.system.matching;
    if (matching.size < plan_.system.equations.size()) return too_many();
    structure::Exchange exchange(plan_.system.incidence);
    for (std::uint32_t column = 0; column < plan_.system.unknowns.size(); ++column) {
      if (matching.equation_of_unknown[column] != structure::kNothing || is_optional(column)) continue;
      const std::vector<std::uint32_t> leaving = exchange.leaving_for(matching, column);
      const auto found = std::find_if(leaving.begin(), leaving.end(), [&](auto one) { return is_optional(one); });
      if (found == leaving.end()) return too_few();
      exchange.carry_out(matching, column, *found);
    }
    for (std::uint32_t column = 0; column < plan_.system.unknowns.size(); ++column) {
      if (matching.equation_of_unknown[column] != structure::kNothing) continue;
      for (const std::uint32_t other : exchange.leaving_for(matching, column)) {
        if (!is_optional(other)) continue;
        const std::uint32_t row = matching.equation_of_unknown[other];
        return set(Misfit::Kind::Ambiguous, {plan_.system.equations[row]}, {other, column});
      }
      unneeded.push_back(variable_of(column));
    }
    return true;
  }

 private:
  std::uint32_t variable_of(std::uint32_t column) const {
    std::uint32_t variable = variable_at_[plan_.system.unknowns[column]];
    while (shape_.variables[variable].derivative_of != kNone) variable = shape_.variables[variable].derivative_of;
    return variable;
  }

  bool is_optional(std::uint32_t column) const {
    const At place = plan_.system.unknowns[column];
    const std::uint32_t variable = variable_at_[place];
    return shape_.variables[variable].value == place && variable < roles_.optional.size() &&
           roles_.optional[variable] != 0;
  }

  bool set(Misfit::Kind kind, std::vector<std::uint32_t> equations, const std::vector<std::uint32_t>& columns) {
    std::set<std::uint32_t> variables;
    for (const std::uint32_t column : columns) variables.insert(variable_of(column));
    Misfit& misfit = plan_.configuration->misfit;
    misfit.kind = kind;
    misfit.equations = std::move(equations);
    misfit.variables.assign(variables.begin(), variables.end());
    return false;
  }

  bool too_few() {
    const structure::Misfit found = structure::misfit(plan_.system.incidence, plan_.system.matching);
    std::vector<std::uint32_t> equations;
    for (const std::uint32_t row : found.under_equations) equations.push_back(plan_.system.equations[row]);
    return set(Misfit::Kind::TooFew, std::move(equations), found.under_unknowns);
  }

  bool too_many() {
    const structure::Incidence& incidence = plan_.system.incidence;
    const std::vector<std::uint32_t>& partners = plan_.system.matching.unknown_of_equation;
    const auto row =
        static_cast<std::uint32_t>(std::find(partners.begin(), partners.end(), structure::kNothing) - partners.begin());
    std::vector<std::uint32_t> equations, columns;
    for (const std::uint32_t one : structure::contradicting(incidence, plan_.system.matching, row)) {
      equations.push_back(plan_.system.equations[one]);
      columns.insert(columns.end(), incidence.columns.begin() + incidence.starts[one],
                     incidence.columns.begin() + incidence.starts[one + 1]);
    }
    return set(Misfit::Kind::TooMany, std::move(equations), columns);
  }

  const StartRoles& roles_;
  StartPlan& plan_;
  const Shape& shape_;
  std::vector<std::uint32_t> variable_at_;  ///< by place of a value or derivative
};

void make_system(const Shape& shape, const Configuration& running, TermTapes& tapes, StartRoles roles,
                 StartPlan& plan) {
  for (;;) {
    plan.configuration = configure_start(shape, running, tapes, plan.active, roles, plan.system);
    if (plan.configuration->misfit.kind != Misfit::Kind::TooFew) return;
    std::vector<std::uint32_t> unneeded;
    if (!Misfits(roles, plan).leave_out(unneeded)) return;
    for (const std::uint32_t variable : unneeded) {
      roles.values[variable] = StartRole::Default;
      roles.optional[variable] = 0;
    }
  }
}

}  // namespace

const StartPlan& start_plan(Shape& shape, const Configuration& running, TermTapes& tapes,
                            const std::vector<std::uint8_t>& equations, const StartRoles& roles) {
  std::string key(equations.begin(), equations.end());
  key.append(running.demoted.begin(), running.demoted.end());
  for (std::size_t i = 0; i < roles.values.size(); ++i) {
    key += static_cast<char>(static_cast<int>(roles.values[i]) * 16 + static_cast<int>(roles.derivatives[i]) * 4 +
                             roles.guessed[i] * 2 + roles.optional[i]);
  }
  std::unique_ptr<StartPlan>& plan = shape.starts[key];
  if (plan) return *plan;
  plan = std::make_unique<StartPlan>();
  plan->active = equations;
  make_system(shape, running, tapes, roles, *plan);
  plan->unknown_at.resize(plan->configuration->shape->size);
  for (const At at : plan->system.unknowns) plan->unknown_at[at] = 1;
  if (plan->configuration->misfit.kind != Misfit::Kind::None) return *plan;
  const std::vector<std::uint8_t> no_conditions(shape.conditions.size());
  plan->guards = plan_guards(shape, tapes, *plan->configuration, equations, no_conditions);
  return *plan;
}

}  // namespace hyla::engine
