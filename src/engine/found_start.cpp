#include "engine/found_start.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "engine/initial_plan.h"
#include "engine/initial_start.h"
#include "engine/islands.h"

namespace hyla::engine {
namespace {

/// The first equation of `initial` in the system of the start; null: there is none.
const ShapeEquation* first_initial(const Shape& shape, const std::vector<std::uint8_t>& active) {
  for (std::size_t i = 0; i < active.size(); ++i) {
    if (active[i] != 0 && shape.equations[i].use == EquationUse::Initial) return &shape.equations[i];
  }
  return nullptr;
}

void tell_disagreement(Run& run, const Cluster& cluster) {
  const ShapeEquation* equation = first_initial(*cluster.shape, cluster.start->active);
  const Object& object = run.object(cluster.objects[equation->object]);
  warn(run, diag::Kind::LeavesRange, object, equation->span,
       "whatever states the start is computed for, a condition holds then that leaves them",
       "the run begins with the values that belong to the states in which the charts begin");
}

}  // namespace

void note_found(Run& run, Cluster& cluster, const StartPlan& plan) {
  if (!run.is_starting || run.now > run.options.start_time || first_initial(*cluster.shape, plan.active) == nullptr) {
    return;
  }
  if (!cluster.found_start) {
    cluster.found_start = std::make_shared<FoundStart>();
    for (std::uint32_t i = 0; i < cluster.shape->variables.size(); ++i) {
      const ShapeVariable& variable = cluster.shape->variables[i];
      const bool is_free = variable.start == StartRole::Free && plan.unknown_at[variable.value] != 0;
      if (is_free) cluster.found_start->first.emplace_back(i, cluster.values[variable.value]);
    }
    for (const ObjectRef object : cluster.objects) {
      const auto entered = run.entered.find(object.index);
      if (entered != run.entered.end()) cluster.found_start->entered.push_back({object, entered->second});
    }
  }
  cluster.found_start->met.push_back(cluster.active_equations);
}

void repeat_start(Run& run, Cluster& cluster) {
  if (!run.is_starting || run.now > run.options.start_time) {
    cluster.found_start.reset();
    return;
  }
  const FoundStart& found = *cluster.found_start;
  if (cluster.active_equations == found.met.back()) return;
  if (std::find(found.met.begin(), found.met.end(), cluster.active_equations) == found.met.end()) {
    for (const FoundStart::Entered& one : found.entered) {
      for (const Index state : one.states) note_entered(run, run.object(one.object), state);
    }
    return;
  }
  for (const auto& [variable, value] : found.first) {
    const At place = cluster.shape->variables[variable].value;
    cluster.values[place] = value;
    cluster.changed_places[place] = 1;
    publish_value(run, cluster, variable, true);
  }
  tell_disagreement(run, cluster);
  cluster.found_start.reset();
}

}  // namespace hyla::engine
