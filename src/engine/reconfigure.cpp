#include "engine/reconfigure.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "engine/charts.h"
#include "engine/commutation.h"
#include "engine/configure.h"
#include "engine/island_errors.h"
#include "engine/islands.h"
#include "engine/select_states.h"

namespace hyla::engine {
namespace {

/// Gives run.flag_buffer: by equation.
void find_active(Run& run, const Cluster& cluster) {
  const Shape& shape = *cluster.shape;
  std::vector<std::uint8_t>& activities = run.activity_buffer;
  activities.resize(shape.activities.size());
  for (std::size_t i = 0; i < activities.size(); ++i) {
    const Object& object = run.world.objects[cluster.objects[shape.activities[i].object].index];
    const Index state = shape.activities[i].state;
    activities[i] = (state == kNone ? run.world.exists(object.self) : is_active(object, state)) ? 1 : 0;
  }
  std::vector<std::uint8_t>& active = run.flag_buffer;
  active.resize(shape.equations.size());
  for (std::size_t i = 0; i < active.size(); ++i) {
    const std::uint32_t activity = shape.equations[i].activity;
    active[i] = shape.equations[i].use == EquationUse::Run && (activity == kNone || activities[activity] != 0) ? 1 : 0;
  }
}

/// Counts a configuration, unless a run that was taken up again had come to it before.
void note_met(Run& run, const Shape& shape, const Configuration& configuration) {
  if (!shape.met.empty()) {
    const auto is_it = [&](const Configuration& one) { return &one == &configuration; };
    if (shape.met.contains(shape.configurations.flags_of(is_it))) return;
  }
  ++run.outcome.continuous.configurations;
}

// --- islands --------------------------------------------------------------------------------------

using Islands = std::vector<std::unique_ptr<Island>>;

/// How much of an island goes on in another plan.
enum class Kinship : std::uint8_t {
  None,
  States,     ///< its integrator
  Equations,  ///< its step, too
};

Kinship kinship(const IslandPlan& before, const IslandPlan& after) {
  if (before.reduced != after.reduced || before.states != after.states) return Kinship::None;
  if (before.equations == after.equations) return Kinship::Equations;
  return after.states.empty() ? Kinship::None : Kinship::States;
}

void take_over(Island& island, std::uint32_t number, IslandPlan& plan, Kinship kinship) {
  if (kinship != Kinship::Equations) {
    release(island);
    island.restart = true;
  }
  island.number = number;
  island.plan = &plan;
  island.system.rebind(plan);
  island.search = true;
  island.reselect = false;
}

/// Where every island finds its like at its own place, nothing moves. False: some do not.
bool exchange_in_place(Cluster& cluster, Configuration& next) {
  if (cluster.islands.size() != next.islands.size()) return false;
  for (std::uint32_t i = 0; i < next.islands.size(); ++i) {
    if (kinship(*cluster.islands[i]->plan, next.islands[i]) == Kinship::None) return false;
  }
  for (std::uint32_t i = 0; i < next.islands.size(); ++i) {
    Island& island = *cluster.islands[i];
    take_over(island, i, next.islands[i], kinship(*island.plan, next.islands[i]));
  }
  return true;
}

/// Out of a list: the island that has most in common with a plan; null if there is none.
std::unique_ptr<Island> take_relative(Islands& islands, const IslandPlan& plan, Kinship& found) {
  found = Kinship::None;
  std::size_t best = 0;
  for (std::size_t i = 0; i < islands.size() && found != Kinship::Equations; ++i) {
    const Kinship here = islands[i] ? kinship(*islands[i]->plan, plan) : Kinship::None;
    if (here <= found) continue;
    found = here;
    best = i;
  }
  return found == Kinship::None ? nullptr : std::move(islands[best]);
}

/// How long steps were, of islands with a state of the plan.
double time_scale_in(const Islands& islands, const IslandPlan& plan) {
  double result = 0;
  for (const std::unique_ptr<Island>& island : islands) {
    const bool shares =
        island && std::find_first_of(plan.states.begin(), plan.states.end(), island->plan->states.begin(),
                                     island->plan->states.end()) != plan.states.end();
    if (shares) result = std::max(result, island->time_scale);
  }
  return result;
}

/// Islands of the old configuration that go on unchanged in the new one keep their integrators and steps; those that
/// have the same states keep their integrators and start again, as do those that were in use before. If islands are
/// `regrouped`, the same motion goes on in others.
void exchange_islands(Run& run, Cluster& cluster, Configuration& next, bool regrouped) {
  constexpr std::size_t kMostIdle = 32;
  if (exchange_in_place(cluster, next)) return;
  Islands& before = run.island_buffer;
  before.clear();
  std::swap(before, cluster.islands);
  cluster.islands.reserve(next.islands.size());
  for (std::uint32_t i = 0; i < next.islands.size(); ++i) {
    IslandPlan& plan = next.islands[i];
    Kinship kin = Kinship::None;
    std::unique_ptr<Island> island = take_relative(before, plan, kin);
    const bool goes_on = island != nullptr;
    if (!island && (island = take_relative(cluster.idle, plan, kin))) {
      kin = Kinship::States;
      island->has_begun = false;
    }
    if (island) {
      take_over(*island, i, plan, kin);
    } else {
      island = std::make_unique<Island>(cluster, i, plan);
    }
    if (regrouped && !goes_on) island->time_scale = time_scale_in(before, plan);
    cluster.islands.push_back(std::move(island));
  }
  cluster.idle.erase(std::remove(cluster.idle.begin(), cluster.idle.end(), nullptr), cluster.idle.end());
  for (std::unique_ptr<Island>& island : before) {
    if (!island) continue;
    lay_aside(run, *island);
    if (!island->integrator) continue;
    if (cluster.idle.size() == kMostIdle) {
      add_work(run.outcome.continuous, *cluster.idle.front()->integrator);
      cluster.idle.erase(cluster.idle.begin());
    }
    cluster.idle.push_back(std::move(island));
  }
  before.clear();
}

}  // namespace

void load_constants(std::vector<double>& values, const std::vector<std::pair<std::uint32_t, double>>& constants) {
  for (const auto& [place, value] : constants) values[place] = value;
}

void load_constants(std::vector<double>& values, const Configuration& configuration) {
  load_constants(values, configuration.held.constants);
  for (const IslandPlan& plan : configuration.islands) load_constants(values, plan.evaluation.constants);
}

Configuration* unite(Shape& shape, TermTapes& tapes, Configuration& configuration, const IslandGroups& united) {
  if (configuration.united == united) return &configuration;
  std::vector<std::uint8_t> key =
      shape.configurations.flags_of([&](const Configuration& one) { return &one == &configuration; });
  key.resize(key.size() - configuration.united.size());
  std::vector<std::uint8_t> active = key;
  active.resize(shape.equations.size());
  key.insert(key.end(), united.begin(), united.end());
  if (Configuration* known = shape.configurations.find(key)) return known;
  return shape.configurations.add(key, configuration.reduction
                                           ? configure(configuration.reduction, tapes, configuration.demoted, united)
                                           : configure(shape, tapes, active, united));
}

bool reconfigure(Run& run, Cluster& cluster, bool settled) {
  Shape& shape = *cluster.shape;
  find_active(run, cluster);
  const std::vector<std::uint8_t>& active = run.flag_buffer;
  const bool is_same = cluster.configuration != nullptr && active == cluster.active_equations &&
                       cluster.configuration->united == cluster.united;
  if (is_same && !wants_selection(cluster)) {
    cluster.restructure = false;
    return true;
  }
  Configuration* known = shape.configurations.find(active);
  if (known == nullptr) known = shape.configurations.add(active, configure(shape, run.world.tapes, active));
  if (known->is_open) known = select_states(run, cluster, *known, active, settled);
  if (known == nullptr) return false;
  if (known->misfit.kind == Misfit::Kind::None) known = unite(shape, run.world.tapes, *known, cluster.united);
  if (!std::exchange(known->is_met, true)) note_met(run, shape, *known);
  if (known->misfit.kind != Misfit::Kind::None) {
    const bool is_left = settled && leave_combination(run, cluster, active, known->misfit.open);
    if (settled && !is_left) report_misfit(run, cluster, known->misfit);
    return false;
  }
  cluster.restructure = false;
  cluster.reselect = false;
  for (const std::unique_ptr<Island>& island : cluster.islands) island->reselect = false;
  if (known == cluster.configuration && active == cluster.active_equations) return true;
  cluster.rewatch = true;
  cluster.guards = nullptr;
  if (cluster.active_equations.empty()) cluster.active_equations.assign(active.size(), 0);
  for (std::size_t i = 0; i < active.size(); ++i) {
    if (active[i] == cluster.active_equations[i]) continue;
    const ShapeEquation& equation = shape.equations[i];
    for (std::uint32_t k = 0; k < equation.modes; ++k) cluster.fresh_modes[equation.first_mode + k] = 1;
  }
  // What has crossed zero is something else under other equations.
  std::fill(cluster.arrivals.begin(), cluster.arrivals.end(), std::numeric_limits<double>::quiet_NaN());
  const bool regrouped = cluster.configuration != nullptr && cluster.configuration->united != known->united;
  cluster.active_equations = active;
  cluster.configuration = known;
  cluster.values.resize(std::max<std::size_t>(cluster.values.size(), known->size));
  cluster.changed_places.resize(std::max<std::size_t>(cluster.changed_places.size(), known->shape->size));
  load_constants(cluster.values, *known);
  exchange_islands(run, cluster, *known, regrouped);
  // A motion along a surface may have ended with that.
  return known->united == cluster.united || reconfigure(run, cluster, settled);
}

void choose_guards(Run& run, Cluster& cluster) {
  Shape& shape = *cluster.shape;
  std::vector<std::uint8_t>& active = run.flag_buffer;
  active.resize(shape.conditions.size());
  for (std::size_t i = 0; i < active.size(); ++i) {
    const ShapeCondition& condition = shape.conditions[i];
    active[i] = run.object(cluster.objects[condition.object]).watches[condition.watch].active ? 1 : 0;
  }
  cluster.rewatch = false;
  if (cluster.guards != nullptr && active == cluster.active_conditions) return;
  if (cluster.active_conditions.empty()) cluster.active_conditions.assign(active.size(), 0);
  for (std::size_t i = 0; i < active.size(); ++i) {
    if (active[i] == 0 || cluster.active_conditions[i] != 0) continue;
    const ShapeCondition& condition = shape.conditions[i];
    for (std::uint32_t k = 0; k < condition.modes; ++k) cluster.fresh_modes[condition.first_mode + k] = 1;
  }
  Configuration& configuration = *cluster.configuration;
  GuardPlan* known = configuration.guards.find(active);
  if (known == nullptr) {
    known = configuration.guards.add(
        active, plan_guards(*configuration.shape, run.world.tapes, configuration, cluster.active_equations, active));
  }
  cluster.active_conditions = active;
  cluster.guards = known;
  cluster.values.resize(std::max<std::size_t>(cluster.values.size(), known->size));
  load_constants(cluster.values, known->constants);
  for (const std::unique_ptr<Island>& island : cluster.islands) island->search = true;
}

}  // namespace hyla::engine
