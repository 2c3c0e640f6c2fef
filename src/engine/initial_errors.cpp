#include "engine/initial_errors.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "engine/run_trouble.h"

namespace hyla::engine {
namespace {

const char* plural(std::size_t count) { return count == 1 ? "" : "s"; }

class Teller {
 public:
  Teller(Run& run, const Cluster& cluster, const StartPlan& plan)
      : run_(run),
        cluster_(cluster),
        shape_(*plan.configuration->shape),
        misfit_(plan.configuration->misfit),
        plan_(plan) {
    trouble_.since = cluster.since;
    object_ = misfit_.equations.empty() ? shape_.variables[misfit_.variables.at(0)].object
                                        : shape_.equations[misfit_.equations.back()].object;
    trouble_.object = cluster.objects[object_];
  }

  void tell() {
    switch (misfit_.kind) {
      case Misfit::Kind::TooFew:
        too_few();
        break;
      case Misfit::Kind::NotDifferentiated:
        not_differentiated();
        break;
      case Misfit::Kind::Ambiguous:
        ambiguous();
        break;
      default:
        too_many();
        break;
    }
    for (const std::uint32_t number : misfit_.equations) {
      const ShapeEquation& equation = shape_.equations[number];
      const bool is_initial = equation.use == EquationUse::Initial;
      trouble_.places.push_back({equation.span, is_initial ? "at the start" : activity_of(run_, cluster_, equation)});
    }
    std::stable_partition(trouble_.places.begin(), trouble_.places.end(),
                          [](const RunTrouble::Place& place) { return place.text == "at the start"; });
    tell_trouble(run_, trouble_);
  }

 private:
  std::string names(const std::vector<std::uint32_t>& variables) const {
    return list_of(run_, cluster_, variables, object_);
  }

  /// Unknowns among these variables and their derivatives: "`x` and `der(x)`".
  std::string unknowns(const std::vector<std::uint32_t>& variables, std::size_t& count) const {
    std::vector<std::string> texts;
    for (const std::uint32_t number : variables) {
      const ShapeVariable& variable = shape_.variables[number];
      const std::string name = name_of(run_, cluster_, number, object_);
      if (plan_.unknown_at[variable.value] != 0) texts.push_back(name);
      const bool is_open = variable.derivative != kNowhere && plan_.unknown_at[variable.derivative] != 0;
      if (is_open) texts.push_back("der(" + name + ")");
    }
    count = texts.size();
    return base::quoted_list(std::vector<std::string_view>(texts.begin(), texts.end()));
  }

  void too_many() {
    trouble_.kind = diag::Kind::StartOverdetermined;
    const std::size_t equations = misfit_.equations.size();
    std::size_t count = 0;
    const std::string open = unknowns(misfit_.variables, count);
    trouble_.message = count == 0 ? fmt::format("too much is given at the start: nothing is left for {} to determine",
                                                equations == 1 ? "this equation" : "these equations")
                                  : fmt::format("too much is given at the start: {} equation{} for {} unknown{}, {}",
                                                equations, plural(equations), count, plural(count), open);
    const std::vector<std::uint32_t> given = given_in_equations();
    trouble_.hints.push_back(given.empty() ? "leave one of the equations out"
                                           : fmt::format("free {}{} with `fixed = false`, or leave an equation out",
                                                         given.size() == 1 ? "" : "one of ", names(given)));
  }

  /// Variables whose values are given, so that freeing one of them would help; parameters last.
  std::vector<std::uint32_t> given_in_equations() const {
    std::set<At> read;
    for (const std::uint32_t number : misfit_.equations) {
      const ShapeEquation& equation = shape_.equations[number];
      read.insert(equation.operands.begin(), equation.operands.end());
      if (equation.form == model::EquationForm::Formula) read.insert(shape_.variables[equation.subject].value);
    }
    std::vector<std::uint32_t> variables, parameters;
    for (std::uint32_t i = 0; i < shape_.variables.size(); ++i) {
      const ShapeVariable& variable = shape_.variables[i];
      if (!read.contains(variable.value) || variable.type != model::TypeKind::Real) continue;
      if (plan_.unknown_at[variable.value] != 0) continue;
      const model::VariableKind kind = run_.world.model.variables[variable.id].kind;
      if (kind == model::VariableKind::Parameter) parameters.push_back(i);
      if (kind == model::VariableKind::Var || kind == model::VariableKind::Output) variables.push_back(i);
    }
    return variables.empty() ? parameters : variables;
  }

  void too_few() {
    trouble_.kind = diag::Kind::StartUndetermined;
    std::vector<std::uint32_t> open = misfit_.variables;
    const auto is_free = [&](std::uint32_t variable) { return shape_.variables[variable].start == StartRole::Free; };
    const auto others = std::stable_partition(open.begin(), open.end(), is_free);
    const std::size_t equations = misfit_.equations.size();
    const std::size_t missing = missing_count();
    std::size_t count = 0;
    const std::string list = unknowns(open, count);
    trouble_.message = fmt::format("{} equation{} at the start {} missing: {} equation{} for {} unknown{}, {}", missing,
                                   plural(missing), missing == 1 ? "is" : "are", equations, plural(equations), count,
                                   plural(count), list);
    const std::vector<std::uint32_t> free(open.begin(), others);
    const std::vector<std::uint32_t>& asked = free.empty() ? open : free;
    trouble_.hints.push_back(fmt::format("add {} to `initial`, or give {}{} a value (`fixed = true`)",
                                         missing == 1 ? "an equation" : "equations",
                                         asked.size() == 1 ? ""
                                         : missing == 1    ? "one of "
                                                           : "some of ",
                                         names(asked)));
  }

  std::size_t missing_count() const {
    const std::vector<std::uint32_t>& partners = plan_.system.matching.equation_of_unknown;
    return static_cast<std::size_t>(std::count(partners.begin(), partners.end(), structure::kNothing));
  }

  void not_differentiated() {
    trouble_.kind = diag::Kind::StartUndetermined;
    const std::string name = name_of(run_, cluster_, misfit_.variables[0], object_);
    trouble_.message =
        fmt::format("`der({})` is open at the start: no active equation differentiates `{}`", name, name);
    trouble_.hints.push_back(fmt::format("ask for rest of the variables that `{}` follows from", name));
  }

  void ambiguous() {
    trouble_.kind = diag::Kind::StartUndetermined;
    trouble_.message =
        fmt::format("the equations at this entry leave open which of {} they determine", names(misfit_.variables));
    trouble_.hints.push_back("let one of them keep its value: declare it without `fixed = false`");
  }

  Run& run_;
  const Cluster& cluster_;
  const Shape& shape_;
  const Misfit& misfit_;
  const StartPlan& plan_;
  std::uint32_t object_ = 0;
  RunTrouble trouble_;
};

}  // namespace

void report_start_misfit(Run& run, const Cluster& cluster, const StartPlan& plan) { Teller(run, cluster, plan).tell(); }

}  // namespace hyla::engine
