#include "engine/island_errors.h"

#include <algorithm>

#include <fmt/format.h>

namespace hyla::engine {
namespace {

const Object& object_of(const Run& run, const Cluster& cluster, std::uint32_t number) {
  return run.world.objects[cluster.objects[number].index];
}

std::string name_of(const Run& run, const Cluster& cluster, std::uint32_t variable) {
  const ShapeVariable& record = cluster.shape->variables[variable];
  std::string text = run.world.path(cluster.objects[record.object]);
  if (record.id) text += "." + std::string(run.world.model.name(run.world.model.variables[record.id].name));
  if (record.element != kNone) text += fmt::format("[{}]", record.element + 1);
  return text;
}

}  // namespace

void report_misfit(Run& run, const Cluster& cluster, const Misfit& misfit) {
  std::string message;
  switch (misfit.kind) {
    case Misfit::Kind::None:
      return;
    case Misfit::Kind::TwoDerivatives:
      message = fmt::format("`{}` has two active differential equations", name_of(run, cluster, misfit.variables[0]));
      break;
    case Misfit::Kind::TwoFormulas:
      message = fmt::format("`{}` is defined twice", name_of(run, cluster, misfit.variables[0]));
      break;
    case Misfit::Kind::TooMany:
      message = "there are more equations than unknowns in them";
      break;
    case Misfit::Kind::TooFew:
      message = fmt::format("nothing determines `{}`", name_of(run, cluster, misfit.variables[0]));
      break;
    case Misfit::Kind::Constrained:
      message = "equations constrain variables that are differentiated";
      break;
  }
  const ShapeEquation& first = cluster.shape->equations[misfit.equations.empty() ? 0 : misfit.equations[0]];
  fail(run, diag::Kind::RunFailed, object_of(run, cluster, first.object), first.span, message);
}

void report_loop(Run& run, const Cluster& cluster, const Loop& loop, solve::Solved status) {
  const ShapeEquation& first = cluster.shape->equations[loop.equations.front()];
  std::string names;
  for (const std::uint32_t variable : loop.variables) {
    names += fmt::format("{}`{}`", names.empty() ? "" : ", ", name_of(run, cluster, variable));
  }
  const char* what = status == solve::Solved::Singular ? "the equations depend on each other" : "no solution was found";
  fail(run, diag::Kind::RunFailed, object_of(run, cluster, first.object), first.span,
       fmt::format("a loop of equations for {} cannot be solved: {}", names, what));
}

void report_step(Run& run, Island& island, solve::StepStatus status) {
  const Cluster& cluster = island.cluster;
  double share = 0;
  const std::size_t worst = island.integrator->worst_variable(share);
  const std::uint32_t variable = island.plan->states[std::min(worst, island.plan->states.size() - 1)];
  const char* what = "";
  switch (status) {
    case solve::StepStatus::Good:
      return;
    case solve::StepStatus::Undefined:
      what = "the equations give no number";
      break;
    case solve::StepStatus::StepTooSmall:
      what = "the step size has become too small";
      break;
    case solve::StepStatus::SingularMatrix:
      what = "the matrix of the implicit method is singular";
      break;
    case solve::StepStatus::Failed:
      what = "an evaluation failed";
      break;
  }
  run.now = island.integrator->end();
  const ShapeVariable& record = cluster.shape->variables[variable];
  fail(run, diag::Kind::RunFailed, object_of(run, cluster, record.object),
       record.id ? run.world.model.variables[record.id].span : diag::Span{},
       fmt::format("{}, in `{}`", what, name_of(run, cluster, variable)));
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
