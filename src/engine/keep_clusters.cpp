// Clusters and their islands as bytes. Configurations and guards are named by their flags and found or made again.
#include <memory>
#include <utility>

#include "engine/configure.h"
#include "engine/island.h"
#include "engine/keeper.h"
#include "engine/tolerances.h"

namespace hyla::engine {

void Keeper::keep_clusters() {
  if (!same_count(world_.clusters.size())) return;
  for (const std::unique_ptr<Cluster>& cluster : world_.clusters) keep_cluster(*cluster);
}

void Keeper::keep_cluster(Cluster& cluster) {
  const Shape& shape = *cluster.shape;
  std::vector<ObjectRef> objects = cluster.objects;
  archive_(objects);
  archive_.expect(objects.size() == cluster.objects.size());
  for (std::size_t i = 0; i < objects.size() && !archive_.failed(); ++i) {
    archive_.expect(objects[i].index == cluster.objects[i].index);
  }
  const bool same = same_count(shape.variables.size()) && same_count(shape.equations.size()) &&
                    same_count(shape.conditions.size()) && same_count(shape.modes.size());
  if (!same) return;
  cluster.objects = objects;
  keep_configuration(cluster, cluster.configuration, cluster.active_equations);
  keep_guards(cluster, cluster.configuration, cluster.guards, cluster.active_conditions);
  archive_(cluster.values, cluster.fresh_modes, cluster.changed_places, cluster.held_modes, cluster.bands,
           cluster.arrivals, cluster.momentary, cluster.waiting, cluster.watcher);
  archive_(cluster.synchronised, cluster.restructure, cluster.rewatch, cluster.touched, cluster.only_crossed,
           cluster.rounds, cluster.undecided, cluster.in_touched_list, cluster.since, cluster.assigned,
           cluster.reselect);
  const std::size_t modes = shape.modes.size() + 1;
  archive_.expect(cluster.configuration == nullptr ||
                  (cluster.guards != nullptr && cluster.values.size() >= cluster.configuration->size &&
                   cluster.values.size() >= cluster.guards->size && cluster.fresh_modes.size() == modes &&
                   cluster.bands.size() == modes && cluster.arrivals.size() == modes &&
                   cluster.changed_places.size() >= shape.size));
  if (archive_.failed()) return;
  if (cluster.configuration != nullptr) keep_islands(cluster);
  keep_idle(cluster);
  keep_track(cluster);
}

void Keeper::keep_configuration(Cluster& cluster, Configuration*& configuration, std::vector<std::uint8_t>& flags) {
  Shape& shape = *cluster.shape;
  bool is_there = configuration != nullptr;
  archive_(is_there, flags);
  if (!reads()) return;
  configuration = nullptr;
  archive_.expect(!is_there || flags.size() == shape.equations.size());
  if (!is_there || archive_.failed()) return;
  configuration = shape.configurations.find(flags);
  if (configuration == nullptr) {
    configuration = shape.configurations.add(flags, configure(shape, *world_.tapes, flags));
  }
  configuration->is_met = true;
  archive_.expect(!configuration->is_open && configuration->misfit.kind == Misfit::Kind::None);
  if (archive_.failed()) configuration = nullptr;
}

void Keeper::keep_guards(Cluster& cluster, Configuration* configuration, GuardPlan*& guards,
                         std::vector<std::uint8_t>& flags) {
  bool is_there = guards != nullptr;
  archive_(is_there, flags);
  if (!reads()) return;
  guards = nullptr;
  archive_.expect(!is_there || (configuration != nullptr && flags.size() == cluster.shape->conditions.size()));
  if (!is_there || archive_.failed()) return;
  guards = configuration->guards.find(flags);
  if (guards != nullptr) return;
  const std::vector<std::uint8_t> equations =
      cluster.shape->configurations.flags_of([&](const Configuration& one) { return &one == configuration; });
  guards = configuration->guards.add(
      flags, plan_guards(*configuration->shape, *world_.tapes, *configuration, equations, flags));
}

// --- islands --------------------------------------------------------------------------------------

void Keeper::keep_islands(Cluster& cluster) {
  std::vector<IslandPlan>& plans = cluster.configuration->islands;
  if (!same_count(plans.size())) return;
  if (reads()) cluster.islands.clear();
  for (std::uint32_t i = 0; i < plans.size() && !archive_.failed(); ++i) {
    if (reads()) cluster.islands.push_back(std::make_unique<Island>(cluster, i, plans[i]));
    Island& island = *cluster.islands[i];
    keep_island(island);
    bool is_due = island.seat != kNone;
    archive_(is_due);
    if (reads() && is_due && !archive_.failed()) run_.islands.put(island);
  }
}

/// Islands that wait to be used again belong to configurations that are not the present one.
void Keeper::keep_idle(Cluster& cluster) {
  std::size_t count = cluster.idle.size();
  if (!archive_.size(count)) return;
  for (std::size_t i = 0; i < count && !archive_.failed(); ++i) {
    Configuration* configuration = nullptr;
    std::vector<std::uint8_t> flags;
    std::uint32_t number = 0;
    if (!reads()) {
      const Island& island = *cluster.idle[i];
      number = island.number;
      flags = cluster.shape->configurations.flags_of(
          [&](const Configuration& one) { return number < one.islands.size() && &one.islands[number] == island.plan; });
      configuration = cluster.shape->configurations.find(flags);
    }
    archive_(number);
    keep_configuration(cluster, configuration, flags);
    archive_.expect(configuration != nullptr && number < configuration->islands.size());
    if (archive_.failed()) return;
    if (reads()) {
      cluster.idle.push_back(std::make_unique<Island>(cluster, number, configuration->islands[number]));
    }
    keep_island(*cluster.idle[i]);
  }
}

void Keeper::keep_island(Island& island) {
  archive_(island.has_begun, island.begin, island.end, island.unproven, island.restart, island.is_other_system,
           island.search, island.reselect, island.passed, island.due, island.next, island.next_is_event,
           island.time_scale, island.idle_step, island.measured, island.blame);
  for (const auto& [variable, count] : island.blame.limits) {
    archive_.expect(variable < island.cluster.shape->variables.size());
  }
  archive_.expect(island.blame.looks == 0 || !island.blame.limits.empty());
  std::size_t crossings = island.crossings.size();
  if (!archive_.size(crossings)) return;
  if (reads()) island.crossings.resize(crossings);
  for (solve::Crossing& crossing : island.crossings) {
    archive_(crossing.relation, crossing.rising, crossing.touch, crossing.before, crossing.at);
  }
  archive_.expect(island.passed <= crossings && (!island.next_is_event || island.due <= crossings));
  keep_integrator(island);
}

void Keeper::keep_integrator(Island& island) {
  bool is_there = island.integrator != nullptr;
  archive_(is_there);
  archive_.expect(!is_there || !island.plan->states.empty());
  if (!is_there || archive_.failed()) return;
  const ContinuousOptions& options = run_.options.continuous;
  if (reads()) {
    island.integrator = options.make_integrator(options.method);
    solve::Settings settings;
    settings.absolute_tolerances = absolute_tolerances(options, *island.plan);
    const std::vector<double> nothing(island.plan->states.size());
    island.integrator->start(island.system, island.begin, nothing.data(), settings);
  }
  island.integrator->transfer(archive_);
}

void Keeper::keep_track(Cluster& cluster) {
  bool is_there = cluster.events != nullptr;
  archive_(is_there);
  if (!is_there || archive_.failed()) return;
  if (reads()) cluster.events = std::make_unique<EventTrack>();
  EventTrack& track = *cluster.events;
  archive_(track.accumulation, track.finding, track.last_time, track.last_kind, track.kinds, track.quick, track.stalled,
           track.last_instant, track.fresh, track.shrinking_kind, track.tolerance, track.limit, track.ratio,
           track.before);
  for (ClusterSnapshot& snapshot : track.snapshots) {
    std::vector<std::uint8_t> equations, conditions;
    if (snapshot.configuration != nullptr) {
      equations = cluster.shape->configurations.flags_of(
          [&](const Configuration& one) { return &one == snapshot.configuration; });
      conditions =
          snapshot.configuration->guards.flags_of([&](const GuardPlan& one) { return &one == snapshot.guards; });
    } else {
      snapshot.guards = nullptr;
    }
    keep_configuration(cluster, snapshot.configuration, equations);
    keep_guards(cluster, snapshot.configuration, snapshot.guards, conditions);
    archive_(snapshot.values, snapshot.next_kind);
  }
}

}  // namespace hyla::engine
