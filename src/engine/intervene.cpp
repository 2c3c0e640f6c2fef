#include "engine/intervene.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/islands.h"
#include "engine/watch.h"

namespace hyla::engine {
namespace {

bool contains(const std::vector<std::uint32_t>& numbers, std::uint32_t number) {
  return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}

/// Whether equations over time give the variable its value, other than by integrating it.
bool is_computed(const Cluster& cluster, std::uint32_t variable) {
  const Configuration* configuration = cluster.configuration;
  if (configuration == nullptr) return false;
  if (contains(configuration->held_outputs, variable)) return true;
  return std::any_of(configuration->islands.begin(), configuration->islands.end(), [&](const IslandPlan& island) {
    return contains(island.outputs, variable) && !contains(island.states, variable);
  });
}

bool is_computed(const Run& run, const Object& object, const RecordedPlace& place) {
  if (object.cluster == kNone) return false;
  const Cluster& cluster = *run.world.clusters[object.cluster];
  const std::vector<ShapeVariable>& variables = cluster.shape->variables;
  for (std::uint32_t i = 0; i < variables.size(); ++i) {
    const ShapeVariable& variable = variables[i];
    const bool is_it = variable.object == object.cluster_member && variable.slot == place.slot &&
                       variable.derivative_of == kNone &&
                       (variable.element == kNone || variable.element == place.element);
    if (is_it && is_computed(cluster, i)) return true;
  }
  return false;
}

/// Whether an active formula that is brought up to date at events defines the slot.
bool is_formula(const Object& object, std::uint32_t slot) {
  for (std::size_t i = 0; i < object.plan->watches.size(); ++i) {
    const PlanWatch& watch = object.plan->watches[i];
    if (watch.kind != PlanWatch::Kind::Formula || !object.watches[i].active) continue;
    if (object.plan->formulas[watch.owner].slot == slot) return true;
  }
  return false;
}

}  // namespace

void bring_up_to_date(Run& run, ObjectRef object) {
  const std::uint32_t cluster = run.object(object).cluster;
  if (cluster != kNone) synchronise(run, *run.world.clusters[cluster]);
}

std::string why_not_assigned(Run& run, const RecordedPlace& place) {
  if (!run.world.is_alive(place.object)) return "its object has gone";
  const Object& object = run.object(place.object);
  if (is_computed(run, object, place)) return "an equation computes it";
  if (is_formula(object, place.slot)) return "a formula defines it";
  for (const Link& link : run.world.links) {
    if (link.feeds(place.object, place.slot, place.element)) return "it comes through a connection";
  }
  return {};
}

void assign(Run& run, const RecordedPlace& place, Slot value) {
  bring_up_to_date(run, place.object);
  Object& object = run.object(place.object);
  Slot& slot = object.slots[place.slot];
  if (place.element == RecordedPlace::kScalar) {
    slot = value;
  } else {
    Box* const own = run.world.heap.copy(slot.box);
    own->slots()[place.element] = value;
    run.world.heap.release(slot.box);
    slot.box = own;
  }
  changed(run, object, place.slot);
}

}  // namespace hyla::engine
