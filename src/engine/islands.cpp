#include "engine/islands.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/collect.h"
#include "engine/commutation.h"
#include "engine/found_start.h"
#include "engine/gauges.h"
#include "engine/impulse.h"
#include "engine/initial_start.h"
#include "engine/island_errors.h"
#include "engine/look_ahead.h"
#include "engine/modes.h"
#include "engine/network_errors.h"
#include "engine/ranges.h"
#include "engine/reconfigure.h"
#include "engine/select_states.h"
#include "engine/watch.h"

namespace hyla::engine {
namespace {

/// Modes that change each other's relations are decided again so often.
constexpr int kMostRounds = 100;

Slot* slot_of(Run& run, const Cluster& cluster, const ShapeVariable& variable) {
  Slot& slot = run.object(cluster.objects[variable.object]).slots[variable.slot];
  if (variable.element == kNone) return &slot;
  if (slot.box->references > 1) {
    Box* own = run.world.heap.copy(slot.box);
    run.world.heap.release(slot.box);
    slot.box = own;
  }
  return slot.box->slots() + variable.element;
}

double read(const Run& run, const Cluster& cluster, const ShapeVariable& variable) {
  const Slot& slot = run.world.objects[cluster.objects[variable.object].index].slots[variable.slot];
  const Slot value = variable.element == kNone ? slot : slot.box->slots()[variable.element];
  return variable.type == model::TypeKind::Real ? value.real : static_cast<double>(value.integer);
}

/// What is declared as given stays in its slot until the start has been found with it.
bool is_given(const Run& run, const Cluster& cluster, const ShapeVariable& variable) {
  if (variable.start != StartRole::Fixed) return false;
  const Object& object = run.world.objects[cluster.objects[variable.object].index];
  return !object.begun || object.start_due;
}

/// Puts a computed value into its slot; tells who reads it if that is wanted.
void write(Run& run, Cluster& cluster, const ShapeVariable& variable, bool telling) {
  const double value = cluster.values[variable.value];
  Slot* slot = slot_of(run, cluster, variable);
  const Slot fresh = variable.type == model::TypeKind::Real ? Slot(value) : Slot(std::int64_t{std::llrint(value)});
  if (slot->integer == fresh.integer) return;
  *slot = fresh;
  if (telling) changed(run, run.object(cluster.objects[variable.object]), variable.slot);
}

// --- taking changes over --------------------------------------------------------------------------

bool note_change(Cluster& cluster, At place, double value) {
  if (cluster.values[place] == value || (std::isnan(value) && std::isnan(cluster.values[place]))) return false;
  cluster.values[place] = value;
  cluster.changed_places[place] = 1;
  return true;
}

/// Where the value of a variable comes from. What is other than before was assigned, unless it begins.
Claim claim_of(const Run& run, const Cluster& cluster, std::size_t number, bool is_other) {
  const ShapeVariable& variable = cluster.shape->variables[number];
  const Object& object = run.world.objects[cluster.objects[variable.object].index];
  const Claim told = run.world.gathering->claims[{object.self, variable.slot, kNone}];
  if (told == Claim::Assigned || told == Claim::Begins) return told;
  if (!is_other) return cluster.claims[number];
  return object.begun ? Claim::Assigned : Claim::Begins;
}

void load(Run& run, Cluster& cluster) {
  const Shape& shape = *cluster.shape;
  const bool any_claims = !run.world.gathering->claims.empty();
  for (std::size_t i = 0; i < shape.variables.size(); ++i) {
    const bool is_other = note_change(cluster, shape.variables[i].value, read(run, cluster, shape.variables[i]));
    if (!cluster.claims.empty() && (is_other || any_claims)) cluster.claims[i] = claim_of(run, cluster, i, is_other);
    if (!is_other) continue;
    if (shape.variables[i].start == StartRole::Free) cluster.found_start.reset();  // somebody wants another value
  }
  for (const ShapeOpaque& opaque : shape.opaques) {
    Object& object = run.object(cluster.objects[opaque.object]);
    Slot result;
    if (!execute(run, object, opaque.program, opaque.inputs, &result)) return;
    const bool real = opaque.type == model::TypeKind::Real;
    note_change(cluster, opaque.value, real ? result.real : static_cast<double>(result.integer));
  }
}

/// Islands that read something that has changed, or whose states were assigned, begin anew.
void find_restarts(Cluster& cluster) {
  const auto is_changed = [&](At place) { return cluster.changed_places[place] != 0; };
  for (const std::unique_ptr<Island>& island : cluster.islands) {
    if (island->restart) continue;
    const auto value_is_changed = [&](std::uint32_t variable) {
      return is_changed(shape_of(cluster).variables[variable].value);
    };
    const IslandPlan& plan = *island->plan;
    island->restart = std::any_of(plan.reads.begin(), plan.reads.end(), is_changed) ||
                      std::any_of(plan.states.begin(), plan.states.end(), value_is_changed) ||
                      std::any_of(plan.demoted.begin(), plan.demoted.end(), value_is_changed);
    island->search = true;
  }
}

Evaluated evaluate_island(Run& run, Island& island) {
  const std::vector<std::uint32_t>& states = island.plan->states;
  if (island.plan->placed != kNowhere) island.cluster.values[island.plan->placed] = run.now;
  run.state_buffer.resize(states.size());
  for (std::size_t i = 0; i < states.size(); ++i) {
    run.state_buffer[i] = island.cluster.values[shape_of(island.cluster).variables[states[i]].value];
  }
  return island.system.place(run.now, run.state_buffer.data());
}

std::vector<double> modes_of(const Cluster& cluster) {
  std::vector<double> result;
  for (const ShapeMode& mode : cluster.shape->modes) result.push_back(cluster.values[mode.value]);
  return result;
}

/// Whether relations that do not come to rest lie on their boundaries, so that fields on both sides point at it; others
/// deny themselves.
bool fields_switch(const Cluster& cluster, const std::vector<double>& before) {
  constexpr double kNear = 1e-6;
  bool any = false;
  for (const GuardPlan::Guard& guard : cluster.guards->guards) {
    const ShapeMode& mode = cluster.shape->modes[guard.mode];
    if (mode.equation == kNone || cluster.values[mode.value] == before[guard.mode]) continue;
    if (guard.island == kNone || cluster.islands[guard.island]->plan->states.empty()) return false;
    const double size = cluster.values[guard.noise];
    if (std::abs(cluster.values[guard.g]) > std::max(kNear * size, cluster.bands[guard.mode])) return false;
    any = true;
  }
  return any;
}

/// Equations of a loop that have no solution may be those of states that do not agree. Where they leave something open,
/// what follows from it is open too: a part between diodes that all block lies anywhere, until one of them joins it.
bool leave_loop(Run& run, Cluster& cluster, const Loop& loop, const Evaluated& evaluated) {
  if (leave_combination(run, cluster, cluster.active_equations, loop.variables)) return true;
  return evaluated.loop_status == solve::Solved::Singular &&
         leave_combination(run, cluster, cluster.active_equations, open_variables(cluster));
}

/// Computes everything from what is given, deciding relations until they agree with the values.
bool find_values(Run& run, Cluster& cluster, bool settled) {
  double* values = cluster.values.data();
  values[kTime] = run.now;
  std::vector<double> before;  // modes, in the last round
  for (int round = 0; round < kMostRounds; ++round) {
    Evaluated evaluated = evaluate(cluster.configuration->held, values, cluster.solver);
    const Evaluation* failed = &cluster.configuration->held;
    const std::vector<EvaluationPart>* failed_parts = &cluster.configuration->held_parts;
    for (const std::uint32_t variable : cluster.configuration->held_outputs) {
      // A held value that has changed is a change like any other for the islands that read it.
      const ShapeVariable& record = cluster.shape->variables[variable];
      if (values[record.value] != read(run, cluster, record)) cluster.changed_places[record.value] = 1;
    }
    release_changed(cluster);
    find_restarts(cluster);
    for (const std::unique_ptr<Island>& island : cluster.islands) {
      if (!evaluated.good()) break;
      if (!island->restart) continue;
      evaluated = evaluate_island(run, *island);
      failed = &island->plan->evaluation;
      failed_parts = &island->plan->parts;
    }
    if (!evaluated.good()) {
      if (settled && !leave_loop(run, cluster, failed->loops[evaluated.loop], evaluated)) {
        report_loop(run, cluster, *failed_parts, *failed, evaluated, nullptr);
      }
      return false;
    }
    code::run(cluster.guards->relations, values);
    for (const code::Code& sizes : cluster.guards->sizes) code::run(sizes, values);
    for (const std::unique_ptr<Island>& island : cluster.islands) {
      if (island->restart) estimate_sizes(run, *island);
    }
    if (round == kMostRounds - 1) before = modes_of(cluster);
    cluster.rounds = round;
    if (!decide_modes(run, cluster)) {
      cluster.rounds = 0;
      code::run(cluster.guards->truths, values);
      return true;
    }
  }
  cluster.rounds = 0;
  if (fields_switch(cluster, before) && settle_relations(run, cluster, settled)) return true;
  if (settled && !run.over) report_undecided(run, cluster, before);
  return false;
}

void raise_conditions(Run& run, Cluster& cluster) {
  const std::size_t due = run.next.size();
  for (const std::uint32_t number : cluster.guards->conditions) {
    const ShapeCondition& condition = cluster.shape->conditions[number];
    Object& object = run.object(cluster.objects[condition.object]);
    const bool holds = cluster.values[condition.value] != 0;
    if (holds && run.next.size() > due && is_one_by_one(cluster)) continue;
    look_at_truth(run, object, condition.watch, holds, cluster.since.sequence);
  }
}

void publish(Run& run, Cluster& cluster, const std::vector<std::uint32_t>& variables) {
  for (const std::uint32_t number : variables) {
    const ShapeVariable& variable = cluster.shape->variables[number];
    if (!is_given(run, cluster, variable)) write(run, cluster, variable, true);
  }
}

/// Puts values into their slots and tells nobody; elements of one array mostly stand behind each other.
void place_values(Run& run, Cluster& cluster, const std::vector<std::uint32_t>& variables) {
  Slot* elements = nullptr;
  std::uint32_t object = kNone, slot = kNone;
  for (const std::uint32_t number : variables) {
    const ShapeVariable& variable = cluster.shape->variables[number];
    if (variable.element == kNone || variable.type != model::TypeKind::Real) {
      write(run, cluster, variable, false);
      continue;
    }
    if (variable.object != object || variable.slot != slot) {
      object = variable.object;
      slot = variable.slot;
      elements = slot_of(run, cluster, variable) - variable.element;
    }
    elements[variable.element] = Slot(cluster.values[variable.value]);
  }
}

/// Only relations of conditions have been crossed, so all values are those of the present time. False: equations depend
/// on the relations after all.
bool refresh_conditions(Run& run, Cluster& cluster) {
  for (const code::Code& sizes : cluster.guards->sizes) code::run(sizes, cluster.values.data());
  if (decide_modes(run, cluster)) return false;
  code::run(cluster.guards->truths, cluster.values.data());
  cluster.touched = false;
  return true;
}

void restore(Cluster& cluster, const std::vector<double>& values, const std::vector<std::uint8_t>& fresh_modes) {
  std::copy_n(values.begin(), cluster.shape->size, cluster.values.begin());
  cluster.fresh_modes = fresh_modes;
}

/// The same under constraints: what was kept must agree with them. If it does not it jumps, when nothing else is left
/// to be done in the instant, not even by a condition that looks at the impulses. Else values stay as they were, and
/// what was `given` where a start has computed something else.
bool find_consistent(Run& run, Cluster& cluster, bool settled, const std::vector<GivenValue>& given) {
  if (!cluster.configuration->reduction) return find_values(run, cluster, settled);
  std::vector<double> before = cluster.values;
  for (const GivenValue& one : given) before[one.place] = one.value;
  const std::vector<std::uint8_t> fresh_modes = cluster.fresh_modes;
  const bool is_start = run.now <= run.options.start_time;
  std::optional<Contradiction> found;
  const bool is_solved = find_values(run, cluster, settled);
  if (is_solved && !(found = find_contradiction(run, cluster, before, is_start))) return true;
  Jump jump;
  if (is_solved && settled && found->can_jump) jump = find_jump(run, cluster, before, is_start);
  restore(cluster, before, fresh_modes);
  if (!is_solved || !settled) return false;
  // At the start nothing jumps, but a condition that looks at the impulse of a jump tells who is in a wrong state.
  if (is_start && found->can_jump && jump.trouble.empty() && raise_by_impulses(run, cluster, jump)) return false;
  if (!is_start && !found->can_jump) jump.trouble = "their derivatives cannot be infinite";
  if (!is_start && jump.trouble.empty()) {
    if (raise_by_impulses(run, cluster, jump)) return false;
    apply(jump, cluster);
    if (!find_values(run, cluster, true)) return false;
    if (is_unambiguous(jump, cluster)) return true;
    jump.trouble = "the factors by which it is known what is conserved would change";
    restore(cluster, before, fresh_modes);
  }
  if (!is_start) found->no_jump = jump.trouble;
  report_contradiction(run, cluster, *found);
  return false;
}

/// A configuration that was there before stays, until it is found that another one is active.
void begin_values(Run& run, Cluster& cluster) {
  const std::size_t modes = cluster.shape->modes.size();
  cluster.fresh_modes.assign(modes, 1);
  cluster.bands.assign(modes, 0);
  cluster.arrivals.assign(modes, std::numeric_limits<double>::quiet_NaN());
  cluster.values.assign(std::max<std::size_t>(cluster.values.size(), cluster.shape->size), 0);
  cluster.changed_places.assign(std::max<std::size_t>(cluster.changed_places.size(), cluster.shape->size), 0);
  load_constants(cluster.values, cluster.shape->constants);
  if (cluster.configuration != nullptr) {
    load_constants(cluster.values, *cluster.configuration);
  }
  if (cluster.guards != nullptr) load_constants(cluster.values, cluster.guards->constants);
  cluster.found_start.reset();
  load(run, cluster);
  note_given(run, cluster);
}

/// False: the equations cannot be solved as they are now.
bool refresh_values(Run& run, Cluster& cluster, bool settled) {
  if (std::exchange(cluster.only_crossed, false) && refresh_conditions(run, cluster)) return true;
  const bool is_new = std::exchange(cluster.is_new, false);
  if (is_new) begin_values(run, cluster);
  synchronise(run, cluster);
  if (!run.over && !is_new) load(run, cluster);
  if (run.over) return false;
  if ((cluster.restructure || wants_selection(cluster)) && !reconfigure(run, cluster, settled)) return false;
  if (cluster.rewatch) choose_guards(run, cluster);
  if (cluster.found_start) repeat_start(run, cluster);
  std::vector<GivenValue> given;
  if (run.starts_due > 0 && !run.entering && !find_start(run, cluster, settled, given)) return false;
  if (run.over || !find_consistent(run, cluster, settled, given)) return false;
  cluster.synchronised = run.now;
  cluster.touched = false;
  std::fill(cluster.changed_places.begin(), cluster.changed_places.end(), 0);
  const Happening since = cluster.since;
  publish(run, cluster, cluster.configuration->held_outputs);
  for (const std::unique_ptr<Island>& island : cluster.islands) {
    if (island->restart) publish(run, cluster, island->plan->outputs);
  }
  cluster.touched = false;  // by its own values
  cluster.since = since;
  return true;
}

}  // namespace

void publish_value(Run& run, Cluster& cluster, std::uint32_t variable, bool telling) {
  write(run, cluster, cluster.shape->variables[variable], telling);
}

double value_in_slot(const Run& run, const Cluster& cluster, std::uint32_t variable) {
  return read(run, cluster, cluster.shape->variables[variable]);
}

void rearm_conditions(Run& run, Cluster& cluster) {
  for (const std::uint32_t number : cluster.guards->conditions) {
    const ShapeCondition& condition = cluster.shape->conditions[number];
    if (cluster.values[condition.value] != 0) continue;
    run.object(cluster.objects[condition.object]).watches[condition.watch].armed = true;
  }
}

void watch_foreign_reads(Run& run, Cluster& cluster) {
  run.observed.clear();
  for (const ShapeVariable& variable : cluster.shape->variables) {
    const ObjectRef object = cluster.objects[variable.object];
    const bool is_fixed = variable.id && run.world.model.variables[variable.id].is_fixed();
    if (is_fixed || run.object(object).cluster == cluster.number) continue;
    run.observed.push_back(std::uint64_t{object.index} << 32 | variable.slot);
  }
  if (!run.observed.empty()) {
    cluster.watcher = new_watcher(run, Watcher::Kind::Cluster, {}, cluster.number);
    subscribe(run, cluster.watcher);
  }
  if (!cluster.shape->opaques.empty()) run.restless_clusters.push_back(cluster.number);
}

void hand_on(Run& run, const Cluster& cluster) {
  if (cluster.is_new) return;
  PlaceClaims& claims = run.world.gathering->claims;
  for (std::size_t i = 0; i < cluster.shape->variables.size(); ++i) {
    const ShapeVariable& variable = cluster.shape->variables[i];
    const Place place{cluster.objects[variable.object], variable.slot, variable.element};
    if (!is_there(run.world, place.object)) continue;
    const bool is_other = read(run, cluster, variable) != cluster.values[variable.value];
    claims.set(place, claim_of(run, cluster, i, is_other));
  }
}

void find_recorded(Run& run) {
  if (run.recorder == nullptr) return;
  const auto& places = run.recorder->places();
  if (std::exchange(run.recorded_places, places.size()) != places.size()) {
    run.recorded_objects.clear();
    for (const RecordedPlace& place : places) {
      const bool is_same = !run.recorded_objects.empty() && run.recorded_objects.back() == place.object;
      if (!is_same) run.recorded_objects.push_back(place.object);
    }
  }
  std::vector<std::uint32_t>& clusters = run.recorded_clusters;
  clusters.clear();
  for (const ObjectRef object : run.recorded_objects) {
    if (!run.world.is_alive(object)) continue;
    const std::uint32_t cluster = run.object(object).cluster;
    if (cluster != kNone) clusters.push_back(cluster);
  }
  std::sort(clusters.begin(), clusters.end());
  clusters.erase(std::unique(clusters.begin(), clusters.end()), clusters.end());
}

bool is_straight(const Cluster& cluster) {
  const Configuration* configuration = cluster.configuration;
  if (configuration == nullptr || configuration->reduction || !configuration->held.loops.empty()) return false;
  return std::all_of(configuration->islands.begin(), configuration->islands.end(),
                     [](const IslandPlan& plan) { return plan.evaluation.loops.empty(); });
}

void touch(Run& run, std::uint32_t number) {
  Cluster& cluster = *run.world.clusters[number];
  cluster.touched = true;
  cluster.only_crossed = false;
  cluster.undecided = true;
  run.dirty = true;
  if (run.happening.time == run.now) cluster.since = run.happening;
  if (cluster.in_touched_list) return;
  cluster.in_touched_list = true;
  run.touched_clusters.push_back(number);
}

void restructure(Run& run, std::uint32_t number) {
  run.world.clusters[number]->restructure = true;
  touch(run, number);
}

void rewatch(Run& run, std::uint32_t number) {
  run.world.clusters[number]->rewatch = true;
  touch(run, number);
}

void synchronise(Run& run, Cluster& cluster) {
  if (cluster.synchronised == run.now || cluster.configuration == nullptr) return;
  for (const std::unique_ptr<Island>& island : cluster.islands) {
    measure(run, *island, run.now);
    pass_crossings(*island, run.now);
  }
  if (cluster.ranges) look_at_passed(run, cluster);
  place_islands(run, cluster);
  if (cluster.ranges && !run.over) look_at_present(run, cluster);
}

void place_islands(Run& run, Cluster& cluster) {
  cluster.synchronised = run.now;
  cluster.values[kTime] = run.now;
  for (const std::unique_ptr<Island>& island : cluster.islands) {
    Evaluated evaluated;
    if (!island->has_begun && !island->plan->states.empty()) continue;
    if (island->integrator) {
      run.state_buffer.resize(island->plan->states.size());
      island->integrator->interpolate(run.now, run.state_buffer.data());
      evaluated = island->system.place(run.now, run.state_buffer.data());
    } else {
      evaluated = island->system.place(run.now, nullptr);
    }
    if (!evaluated.good()) {
      report_loop(run, cluster, island->plan->parts, island->plan->evaluation, evaluated, island->integrator.get());
      return;
    }
    place_values(run, cluster, island->plan->outputs);
  }
}

void refresh_clusters(Run& run, bool settled) {
  for (std::size_t i = 0; i < run.touched_clusters.size() && !run.over; ++i) {
    Cluster& cluster = *run.world.clusters[run.touched_clusters[i]];
    if (cluster.touched && !refresh_values(run, cluster, settled)) continue;
    if (!cluster.undecided) continue;
    cluster.undecided = false;
    look_at_recurrence(run, cluster);
    if (run.over || !note_combination(run, cluster)) return;
    raise_conditions(run, cluster);
  }
}

bool cluster_condition_holds(Run& run, Object& object, Index watch) {
  Cluster& cluster = *run.world.clusters[object.cluster];
  const std::uint32_t condition = object.watches[watch].condition;
  if (take_forced(cluster, condition)) return true;
  if (cluster.touched) refresh_values(run, cluster, false);
  return cluster.values[cluster.shape->conditions[condition].value] != 0;
}

}  // namespace hyla::engine
