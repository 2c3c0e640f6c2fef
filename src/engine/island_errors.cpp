#include "engine/island_errors.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/commutation.h"
#include "engine/find_undefined.h"
#include "engine/network_errors.h"
#include "engine/run_trouble.h"

namespace hyla::engine {
namespace {

/// A state of this size, with steps that shrink, is on its way to infinity.
constexpr double kHuge = 1e4;

std::string number_text(double value) { return fmt::format("{:.6g}", value); }

const char* plural(std::size_t count) { return count == 1 ? "" : "s"; }

RunTrouble new_trouble(const Cluster& cluster, diag::Kind kind, std::uint32_t object) {
  RunTrouble trouble;
  trouble.kind = kind;
  trouble.object = cluster.objects[object];
  trouble.since = cluster.since;
  return trouble;
}

/// Adds the equations, each with the state that brings it in; the last one first, since it is often the newest.
void add_equations(const Run& run, const Cluster& cluster, const std::vector<std::uint32_t>& equations,
                   RunTrouble& trouble) {
  for (auto number = equations.rbegin(); number != equations.rend(); ++number) {
    const ShapeEquation& equation = shape_of(cluster).equations[*number];
    const std::string rule = text_of(equation.rule);
    trouble.places.push_back({equation.span, rule.empty() ? activity_of(run, cluster, equation) : rule});
  }
}

// --- active equations that do not fit -------------------------------------------------------------

void tell_twice_defined(Run& run, const Cluster& cluster, const Misfit& misfit) {
  const std::uint32_t object = shape_of(cluster).equations[misfit.equations.back()].object;
  RunTrouble trouble = new_trouble(cluster, diag::Kind::TwiceDefined, object);
  const std::string name = name_of(run, cluster, misfit.variables[0], object);
  const bool is_derivative = misfit.kind == Misfit::Kind::TwoDerivatives;
  const auto is_hold = [&](std::uint32_t number) { return shape_of(cluster).equations[number].hold; };
  const bool is_held = std::any_of(misfit.equations.begin(), misfit.equations.end(), is_hold);
  trouble.message = is_held ? fmt::format("`{}` is held, and another active equation differentiates it", name)
                            : fmt::format("{} active equations define `{}`", misfit.equations.size(),
                                          is_derivative ? "der(" + name + ")" : name);
  add_equations(run, cluster, misfit.equations, trouble);
  trouble.hints.push_back("keep the states from being active together, or leave the variable to one of them");
  tell_trouble(run, trouble);
}

void tell_constrained(Run& run, const Cluster& cluster, const Misfit& misfit) {
  const std::uint32_t object = shape_of(cluster).equations[misfit.equations.back()].object;
  RunTrouble trouble = new_trouble(cluster, diag::Kind::ConstrainedStates, object);
  const std::size_t count = misfit.equations.size();
  const std::string names = list_of(run, cluster, misfit.variables, object);
  if (misfit.variables.empty()) {
    trouble.message = fmt::format("{} equation{} without an unknown", count, plural(count));
  } else {
    trouble.message =
        fmt::format("{} already follow{} from differential equations", names, misfit.variables.size() == 1 ? "s" : "");
  }
  add_equations(run, cluster, misfit.equations, trouble);
  trouble.hints.push_back("leave one of the equations out, or one of the values in them open");
  tell_trouble(run, trouble);
}

void tell_dependent(Run& run, const Cluster& cluster, const Misfit& misfit) {
  const std::uint32_t object = cluster.shape->equations[misfit.equations.back()].object;
  RunTrouble trouble = new_trouble(cluster, diag::Kind::ConstrainedStates, object);
  trouble.message = fmt::format("the constraints on {} do not determine any of them here",
                                list_of(run, cluster, misfit.variables, object));
  add_equations(run, cluster, misfit.equations, trouble);
  trouble.hints.push_back(
      "the equations say the same thing twice, or their factors are zero at these values: leave one of them out, or\n"
      "give the variables values (`:=`) at which each equation ties them together");
  tell_trouble(run, trouble);
}

void tell_wrong_number(Run& run, const Cluster& cluster, const Misfit& misfit) {
  const bool too_many = misfit.kind == Misfit::Kind::TooMany;
  const std::uint32_t object =
      misfit.equations.empty() ? 0 : shape_of(cluster).equations[misfit.equations.back()].object;
  const diag::Kind kind = too_many ? diag::Kind::Overdetermined : diag::Kind::Undetermined;
  RunTrouble trouble = new_trouble(cluster, kind, object);
  const std::size_t equations = misfit.equations.size(), unknowns = misfit.variables.size();
  trouble.message = fmt::format("{} equation{} for {} unknown{}: {}", equations, plural(equations), unknowns,
                                plural(unknowns), list_of(run, cluster, misfit.variables, object));
  add_equations(run, cluster, misfit.equations, trouble);
  const std::string hint = open_hint(run.world, cluster, too_many ? misfit.open : misfit.variables);
  if (too_many) {
    trouble.hints.push_back(surplus_hint(cluster, misfit.equations));
  } else {
    trouble.hints.push_back(hint.empty() ? "add an equation, or `hold` for a variable that keeps its value" : hint);
  }
  if (const std::string tried = names_of_tried(run, cluster); !tried.empty()) {
    trouble.hints.push_back(fmt::format("no states of {} give equations that can be solved", tried));
  }
  if (too_many && !misfit.open.empty()) {
    trouble.blame = {fmt::format("beside it, nothing determines {}", list_of(run, cluster, misfit.open, object)), {}};
  }
  tell_trouble(run, trouble);
}

/// Surplus equations between zeros only show that something else is left open.
Misfit left_open(const Misfit& misfit) { return {Misfit::Kind::TooFew, misfit.open_equations, misfit.open, {}, {}}; }

// --- loops ----------------------------------------------------------------------------------------

/// The part of a loop by the loop's number.
const EvaluationPart& loop_part(const std::vector<EvaluationPart>& parts, std::uint32_t loop) {
  const auto found =
      std::find_if(parts.begin(), parts.end(), [&](const EvaluationPart& part) { return part.is_loop && loop-- == 0; });
  return *found;
}

void tell_loop(Run& run, const Cluster& cluster, const EvaluationPart& part, const Loop& loop,
               const Evaluated& evaluated, const solve::Integrator* integrator) {
  const bool singular = evaluated.loop_status == solve::Solved::Singular;
  const ShapeEquation& first = shape_of(cluster).equations[loop.equations.front()];
  RunTrouble trouble = new_trouble(cluster, singular ? diag::Kind::SingularLoop : diag::Kind::NoSolution, first.object);
  const std::string names = list_of(run, cluster, loop.variables, first.object);
  if (!singular) {
    trouble.message = fmt::format("no solution was found for {}", names);
  } else if (loop.equations.size() == 1) {
    trouble.message = fmt::format("the equation for {} is singular: it does not determine it", names);
  } else {
    trouble.message = fmt::format("the equations for {} are singular: they do not determine them", names);
  }
  for (const std::uint32_t number : loop.equations) {
    const ShapeEquation& equation = shape_of(cluster).equations[number];
    trouble.places.push_back({equation.span, trouble.places.empty() ? fmt::format("solved for {}", names)
                                                                    : "to be solved together with it"});
  }
  const std::size_t worst = std::min(cluster.solver.worst(), part.tears.size() - 1);
  for (const std::uint32_t variable : loop.variables) {
    const ShapeVariable& record = shape_of(cluster).variables[variable];
    if (record.value != part.tears[worst] && record.derivative != part.tears[worst]) continue;
    const std::string name = name_of(run, cluster, variable);
    const double value = cluster.values[part.tears[worst]];
    trouble.blame = {singular ? fmt::format("`{}`, which is left open", name)
                              : fmt::format("`{}` = {} at the last attempt", name, number_text(value)),
                     {}};
  }
  trouble.solver = {integrator, loop.linear, evaluated.iterations, false};
  trouble.hints.push_back(
      singular ? "the equations say the same thing twice, or contradict each other: look at the factors of the unknowns"
               : "the solution may end here; if not, a start value (`:=`) close to it helps");
  tell_trouble(run, trouble);
}

/// Variables of joined plugs that singular equations leave open, with the joins between them.
void tell_open(Run& run, const Cluster& cluster, const std::vector<std::uint32_t>& open, const std::string& hint) {
  const Shape& shape = shape_of(cluster);
  const std::uint32_t object = shape.variables[open[0]].object;
  RunTrouble trouble = new_trouble(cluster, diag::Kind::SingularLoop, object);
  trouble.message =
      fmt::format("the equations do not determine {}: they can change together", list_of(run, cluster, open, object));
  for (const ShapeEquation& equation : shape.equations) {
    const bool concerns = std::any_of(open.begin(), open.end(), [&](std::uint32_t variable) {
      const At place = shape.variables[variable].value;
      return std::find(equation.operands.begin(), equation.operands.end(), place) != equation.operands.end();
    });
    if (concerns && equation.rule != PlugRule::None) trouble.places.push_back({equation.span, text_of(equation.rule)});
  }
  trouble.hints.push_back(hint);
  tell_trouble(run, trouble);
}

/// The first variable of a loop that is no Real number; kNone: there is none.
std::uint32_t find_whole(const Cluster& cluster, const std::vector<std::uint32_t>& variables) {
  const auto found = std::find_if(variables.begin(), variables.end(), [&](std::uint32_t variable) {
    return shape_of(cluster).variables[variable].type != model::TypeKind::Real;
  });
  return found == variables.end() ? kNone : *found;
}

/// A circle of formulas for whole numbers or truth values: there is no iteration for these.
void tell_circle(Run& run, const Cluster& cluster, const EvaluationPart& part) {
  std::vector<std::uint32_t> equations = part.residuals;
  for (const EvaluationPart::Step& step : part.steps) equations.push_back(step.equation);
  std::sort(equations.begin(), equations.end());
  const std::uint32_t object = shape_of(cluster).equations[equations.front()].object;
  RunTrouble trouble = new_trouble(cluster, diag::Kind::FormulaCircle, object);
  trouble.message = "formulas define each other in a circle and do not come to rest";
  for (const std::uint32_t number : equations) {
    const diag::Span span = shape_of(cluster).equations[number].span;
    const auto is_there = [&](const RunTrouble::Place& place) { return place.span == span; };
    if (std::any_of(trouble.places.begin(), trouble.places.end(), is_there)) continue;
    trouble.places.push_back({span, "part of the circle"});
  }
  const std::uint32_t whole = find_whole(cluster, part.variables);
  trouble.blame = {fmt::format("`{}`, which is no Real number", name_of(run, cluster, whole)), {}};
  trouble.hints.push_back("compute one of the values at an event, or make all of them Real: then they are solved");
  tell_trouble(run, trouble);
}

/// Whether the loops of the parts gave whole numbers where they must; a report if not.
bool loops_are_whole(Run& run, const Cluster& cluster, const std::vector<EvaluationPart>& parts) {
  for (const EvaluationPart& part : parts) {
    if (!part.is_loop || find_whole(cluster, part.variables) == kNone) continue;
    for (const std::uint32_t variable : part.variables) {
      const ShapeVariable& record = shape_of(cluster).variables[variable];
      const double value = cluster.values[record.value];
      if (record.type == model::TypeKind::Real || std::abs(value - std::round(value)) < 1e-6) continue;
      tell_circle(run, cluster, part);
      return false;
    }
  }
  return true;
}

// --- no number ------------------------------------------------------------------------------------

std::string undefined_hint(const UndefinedOperation& undefined, bool in_step) {
  if (undefined.is_index) return "keep the index inside the array";
  switch (undefined.op) {
    case code::NodeOp::Divide:
    case code::NodeOp::Mod:
      return "choose another equation where the divisor is zero";
    case code::NodeOp::Sqrt:
    case code::NodeOp::Log:
    case code::NodeOp::Log2:
    case code::NodeOp::Log10:
    case code::NodeOp::Log1p:
    case code::NodeOp::Power:
    case code::NodeOp::Asin:
    case code::NodeOp::Acos:
    case code::NodeOp::Acosh:
    case code::NodeOp::Atanh:
      break;
    default:
      return "keep the quantity in its range";
  }
  if (!in_step) return "keep the operand in its range, as in `noevent(max(x, 0))`";
  return "leave the state at the boundary by a `when`, and run with `--events one_sided`, which does not step beyond\n"
         "it; or keep the operand in its range, as in `noevent(max(x, 0))`";
}

void tell_undefined(Run& run, const Cluster& cluster, const UndefinedOperation& undefined,
                    const solve::Integrator* integrator) {
  const ShapeEquation& equation = shape_of(cluster).equations[undefined.equation];
  RunTrouble trouble = new_trouble(cluster, diag::Kind::UndefinedValue, equation.object);
  trouble.message = undefined.text.empty()
                        ? fmt::format("an equation gives no number: {}", reason_of(undefined))
                        : fmt::format("`{}` gives no number: {}", undefined.text, reason_of(undefined));
  std::string values;
  for (const auto& [name, value] : undefined.operands) {
    values += fmt::format("{}`{}` = {}", values.empty() ? "" : ", ", name, number_text(value));
  }
  trouble.places.push_back({equation.span, values});
  if (undefined.variable != kNone) {
    const bool is_derivative = equation.form == model::EquationForm::Derivative;
    trouble.blame = {fmt::format("`{}`, which has no {}", name_of(run, cluster, undefined.variable),
                                 is_derivative ? "derivative" : "value"),
                     {}};
  }
  if (integrator != nullptr) trouble.solver = {integrator, false, 0, false};
  trouble.hints.push_back(undefined_hint(undefined, integrator != nullptr));
  tell_trouble(run, trouble);
}

// --- steps ----------------------------------------------------------------------------------------

/// The equation that gives the derivative of a state.
std::uint32_t derivative_equation(const Cluster& cluster, const IslandPlan& plan, std::uint32_t state) {
  const At derivative = shape_of(cluster).variables[state].derivative;
  for (const EvaluationPart& part : plan.parts) {
    for (const EvaluationPart::Step& step : part.steps) {
      if (step.unknown == derivative) return step.equation;
    }
    for (std::size_t i = 0; i < part.tears.size(); ++i) {
      if (part.tears[i] == derivative) return part.residuals[i];
    }
  }
  return plan.equations.front();
}

const char* message_of(solve::StepStatus status) {
  switch (status) {
    case solve::StepStatus::Good:
      break;
    case solve::StepStatus::Undefined:
      return "the equations give no number";
    case solve::StepStatus::StepTooSmall:
      return "the error stays too large, however small the step";
    case solve::StepStatus::SingularMatrix:
      return "the matrix of the implicit method stays singular, however small the step";
    case solve::StepStatus::Failed:
      return "the solver cannot go on";
  }
  return "";
}

void tell_step(Run& run, Island& island, solve::StepStatus status) {
  const Cluster& cluster = island.cluster;
  double share = 0;
  const std::size_t worst = std::min(island.integrator->worst_variable(share), island.plan->states.size() - 1);
  const std::uint32_t variable = island.plan->states[worst];
  const ShapeVariable& record = shape_of(cluster).variables[variable];
  const ShapeEquation& equation = shape_of(cluster).equations[derivative_equation(cluster, *island.plan, variable)];
  RunTrouble trouble = new_trouble(cluster, diag::Kind::StepTooSmall, record.object);
  trouble.message = message_of(status);
  const std::string name = name_of(run, cluster, variable, equation.object);
  const double value = cluster.values[record.value];
  trouble.places.push_back({equation.span, fmt::format("`{}` = {}, `der({})` = {}", name, number_text(value), name,
                                                       number_text(cluster.values[record.derivative]))});
  std::string blame = fmt::format("`{}`", name_of(run, cluster, variable));
  if (share > 0) blame += fmt::format(" carries {:.0f} % of the error norm", 100 * share);
  trouble.blame = {blame, equation.span};
  trouble.solver = {island.integrator.get(), false, 0, status == solve::StepStatus::SingularMatrix};
  trouble.hints.push_back(std::abs(value) > kHuge
                              ? fmt::format("`{}` seems to leave for infinity here", name)
                              : "an equation that jumps needs a relation (`if`, not `noevent`) at the jump; a steep\n"
                                "one a larger `--tolerance`, or `--solver rosenbrock`");
  tell_trouble(run, trouble);
}

}  // namespace

void report_misfit(Run& run, const Cluster& cluster, const Misfit& misfit) {
  switch (misfit.kind) {
    case Misfit::Kind::None:
    case Misfit::Kind::NotDifferentiated:  // of starts only
    case Misfit::Kind::Ambiguous:
      return;
    case Misfit::Kind::TwoDerivatives:
    case Misfit::Kind::TwoFormulas:
      return tell_twice_defined(run, cluster, misfit);
    case Misfit::Kind::TooMany:
      if (!misfit.open.empty() && is_idle(cluster, misfit)) return tell_wrong_number(run, cluster, left_open(misfit));
      return tell_wrong_number(run, cluster, misfit);
    case Misfit::Kind::TooFew:
      return tell_wrong_number(run, cluster, misfit);
    case Misfit::Kind::Constrained:
      return tell_constrained(run, cluster, misfit);
    case Misfit::Kind::Dependent:
      return tell_dependent(run, cluster, misfit);
  }
}

void report_contradiction(Run& run, const Cluster& cluster, const Contradiction& contradiction) {
  const std::uint32_t object = cluster.shape->equations[contradiction.equations.back()].object;
  RunTrouble trouble = new_trouble(cluster, diag::Kind::ConstrainedStates, object);
  std::vector<std::uint32_t> variables = contradiction.others;
  variables.push_back(contradiction.variable);
  std::sort(variables.begin(), variables.end());
  const std::string names = list_of(run, cluster, variables, object);
  const std::string name = name_of(run, cluster, contradiction.variable, object);
  const std::string others = list_of(run, cluster, contradiction.others, object);
  const bool is_one = contradiction.others.size() == 1;
  trouble.message = fmt::format("the values of {} contradict the equations between them", names);
  add_equations(run, cluster, contradiction.equations, trouble);
  const std::string no_jump =
      contradiction.no_jump.empty() ? "" : fmt::format("; they would have to jump, but {}", contradiction.no_jump);
  trouble.blame = {fmt::format("`{}` = {}, but {} would follow from the others{}", name,
                               number_text(contradiction.kept), number_text(contradiction.needed), no_jump),
                   {}};
  const bool is_start = run.now <= run.options.start_time;
  trouble.hints.push_back(
      others.empty() ? fmt::format("the equations alone determine `{}`: {}", name,
                                   is_start ? "give it no value (no `:=`), or begin with other equations"
                                            : "assign what they ask for, or let other equations become active")
      : is_start
          ? fmt::format("choose start values that satisfy the equations, or none (no `:=`) for one that follows from\n"
                        "the others: `{}` follows if {} {} given",
                        name, others, is_one ? "is" : "are")
          : fmt::format("assign values that satisfy the equations when they become active: `{}` follows if {} {}\n"
                        "assigned and it is not",
                        name, others, is_one ? "is" : "are"));
  tell_trouble(run, trouble);
}

void report_loop(Run& run, Cluster& cluster, const std::vector<EvaluationPart>& parts, const Evaluation& evaluation,
                 const Evaluated& evaluated, const solve::Integrator* integrator) {
  const EvaluationPart& part = loop_part(parts, evaluated.loop);
  if (evaluated.loop_status == solve::Solved::Undefined) {
    const UndefinedOperation undefined = find_undefined(run, cluster, {part});
    if (undefined.equation != kNone) return tell_undefined(run, cluster, undefined, integrator);
  }
  if (find_whole(cluster, part.variables) != kNone) return tell_circle(run, cluster, part);
  if (evaluated.loop_status == solve::Solved::Singular) {
    const std::vector<std::uint32_t> open = open_variables(cluster);
    const std::string hint = open_hint(run.world, cluster, open);
    if (!hint.empty()) return tell_open(run, cluster, open, hint);
  }
  tell_loop(run, cluster, part, evaluation.loops[evaluated.loop], evaluated, integrator);
}

void report_undecided(Run& run, const Cluster& cluster, const std::vector<double>& before) {
  RunTrouble trouble = new_trouble(cluster, diag::Kind::UndecidedRelations, 0);
  trouble.message = "relations in equations switch each other without end";
  std::vector<std::uint32_t> told;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const ShapeMode& mode = cluster.shape->modes[i];
    if (mode.equation == kNone || cluster.values[mode.value] == before[i]) continue;
    if (std::find(told.begin(), told.end(), mode.equation) != told.end()) continue;
    told.push_back(mode.equation);
    const ShapeEquation& equation = shape_of(cluster).equations[mode.equation];
    if (trouble.places.empty()) trouble.object = cluster.objects[equation.object];
    trouble.places.push_back({equation.span, "its relation goes to and fro"});
  }
  trouble.hints.push_back(
      "a relation must not deny itself: let a state decide instead, with a gap between switching on and off");
  tell_trouble(run, trouble);
}

void report_step(Run& run, Island& island, solve::StepStatus status) {
  if (status == solve::StepStatus::Good) return;
  run.now = island.integrator->end();
  run.machine.time = run.now;
  Cluster& cluster = island.cluster;
  const IslandSystem::Undefined& undefined = island.system.undefined();
  if (undefined.is_last && status != solve::StepStatus::Failed) {
    const Evaluated evaluated = undefined.evaluated;
    if (!evaluated.good()) {
      return report_loop(run, cluster, island.plan->parts, island.plan->evaluation, evaluated, island.integrator.get());
    }
    island.system.place(undefined.time, undefined.state.data());
    const UndefinedOperation found = find_undefined(run, cluster, island.plan->parts);
    if (found.equation != kNone) return tell_undefined(run, cluster, found, island.integrator.get());
  }
  island.system.place(run.now, island.integrator->state());
  tell_step(run, island, status);
}

bool values_are_numbers(Run& run, Cluster& cluster) {
  const auto is_finite = [&](std::uint32_t variable) {
    return std::isfinite(cluster.values[shape_of(cluster).variables[variable].value]);
  };
  const auto look = [&](const std::vector<std::uint32_t>& outputs, const std::vector<EvaluationPart>& parts) {
    if (std::all_of(outputs.begin(), outputs.end(), is_finite)) return true;
    const UndefinedOperation found = find_undefined(run, cluster, parts);
    if (found.equation == kNone) return true;  // infinity is a number that a model may give
    tell_undefined(run, cluster, found, nullptr);
    return false;
  };
  if (!look(cluster.configuration->held_outputs, cluster.configuration->held_parts)) return false;
  if (!loops_are_whole(run, cluster, cluster.configuration->held_parts)) return false;
  return std::all_of(cluster.islands.begin(), cluster.islands.end(), [&](const std::unique_ptr<Island>& island) {
    return !island->restart || look(island->plan->outputs, island->plan->parts);
  });
}

void add_work(ContinuousWork& work, const solve::Integrator& integrator) {
  const solve::Work& done = integrator.work();
  work.steps += done.steps;
  work.rejected += done.rejected;
  work.evaluations += done.evaluations;
  work.jacobians += done.jacobians;
  work.factorisations += done.factorisations;
  work.to_stiff += done.to_stiff;
  work.to_nonstiff += done.to_nonstiff;
  if (std::find(work.methods.begin(), work.methods.end(), integrator.method_now()) == work.methods.end()) {
    work.methods.push_back(integrator.method_now());
  }
}

}  // namespace hyla::engine
