#include "engine/definitions.h"

#include <fmt/format.h>

#include "engine/run_trouble.h"

namespace hyla::engine {
namespace {

RunTrouble::Place place_of(const Run& run, const Object& object, const PlanWatch& watch) {
  const PlanFormula& formula = object.plan->formulas[watch.owner];
  const model::Model& model = run.world.model;
  const diag::Span span =
      formula.equation ? model.equations[formula.equation].span : model.variables[formula.variable].span;
  if (watch.state == kNone) return {span, "always active"};
  return {span, fmt::format("active in state {}", run.world.state_path(object.plan->states[watch.state].id))};
}

/// Whether a formula is active outside clusters and defines the same variable as another one.
bool defines(const Object& object, Index index, const PlanFormula& other) {
  const PlanWatch& watch = object.plan->watches[index];
  if (watch.kind != PlanWatch::Kind::Formula || !object.watches[index].active) return false;
  const PlanFormula& formula = object.plan->formulas[watch.owner];
  return formula.slot == other.slot && formula.shares_variable && !object.watches[index].in_cluster;
}

/// All active formulas for the variable of one of them.
void check(Run& run, const Object& object, Index index) {
  const Plan& plan = *object.plan;
  const PlanFormula& own = plan.formulas[plan.watches[index].owner];
  std::vector<Index> others;
  for (Index other = 0; other < plan.watches.size(); ++other) {
    if (other != index && defines(object, other, own)) others.push_back(other);
  }
  if (others.empty()) return;
  RunTrouble trouble;
  trouble.places.push_back(place_of(run, object, plan.watches[index]));
  for (const Index other : others) trouble.places.push_back(place_of(run, object, plan.watches[other]));
  trouble.kind = diag::Kind::TwiceDefined;
  trouble.message = fmt::format("{} active equations define `{}`", trouble.places.size(),
                                run.world.model.name(run.world.model.variables[own.variable].name));
  trouble.object = object.self;
  trouble.since = run.happening;
  trouble.hints.emplace_back("keep the states from being active together, or leave the variable to one of them");
  tell_trouble(run, trouble);
}

}  // namespace

void check_definitions(Run& run) {
  for (const Dirty& fresh : run.fresh_definitions) {
    if (run.over) break;
    if (!run.world.is_alive(fresh.object)) continue;
    const Object& object = run.object(fresh.object);
    const WatchState& watch = object.watches[fresh.index];
    if (watch.active && !watch.in_cluster) check(run, object, fresh.index);  // clusters see for themselves
  }
  run.fresh_definitions.clear();
}

}  // namespace hyla::engine
