#include "engine/run_trouble.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"

namespace hyla::engine {
namespace {

constexpr std::size_t kMostNamed = 5;    ///< variables in a list
constexpr std::size_t kMostPlaces = 12;  ///< equations in a report

std::string where(const Run& run, ObjectRef object) {
  std::string text = fmt::format("`{}` at t = {}", run.world.path(object), base::format_number(run.now));
  const std::vector<std::string> states = run.world.active_states(object);
  if (!states.empty()) text += fmt::format(", in state{} {}", states.size() > 1 ? "s" : "", fmt::join(states, ", "));
  return text;
}

/// Adds the line `since`.
void add_since(const Run& run, const Happening& since, diag::Sink::Entry& entry) {
  const model::Model& model = run.world.model;
  if (std::isnan(since.time)) {
    entry.part("since", fmt::format("the start at t = {}", base::format_number(run.options.start_time)));
    return;
  }
  std::string what = "a relation that switched in an equation";
  diag::Span span = since.relation;
  if (since.reaction) {
    const model::Reaction& reaction = model.reactions[since.reaction];
    const bool is_transition = reaction.target.kind != model::TargetKind::None;
    what = reaction.label  ? fmt::format("`{}`", model.name(reaction.label))
           : is_transition ? "a transition"
                           : "a reaction";
    span = reaction.span;
  } else if (since.process) {
    what = fmt::format("process `{}`", model.name(model.processes[since.process].name));
    span = model.processes[since.process].span;
  } else if (since.atomic) {
    what = fmt::format("atomic `{}`", model.name(model.classes[since.atomic].name));
    span = model.classes[since.atomic].span;
  }
  entry.part(
      "since",
      fmt::format("{} of `{}` at t = {}", what, run.world.former_path(since.object), base::format_number(since.time)),
      span);
}

/// Order of convergence; 0 where it changes from step to step.
int order_of(solve::Method method) {
  switch (method) {
    case solve::Method::Euler:
      return 1;
    case solve::Method::Rk4:
      return 4;
    case solve::Method::Rk45:
    case solve::Method::Rosenbrock:
      return 5;
    case solve::Method::Rk8:
      return 8;
    case solve::Method::Auto:
    case solve::Method::CvodeAdams:
    case solve::Method::CvodeBdf:
    case solve::Method::ArkodeErk:
    case solve::Method::ArkodeDirk:
    case solve::Method::Ida:
      return 0;
  }
  return 0;
}

std::string describe(const RunTrouble::Solver& solver) {
  std::string text;
  if (solver.integrator != nullptr) {
    const solve::Method method = solver.integrator->method_now();
    const solve::Work& work = solver.integrator->work();
    text = solve::name_of(method);
    if (order_of(method) > 0) text += fmt::format(" of order {}", order_of(method));
    text += fmt::format(", h = {:.2g}, {} step{} taken and {} rejected", solver.integrator->next_step(), work.steps,
                        work.steps == 1 ? "" : "s", work.rejected);
  }
  if (solver.singular_matrix) text += ", matrix singular";
  const std::string between = text.empty() ? "" : ", ";
  if (solver.linear_loop) return text + between + "linear equations, solved directly";
  if (solver.iterations > 0 || solver.integrator == nullptr) {
    text +=
        fmt::format("{}Newton's method, {} iteration{}", between, solver.iterations, solver.iterations == 1 ? "" : "s");
  }
  return text;
}

}  // namespace

void tell_trouble(Run& run, const RunTrouble& trouble) {
  if (run.over) return;
  run.over = true;
  run.outcome.ending = Ending::Failed;
  const Object& object = run.object(trouble.object);
  const diag::Span fallback = run.world.model.classes[object.object_class].span;
  const bool has_place = !trouble.places.empty() && trouble.places.front().span.file;
  diag::Sink::Entry entry =
      run.sink.report(trouble.kind, has_place ? trouble.places.front().span : fallback, trouble.message);
  if (has_place) entry.text(trouble.places.front().text);
  for (std::size_t i = 1; i < std::min(trouble.places.size(), kMostPlaces); ++i) {
    if (trouble.places[i].span.file) entry.label(trouble.places[i].span, trouble.places[i].text);
  }
  entry.part("where", where(run, trouble.object));
  if (trouble.blame) entry.part("blame", trouble.blame->text, trouble.blame->span);
  add_since(run, trouble.since, entry);
  if (trouble.solver) entry.part("solver", describe(*trouble.solver));
  for (const std::string& hint : trouble.hints) entry.hint(hint);
}

std::string name_of(const Run& run, const Cluster& cluster, std::uint32_t variable) {
  return name_of(run, cluster, variable, kNone);
}

std::string name_of(const Run& run, const Cluster& cluster, std::uint32_t variable, std::uint32_t seen_from) {
  const ShapeVariable& record = shape_of(cluster).variables[variable];
  if (record.derivative_of != kNone) return "der(" + name_of(run, cluster, record.derivative_of, seen_from) + ")";
  std::string text = run.world.path(cluster.objects[record.object]);
  if (seen_from != kNone) {
    const std::string own = run.world.path(cluster.objects[seen_from]);
    if (text == own) {
      text.clear();
    } else if (text.starts_with(own + ".")) {
      text.erase(0, own.size() + 1);
    }
  }
  if (record.id) {
    text += text.empty() ? "" : ".";
    text += run.world.model.name(run.world.model.variables[record.id].name);
  }
  if (record.element != kNone) text += fmt::format("[{}]", record.element + 1);
  return text;
}

std::string list_of(const Run& run, const Cluster& cluster, const std::vector<std::uint32_t>& variables,
                    std::uint32_t seen_from) {
  std::string text;
  const std::size_t named = variables.size() > kMostNamed ? kMostNamed - 1 : variables.size();
  for (std::size_t i = 0; i < named; ++i) {
    const bool is_last = i + 1 == variables.size();
    if (i > 0) text += is_last ? " and " : ", ";
    text += fmt::format("`{}`", name_of(run, cluster, variables[i], seen_from));
  }
  if (named < variables.size()) text += fmt::format(" and {} others", variables.size() - named);
  return text;
}

std::string activity_of(const Run& run, const Cluster& cluster, const ShapeEquation& equation) {
  if (equation.activity == kNone) return "always active";
  const Activity& activity = cluster.shape->activities[equation.activity];
  const Object& object = run.world.object(cluster.objects[activity.object]);
  return fmt::format("active in state {}", run.world.state_path(object.plan->states[activity.state].id));
}

}  // namespace hyla::engine
