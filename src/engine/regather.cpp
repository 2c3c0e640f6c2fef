#include "engine/regather.h"

#include <algorithm>
#include <utility>

#include "engine/create.h"
#include "engine/gather.h"
#include "engine/island_errors.h"
#include "engine/islands.h"
#include "engine/until.h"
#include "engine/watch.h"

namespace hyla::engine {
namespace {

Lone* find_lone(World& world, const Object& object) {
  const auto found = world.gathering->lone.find(object.plan);
  return found == world.gathering->lone.end() ? nullptr : &found->second;
}

/// As a new one, but with its configuration, islands and integrators.
void make_idle(Cluster& cluster) {
  const auto is_constrained = [](const std::unique_ptr<Island>& island) {
    return island->constraint != nullptr || island->is_other_system;
  };
  const bool is_special = cluster.configuration == nullptr || cluster.configuration->reduction ||
                          std::any_of(cluster.islands.begin(), cluster.islands.end(), is_constrained);
  if (is_special) {
    for (std::unique_ptr<Island>& island : cluster.islands) {
      if (island->integrator) cluster.idle.push_back(std::move(island));
    }
    cluster.islands.clear();
    cluster.configuration = nullptr;
    cluster.guards = nullptr;
    cluster.active_equations.clear();
    cluster.active_conditions.clear();
    cluster.values.clear();
  }
  for (const std::unique_ptr<Island>& island : cluster.islands) {
    island->has_begun = false;
    island->restart = island->search = true;
    island->reselect = island->unproven = false;
    island->begin = island->end = island->time_scale = island->idle_step = 0;
    island->measured = -std::numeric_limits<double>::infinity();
  }
  for (const std::unique_ptr<Island>& island : cluster.idle) island->time_scale = 0;
  cluster.start = nullptr;
  cluster.held_modes.clear();
  cluster.momentary.clear();
  cluster.reached.clear();
  cluster.waiting.clear();
  cluster.claims.clear();
  cluster.events.reset();
  if (std::exchange(cluster.ranges, nullptr)) cluster.ranges_are_known = false;  // they can be others for other objects
  cluster.synchronised = std::numeric_limits<double>::quiet_NaN();
  cluster.is_new = cluster.restructure = cluster.rewatch = cluster.touched = cluster.undecided = true;
  cluster.only_crossed = cluster.in_touched_list = cluster.reselect = false;
  cluster.since = {};
}

/// Takes a cluster apart: its values are in the slots, its islands go. Gives the processes that wait for its
/// quantities. `strike_dissolved` has to follow before its number is given to another one.
void dissolve(Run& run, std::uint32_t number, std::vector<std::uint32_t>& waiting) {
  World& world = run.world;
  Cluster& cluster = *world.clusters[number];
  synchronise(run, cluster);
  hand_on(run, cluster);
  for (const std::unique_ptr<Island>& island : cluster.islands) lay_aside(run, *island);
  waiting.insert(waiting.end(), cluster.waiting.begin(), cluster.waiting.end());
  if (cluster.watcher != kNone) free_watcher(run, cluster.watcher);
  for (const ObjectRef member : cluster.objects) {
    Object& object = world.object(member);
    if (object.cluster != number) continue;
    object.cluster = kNone;
    update_head(run, object);
  }
  if (cluster.pool != nullptr) {
    make_idle(cluster);
    cluster.pool->push_back(std::move(world.clusters[number]));
  } else {
    for (const std::unique_ptr<Island>& island : cluster.islands) {
      if (island->integrator) add_work(run.outcome.continuous, *island->integrator);
    }
    for (const std::unique_ptr<Island>& island : cluster.idle) add_work(run.outcome.continuous, *island->integrator);
    run.outcome.continuous.loops += cluster.solver.work().solutions;
    run.outcome.continuous.iterations += cluster.solver.work().iterations;
  }
  world.clusters[number].reset();
  world.free_clusters.push_back(number);
}

/// Those that were dissolved, many at a time, are not looked at any more.
void strike_dissolved(Run& run) {
  const auto is_gone = [&](std::uint32_t number) { return run.world.clusters[number] == nullptr; };
  std::erase_if(run.restless_clusters, is_gone);
  std::erase_if(run.touched_clusters, is_gone);
}

/// One that was in use before, or a new one.
Cluster& take_cluster(World& world, std::vector<std::unique_ptr<Cluster>>& pool, Shape* shape) {
  const std::uint32_t number = take_cluster_number(world);
  std::unique_ptr<Cluster>& cluster = world.clusters[number];
  if (pool.empty()) {
    cluster = std::make_unique<Cluster>();
    cluster->shape = shape;
    cluster->tapes = &world.tapes;
    cluster->pool = &pool;
  } else {
    cluster = std::move(pool.back());
    pool.pop_back();
  }
  cluster->number = number;
  return *cluster;
}

/// Its first objects are its members.
void begin_cluster(Run& run, Cluster& cluster, std::uint32_t members, bool reads_others) {
  for (std::uint32_t i = 0; i < members; ++i) update_head(run, run.object(cluster.objects[i]));
  if (reads_others) watch_foreign_reads(run, cluster);
  restructure(run, cluster.number);
}

/// Gives a new object the cluster that all objects of its plan have. False: it has to be gathered.
bool adopt_lone(Run& run, Object& object) {
  if (object.cluster != kNone || !object.exists) return false;
  Lone* lone = find_lone(run.world, object);
  if (lone == nullptr) return false;
  for (ObjectRef at = object.self; at; at = run.world.object(at).parent) {
    if (run.world.object(at).host_state != kNone) return false;
  }
  Cluster& cluster = take_cluster(run.world, lone->idle, lone->shape);
  cluster.objects.assign(1, object.self);
  object.cluster = cluster.number;
  object.cluster_member = 0;
  for (const Lone::Watch& watch : lone->watches) {
    object.watches[watch.watch].in_cluster = true;
    object.watches[watch.watch].condition = watch.condition;
  }
  begin_cluster(run, cluster, 1, false);
  return true;
}

/// An object is marked once for each of its connections that come or go.
void drop_repeated(std::vector<ObjectRef>& marked, GatheringMemory& memory) {
  ++memory.stamp;
  std::erase_if(marked, [&](ObjectRef object) {
    if (memory.stamps.size() <= object.index) memory.stamps.resize(object.index + 1);
    const std::uint64_t stamp = std::uint64_t{memory.stamp} << 32 | object.generation;
    return std::exchange(memory.stamps[object.index], stamp) == stamp;
  });
}

/// Objects to be gathered because others have gone: the rest of their clusters, and those that read them.
void add_bereaved(Run& run, ObjectRef gone, std::vector<ObjectRef>& objects) {
  GatheringMemory& memory = *run.world.gathering;
  const std::uint32_t cluster = run.world.object(gone).cluster;
  if (cluster != kNone) {
    for (const ObjectRef member : run.world.clusters[cluster]->objects) objects.push_back(member);
  }
  const auto readers = memory.readers.find(gone.index);
  if (readers == memory.readers.end()) return;
  for (const GatheringMemory::ForeignRead& read : readers->second) objects.push_back(read.reader);
  readers->second.clear();
}

/// What has moved into a cluster is looked at there; what has moved out is looked at by its watches again.
void hand_over(Run& run, Object& object) {
  for (Index i = 0; i < object.plan->watches.size(); ++i) {
    WatchState& watch = object.watches[i];
    if (watch.was_in_cluster == watch.in_cluster) continue;
    if (!watch.in_cluster) {
      look_again(run, object, i);
    } else if (watch.watcher != kNone) {
      free_watcher(run, watch.watcher);
      watch.watcher = kNone;
    }
  }
}

// --- gatherings that were met before --------------------------------------------------------------

void mark_watches(Run& run, const KnownGathering& known, const GatheringGroup& group) {
  for (const ObjectRef ref : group.objects) {
    const Object& object = run.object(ref);
    for (Index i = 0; i < object.plan->watches.size(); ++i) {
      object.watches[i].was_in_cluster = std::exchange(object.watches[i].in_cluster, false);
    }
  }
  for (const KnownGathering::Mark& mark : known.marks) {
    WatchState& watch = run.object(group.objects[mark.object]).watches[mark.watch];
    watch.in_cluster = true;
    watch.condition = mark.condition;
  }
  for (std::size_t i = 0; i < group.links.size(); ++i) {
    Link& link = run.world.links[group.links[i]];
    const bool was_in_cluster = std::exchange(link.in_cluster, known.links[i] != 0);
    if (was_in_cluster && !link.in_cluster) look_again(run, group.links[i]);
  }
}

/// What objects read is noted again, if it is not the same as before.
void note_again(Run& run, const KnownGathering& known, const GatheringGroup& group) {
  GatheringMemory& memory = *run.world.gathering;
  for (std::size_t i = 0; i < group.objects.size(); ++i) {
    const KnownGathering::Notes& notes = known.notes[i];
    const auto found = memory.notes.find(group.objects[i].index);
    if (found == memory.notes.end() && notes.reads.empty() && notes.structural.empty()) continue;
    ReadNotes fresh = known.notes_of(group, i);
    if (found != memory.notes.end() && found->second == fresh) continue;
    memory.note(group.objects[i], std::move(fresh));
    watch_structure(run, group.objects[i]);
  }
}

/// Makes the clusters that have come of it the last time.
void take_up(Run& run, KnownGathering& known, const GatheringGroup& group, std::vector<std::uint32_t>& waiting) {
  for (const ObjectRef ref : group.objects) {
    if (const std::uint32_t cluster = run.object(ref).cluster; cluster != kNone) dissolve(run, cluster, waiting);
  }
  strike_dissolved(run);
  mark_watches(run, known, group);
  for (KnownGathering::Piece& piece : known.pieces) {
    Cluster& cluster = take_cluster(run.world, piece.idle, piece.shape);
    cluster.objects.clear();
    for (const std::uint32_t number : piece.objects) cluster.objects.push_back(known.object(group, number));
    for (std::uint32_t i = 0; i < piece.members; ++i) {
      Object& object = run.object(cluster.objects[i]);
      object.cluster = cluster.number;
      object.cluster_member = i;
    }
    begin_cluster(run, cluster, piece.members, piece.reads_others);
  }
  note_again(run, known, group);
  for (const ObjectRef object : group.objects) hand_over(run, run.object(object));
}

// --- new ones -------------------------------------------------------------------------------------

void report(Run& run, const Gatherer& gatherer, const diag::Sink& sink) {
  const diag::Diagnostic& first = sink.diagnostics().front();
  const ObjectRef object = gatherer.objects().empty() ? run.world.objects[0].self : gatherer.objects().front();
  fail(run, first.kind, run.object(object), first.span, first.message, first.hints.empty() ? "" : first.hints.front());
}

/// Clusters of the objects and of all that share with them what can vary. False: the gatherer's sink tells why.
bool make_clusters(Run& run, Gatherer& gatherer, const std::vector<ObjectRef>& objects,
                   std::vector<std::uint32_t>& waiting) {
  World& world = run.world;
  const bool is_collected = gatherer.collect(objects, [&](std::uint32_t cluster) { dissolve(run, cluster, waiting); });
  strike_dissolved(run);
  if (!is_collected || !gatherer.make()) return false;
  for (const EquationInstance& equation : gatherer.equations()) {
    if (equation.link != kNone && !world.links[equation.link].in_cluster) look_again(run, equation.link);
  }
  for (const std::uint32_t number : gatherer.clusters()) {
    Cluster& cluster = *world.clusters[number];
    const auto is_member = [&](ObjectRef object) { return world.object(object).cluster == number; };
    const auto members = std::count_if(cluster.objects.begin(), cluster.objects.end(), is_member);
    begin_cluster(run, cluster, static_cast<std::uint32_t>(members), true);
  }
  for (const ObjectRef object : gatherer.objects()) {
    hand_over(run, run.object(object));
    watch_structure(run, object);
  }
  return true;
}

/// False: what is wrong was told if the instant has settled.
bool gather(Run& run, GatheringGroup& group, bool settled, std::vector<std::uint32_t>& waiting) {
  ++run.world.gathering->unknown;
  diag::Sink sink;
  Gatherer gatherer(run.world, sink);
  if (!make_clusters(run, gatherer, group.objects, waiting)) {
    run.changed_structure = gatherer.objects();
    if (settled) report(run, gatherer, sink);
    return false;
  }
  run.world.gathering->known.keep(run.world, gatherer, group);
  return true;
}

/// Where many objects of a new plan are made at once, the first of them is gathered alone: it may show that all of them
/// are clusters of their own. Then the others need not be gathered.
void send_ahead(Run& run, std::vector<ObjectRef>& objects, std::vector<std::uint32_t>& waiting) {
  World& world = run.world;
  GatheringMemory& memory = *world.gathering;
  memory.firsts.resize(world.plans.size());
  bool is_any = false;
  for (const ObjectRef ref : objects) {
    if (!is_there(world, ref)) continue;
    const Object& object = world.object(ref);
    GatheringMemory::FirstOfPlan& first = memory.firsts[object.plan->number];
    if (first.was_sent || object.cluster != kNone || !can_be_lone(*object.plan)) continue;
    if (std::exchange(first.stamp, memory.stamp) != memory.stamp) {
      first.object = ref;
      continue;
    }
    first.was_sent = is_any = true;
    diag::Sink unheard;  // what is wrong is found again with the others
    Gatherer gatherer(world, unheard);
    make_clusters(run, gatherer, {first.object}, waiting);
  }
  if (!is_any) return;
  std::erase_if(objects, [&](ObjectRef ref) {
    if (!is_there(world, ref)) return false;
    Object& object = world.object(ref);
    const bool is_first = memory.firsts[object.plan->number].object == ref && object.cluster != kNone;
    return is_first ? find_lone(world, object) != nullptr : adopt_lone(run, object);
  });
}

}  // namespace

void mark_structure(Run& run, ObjectRef object) {
  const std::uint32_t cluster = run.object(object).cluster;
  if (cluster != kNone) synchronise(run, *run.world.clusters[cluster]);
  run.changed_structure.push_back(object);
  run.dirty = true;
}

void watch_structure(Run& run, ObjectRef object) {
  Object& record = run.object(object);
  const auto& notes = run.world.gathering->notes;
  const auto found = notes.find(object.index);
  if (found == notes.end() || found->second.structural.empty()) {
    if (!record.extras || record.extras->structure_watcher == kNone) return;
    free_watcher(run, record.extras->structure_watcher);
    record.extras->structure_watcher = kNone;
    return;
  }
  if (!record.extras) record.extras = std::make_unique<ObjectExtras>();
  std::uint32_t& watcher = record.extras->structure_watcher;
  if (watcher == kNone) watcher = new_watcher(run, Watcher::Kind::Structure, object, 0);
  run.observed = found->second.structural;
  subscribe(run, watcher);
}

void regather(Run& run, bool settled) {
  World& world = run.world;
  GatheringMemory& memory = *world.gathering;
  std::vector<ObjectRef>&marked = memory.marked, &objects = memory.objects;
  std::vector<std::uint32_t>& waiting = memory.waiting;
  marked.clear();
  objects.clear();
  waiting.clear();
  std::swap(marked, run.changed_structure);
  drop_repeated(marked, memory);
  if (!memory.is_complete) {
    if (!needs_clusters(world)) return;
    marked.clear();
    for (const Object& object : world.objects) marked.push_back(object.self);
    memory.is_complete = true;
    memory.scalariser->expect_more();
  }
  ++world.gatherings;
  // Those that have gone come first: others take up their clusters.
  for (const ObjectRef mark : marked) {
    if (is_there(world, mark)) continue;
    add_bereaved(run, mark, objects);
    if (const std::uint32_t cluster = world.object(mark).cluster; cluster != kNone) dissolve(run, cluster, waiting);
  }
  strike_dissolved(run);
  for (const ObjectRef mark : marked) {
    if (is_there(world, mark) && !adopt_lone(run, world.object(mark))) objects.push_back(mark);
  }
  if (world.model.connectors.size() > 0) {
    diag::Sink unheard;  // what is wrong is told by whoever gathers
    memory.scalariser->tell(unheard);
    PlugUpdate(world, *memory.scalariser, memory.plugs).update(marked, objects);
  }
  send_ahead(run, objects, waiting);
  if (objects.empty()) return;
  GatheringGroup& group = memory.group;
  memory.known.describe(world, objects, group);
  if (KnownGathering* const met = memory.known.find(world, group)) {
    take_up(run, *met, group, waiting);
  } else if (!gather(run, group, settled, waiting)) {
    return;
  }
  for (const std::uint32_t process : waiting) {
    if (world.processes[process]->running && world.processes[process]->waiting) {
      wait_at_clusters(run, *world.processes[process]);
    }
  }
  find_recorded(run);
}

}  // namespace hyla::engine
