// Clusters and their islands as bytes. If the structure has changed since the start, they are gathered again: clusters
// depend on the objects in them alone, so they come out as they were.
#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "engine/builder.h"
#include "engine/gather.h"
#include "engine/island.h"
#include "engine/island_errors.h"
#include "engine/keeper.h"
#include "engine/tolerances.h"

namespace hyla::engine {
namespace {

void add_work_of(ContinuousWork& work, const Cluster& cluster) {
  work.loops += cluster.solver.work().solutions;
  work.iterations += cluster.solver.work().iterations;
}

}  // namespace

void Keeper::add_work_of_others(ContinuousWork& work) const {
  for (const std::unique_ptr<Cluster>& cluster : world_.clusters) {
    if (cluster) add_work_of(work, *cluster);
  }
  const auto add_idle = [&](const Cluster& cluster) {
    add_work_of(work, cluster);
    for (const std::vector<std::unique_ptr<Island>>* list : {&cluster.islands, &cluster.idle}) {
      for (const std::unique_ptr<Island>& island : *list) {
        if (island->integrator) add_work(work, *island->integrator);
      }
    }
  };
  for (const auto& [plan, lone] : world_.gathering->lone) {
    for (const std::unique_ptr<Cluster>& cluster : lone.idle) add_idle(*cluster);
  }
  world_.gathering->known.each_idle(add_idle);
}

void Keeper::keep_clusters() {
  bool is_complete = world_.gathering->is_complete;
  std::size_t count = world_.clusters.size();
  archive_(is_complete);
  if (!archive_.size(count)) return;
  if (reads() && world_.gatherings > 0) {
    world_.gathering->is_complete = is_complete;
    archive_.expect(gather_again(count));
  }
  if (archive_.failed() || !same_count(world_.clusters.size())) return;
  archive_(world_.free_clusters);
  for (const std::uint32_t number : world_.free_clusters) archive_.expect(number < count && !world_.clusters[number]);
  for (const Object& object : world_.objects) {
    archive_.expect(object.cluster == kNone || (object.cluster < count && world_.clusters[object.cluster]));
  }
  for (const std::uint32_t number : run_.touched_clusters) {
    archive_.expect(number < count && world_.clusters[number] != nullptr);
  }
  keep_met();
  for (const std::unique_ptr<Cluster>& cluster : world_.clusters) {
    if (cluster && !archive_.failed()) keep_cluster(*cluster);
  }
}

/// Clusters as the present objects need them, instead of those that the world was built with. False: they are others
/// than those that were kept.
bool Keeper::gather_again(std::size_t count) {
  GatheringMemory& memory = *world_.gathering;
  world_.clusters.clear();
  world_.free_clusters.clear();
  memory.readers.clear();
  memory.notes.clear();
  memory.lone.clear();
  memory.known = {};
  memory.scalariser->expect_more();
  const std::vector<std::uint8_t> is_free = world_.builder->free_objects();
  std::vector<ObjectRef> all;
  std::vector<std::uint32_t> numbers;  // of the clusters, by object
  for (Object& object : world_.objects) {
    numbers.push_back(std::exchange(object.cluster, kNone));
    if (is_free[object.self.index] == 0) all.push_back(object.self);
  }
  std::vector<std::pair<WatchState*, WatchState>> watches;
  for (const ObjectRef ref : all) {
    const Object& object = world_.object(ref);
    for (std::size_t i = 0; i < object.plan->watches.size(); ++i) {
      watches.emplace_back(&object.watches[i], object.watches[i]);
    }
  }
  diag::Sink sink;
  Gatherer gatherer(world_, sink);
  if (!gatherer.collect(all, [](std::uint32_t) {}) || !gatherer.make()) return false;
  bool good = true;
  for (const auto& [watch, kept] : watches) {
    good = good && watch->in_cluster == kept.in_cluster && (!kept.in_cluster || watch->condition == kept.condition);
    *watch = kept;
  }
  return good && number_again(numbers, count);
}

/// Gives the clusters the numbers that they had; by object: `numbers`.
bool Keeper::number_again(const std::vector<std::uint32_t>& numbers, std::size_t count) {
  std::vector<std::uint32_t> before(world_.clusters.size(), kNone);  // by cluster
  for (const Object& object : world_.objects) {
    const std::uint32_t number = numbers[object.self.index];
    if ((object.cluster == kNone) != (number == kNone)) return false;
    if (number == kNone) continue;
    std::uint32_t& known = before[object.cluster];
    if (number >= count || (known != kNone && known != number)) return false;
    known = number;
  }
  std::vector<std::unique_ptr<Cluster>> gathered(count);
  std::swap(gathered, world_.clusters);
  for (std::size_t i = 0; i < gathered.size(); ++i) {
    if (before[i] == kNone || world_.clusters[before[i]]) return false;
    gathered[i]->number = before[i];
    world_.clusters[before[i]] = std::move(gathered[i]);
  }
  for (Object& object : world_.objects) object.cluster = numbers[object.self.index];
  return true;
}

/// Which configurations the run has come to, by shape in the order of the clusters.
void Keeper::keep_met() {
  std::set<const Shape*> seen;
  for (const std::unique_ptr<Cluster>& cluster : world_.clusters) {
    if (!cluster || !seen.insert(cluster->shape).second || archive_.failed()) continue;
    std::vector<std::vector<std::uint8_t>> met(cluster->shape->met.begin(), cluster->shape->met.end());
    if (!reads()) {
      cluster->shape->configurations.each([&](const std::vector<std::uint8_t>& flags, const Configuration& one) {
        if (one.is_met && !cluster->shape->met.contains(flags)) met.push_back(flags);
      });
      std::sort(met.begin(), met.end());
    }
    archive_(met);
    if (reads()) cluster->shape->met = {met.begin(), met.end()};
  }
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
  keep_configuration(cluster, cluster.configuration);
  keep_guards(cluster, cluster.configuration, cluster.guards);
  archive_(cluster.active_equations, cluster.active_conditions, cluster.united);
  archive_(cluster.values, cluster.fresh_modes, cluster.changed_places, cluster.held_modes, cluster.bands,
           cluster.arrivals, cluster.momentary, cluster.waiting, cluster.watcher);
  archive_(cluster.synchronised, cluster.is_new, cluster.restructure, cluster.rewatch, cluster.touched,
           cluster.only_crossed, cluster.rounds, cluster.undecided, cluster.in_touched_list, cluster.since,
           cluster.claims, cluster.reselect, cluster.reached);
  const std::size_t modes = shape.modes.size();
  archive_.expect(cluster.reached.empty() || cluster.reached.size() == modes);
  archive_.expect(cluster.united.empty() || cluster.united.size() == shape.variables.size());
  archive_.expect(cluster.configuration == nullptr ||
                  (cluster.guards != nullptr && cluster.active_equations.size() == shape.equations.size() &&
                   cluster.active_conditions.size() == shape.conditions.size() &&
                   cluster.values.size() >= cluster.configuration->size &&
                   cluster.values.size() >= cluster.guards->size && cluster.fresh_modes.size() == modes &&
                   cluster.bands.size() == modes && cluster.arrivals.size() == modes &&
                   cluster.changed_places.size() >= shape_of(cluster).size));
  if (archive_.failed()) return;
  if (cluster.configuration != nullptr) keep_islands(cluster);
  keep_idle(cluster);
  keep_track(cluster);
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
    IslandPlan* plan = reads() ? nullptr : cluster.idle[i]->plan;
    std::uint32_t number = reads() ? 0 : cluster.idle[i]->number;
    archive_(number);
    keep_plan(cluster, plan);
    archive_.expect(plan != nullptr);
    if (archive_.failed()) return;
    if (reads()) cluster.idle.push_back(std::make_unique<Island>(cluster, number, *plan));
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
  keep_constraint(island);
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
    if (snapshot.configuration == nullptr) snapshot.guards = nullptr;
    keep_configuration(cluster, snapshot.configuration);
    keep_guards(cluster, snapshot.configuration, snapshot.guards);
    archive_(snapshot.values, snapshot.next_kind);
  }
}

}  // namespace hyla::engine
