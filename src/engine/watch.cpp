#include "engine/watch.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "engine/islands.h"
#include "engine/processes.h"
#include "engine/ranges.h"
#include "engine/regather.h"
#include "engine/requirements.h"
#include "engine/time_conditions.h"
#include "engine/timers.h"
#include "model/dump_text.h"

namespace hyla::engine {
namespace {

constexpr std::uint64_t key_of(ObjectRef object, std::uint32_t slot) {
  return std::uint64_t{object.index} << 32 | slot;
}

void mark(Run& run, Object& object, Index index) {
  WatchState& state = object.watches[index];
  if (!state.active || state.dirty || state.in_cluster) return;
  state.dirty = true;
  const Dirty dirty = {object.self, index, run.cause};
  switch (object.plan->watches[index].kind) {
    case PlanWatch::Kind::Formula:
      run.dirty = true;
      run.dirty_formulas.push_back(dirty);
      break;
    case PlanWatch::Kind::When:
    case PlanWatch::Kind::Rate:
      run.dirty = true;
      run.dirty_conditions.push_back(dirty);
      break;
    case PlanWatch::Kind::Accumulate:
    case PlanWatch::Kind::Require:
      run.dirty_settled.push_back(dirty);
      break;
  }
}

void mark(Run& run, std::uint32_t number) {
  Watcher& watcher = run.world.watchers[number];
  if (watcher.kind == Watcher::Kind::Watch) {
    if (run.world.is_alive(watcher.object)) mark(run, run.object(watcher.object), watcher.index);
    return;
  }
  if (watcher.kind == Watcher::Kind::Cluster) {
    touch(run, watcher.index);
    return;
  }
  if (watcher.kind == Watcher::Kind::Structure) {
    mark_structure(run, watcher.object);
    return;
  }
  if (watcher.dirty) return;
  watcher.dirty = true;
  run.dirty = true;
  const Dirty dirty = {watcher.object, watcher.index, run.cause};
  (watcher.kind == Watcher::Kind::Link ? run.dirty_links : run.dirty_processes).push_back(dirty);
}

void unsubscribe(Run& run, std::uint32_t number) {
  for (const std::uint64_t read : run.world.watchers[number].reads) {
    std::vector<std::uint32_t>& list = run.world.subscribers[read];
    list.erase(std::remove(list.begin(), list.end(), number), list.end());
  }
  run.world.watchers[number].reads.clear();
}

/// Evaluates the program of a watch, with tracing if it needs it.
bool evaluate(Run& run, Object& object, Index index, Slot& result) {
  const PlanWatch& plan = object.plan->watches[index];
  if (!plan.traced) return execute(run, object, plan.program, plan.inputs, &result);
  WatchState& state = object.watches[index];
  if (state.watcher == kNone) state.watcher = new_watcher(run, Watcher::Kind::Watch, object.self, index);
  bool good = false;
  traced(run, state.watcher, [&] { good = execute(run, object, plan.program, plan.inputs, &result); });
  return good;
}

/// Puts a value into a slot that a formula or link defines; takes the reference of a box over.
void define(Run& run, Object& object, std::uint32_t slot, Slot value, bool boxed) {
  Slot& place = object.slots[slot];
  if (boxed) {
    run.world.heap.release(place.box);
    place = value;
  } else {
    if (place.integer == value.integer) return;
    place = value;
  }
  changed(run, object, slot);
}

/// Some elements of an array get a value of a link.
void define_elements(Run& run, const Link& link, Slot value) {
  code::Heap& heap = run.world.heap;
  Object& object = run.object(link.target);
  Box*& array = object.slots[link.slot].box;
  const bool several = link.boxed && value.box != nullptr && value.box->kind == code::BoxKind::Array;
  if (several && value.box->size != link.elements.size()) {
    fail(run, diag::Kind::RunFailed, run.object(link.scope), link.span,
         fmt::format("{} elements of an input get a value of {}", link.elements.size(), value.box->size));
    return;
  }
  bool is_new = false;
  for (std::size_t i = 0; i < link.elements.size(); ++i) {
    const Slot given = several ? value.box->slots()[i] : value;
    const Slot old = array->slots()[link.elements[i]];
    if (array->boxed_elements ? heap.same(old.box, given.box) : old.integer == given.integer) continue;
    if (array->references > 1) {
      Box* const own = heap.copy(array);
      heap.release(array);
      array = own;
    }
    if (array->boxed_elements) code::Heap::retain(given.box);
    array->slots()[link.elements[i]] = given;
    if (array->boxed_elements) heap.release(old.box);
    is_new = true;
  }
  if (is_new) changed(run, object, link.slot);
}

void update_formula(Run& run, Object& object, Index index) {
  const PlanWatch& plan = object.plan->watches[index];
  const PlanFormula& formula = object.plan->formulas[plan.owner];
  Slot value;
  if (!evaluate(run, object, index, value)) return;
  if (formula.assignment == nullptr) {
    define(run, object, formula.slot, value, formula.boxed);
    if (formula.is_ranged) note_ranged(run, object, formula.slot);
    return;
  }
  Inputs inputs = plan.inputs;
  inputs.push_back(value);
  execute(run, object, formula.assignment, inputs);
  if (formula.boxed) run.world.heap.release(value.box);
}

bool is_link_active(const Run& run, const Link& link) {
  if (!run.world.is_alive(link.target) || !run.world.is_alive(link.scope)) return false;
  if (link.state == kNone) return true;
  const Object& scope = run.world.objects[link.scope.index];
  const PlanState& state = scope.plan->states[link.state];
  return scope.slots[scope.plan->charts[state.chart].slot].integer == static_cast<std::int64_t>(link.state);
}

/// What a link reads has gone: the input keeps its value until there is something again.
void suspend(Run& run, Link& link) {
  if (link.suspended) return;
  link.suspended = true;
  mark_structure(run, link.target);
  warn_of_kept_value(run, link);
}

void update_link(Run& run, std::uint32_t index) {
  Link& link = run.world.links[index];
  if (!link.exists) return;
  run.world.watchers[link.watcher].dirty = false;
  if (!is_link_active(run, link)) return;
  if (link.in_cluster && !link.can_break) return;
  Object& scope = run.object(link.scope);
  Slot value;
  code::Status status{};
  traced(run, link.watcher,
         [&] { status = run.machine.run(*link.value, scope.self, scope.slots, link.inputs, &value); });
  if (status != code::Status::Finished) {
    if (run.machine.failure().none) {
      suspend(run, link);
    } else {
      fail_by_machine(run, scope);
    }
    return;
  }
  if (std::exchange(link.suspended, false)) mark_structure(run, link.target);
  if (!link.in_cluster && !link.is_partial) {
    define(run, run.object(link.target), link.slot, value, link.boxed);
  } else {
    if (!link.in_cluster) define_elements(run, link, value);
    if (link.boxed) run.world.heap.release(value.box);
  }
  if (!link.in_cluster) note_ranged(run, run.object(link.target), link.slot);
}

/// Formulas and links until none is left. Each takes part once, unless what it reads changes again.
void update_formulas(Run& run) {
  const std::uint64_t limit = 1000 + 100 * (run.world.links.size() + run.world.objects.size());
  std::uint64_t updates = 0;
  std::size_t formula = 0, link = 0;
  while (!run.over && (formula < run.dirty_formulas.size() || link < run.dirty_links.size())) {
    if (formula < run.dirty_formulas.size()) {
      const Dirty dirty = run.dirty_formulas[formula++];
      run.cause = dirty.cause;
      if (!run.world.is_alive(dirty.object)) continue;
      Object& object = run.object(dirty.object);
      object.watches[dirty.index].dirty = false;
      if (!object.watches[dirty.index].active || object.watches[dirty.index].in_cluster) continue;
      if (++updates > limit + object.plan->formulas.size() * 100) {
        const PlanFormula& plan = object.plan->formulas[object.plan->watches[dirty.index].owner];
        fail(run, diag::Kind::FormulaCircle, object, run.world.model.variables[plan.variable].span,
             "formulas define each other in a circle and do not come to rest");
        break;
      }
      update_formula(run, object, dirty.index);
    } else {
      const Dirty dirty = run.dirty_links[link++];
      run.cause = dirty.cause;
      update_link(run, dirty.index);
    }
  }
  run.dirty_formulas.clear();
  run.dirty_links.clear();
}

void raise_condition(Run& run, Object& object, Index index, Sequence cause) {
  const PlanWatch& plan = object.plan->watches[index];
  const PlanReaction& reaction = object.plan->reactions[plan.owner];
  Event event;
  event.kind = EventKind::Condition;
  event.rank = Rank::Crossing;
  event.priority_rank = reaction.priority_rank;
  event.place = reaction.place;
  event.object = object.self;
  event.index = index;
  event.cause = cause;
  object.watches[index].pending = true;
  schedule_next(run, event);
}

void decide_condition(Run& run, Object& object, Index index, bool holds, Sequence cause) {
  WatchState& state = object.watches[index];
  if (run.coverage != nullptr) {
    const PlanReaction& reaction = object.plan->reactions[object.plan->watches[index].owner];
    run.coverage->conditions.note(reaction.id.index, holds);
  }
  if (!holds) {
    state.armed = true;
  } else if (state.armed && !state.pending) {
    raise_condition(run, object, index, cause);
  }
}

void look_at_condition(Run& run, Object& object, Index index, Sequence cause) {
  const PlanWatch& plan = object.plan->watches[index];
  if (plan.kind == PlanWatch::Kind::Rate) {
    restart_rate(run, object, plan.owner);
    return;
  }
  const bool holds = condition_holds(run, object, index);
  if (!run.over) decide_condition(run, object, index, holds, cause);
}

}  // namespace

void tell_readers(Run& run, Object& object, std::uint32_t slot) {
  for (const Index watch : object.plan->slot_watches[slot]) mark(run, object, watch);
  if (object.cluster != kNone) touch(run, object.cluster);
  if (object.plan->is_reference[slot]) mark_structure(run, object.self);
  if (!object.extras || !object.extras->has_subscribers) return;
  const auto found = run.world.subscribers.find(key_of(object.self, slot));
  if (found == run.world.subscribers.end()) return;
  for (const std::uint32_t watcher : found->second) mark(run, watcher);
}

void tell_of_end(Run& run, const Object& object) {
  const auto tell = [&](std::uint32_t slot) {
    const auto found = run.world.subscribers.find(key_of(object.self, slot));
    if (found == run.world.subscribers.end()) return;
    for (const std::uint32_t watcher : found->second) mark(run, watcher);
  };
  for (std::uint32_t slot = 0; slot < object.plan->slot_watches.size(); ++slot) tell(slot);
  tell(code::Layout::kNoSlot);
}

void warn_of_kept_value(Run& run, const Link& link) {
  warn(run, diag::Kind::InputKeepsValue, run.object(link.target), link.span,
       fmt::format("an input keeps its last value: what fed it, `{}`, has gone",
                   model::expression_text(run.world.model, link.expr, {})),
       "disconnect it before, or connect it to something else");
}

void set_slot(Run& run, Object& object, std::uint32_t slot, Slot value) {
  object.slots[slot] = value;
  changed(run, object, slot);
}

void activate(Run& run, Object& object, Index watch) {
  WatchState& state = object.watches[watch];
  state.active = true;
  state.armed = true;
  state.pending = false;
  state.dirty = false;
  const PlanWatch& plan = object.plan->watches[watch];
  if (plan.kind == PlanWatch::Kind::Require) begin_requirement(run, object, watch);
  if (state.in_cluster) {
    // Formulas are equations there: they follow their states and objects. Only a loop would be iterated once more.
    const bool is_same = plan.kind == PlanWatch::Kind::Formula && is_straight(*run.world.clusters[object.cluster]);
    if (!is_same) rewatch(run, object.cluster);
    return;
  }
  mark(run, object, watch);
  if (plan.kind == PlanWatch::Kind::Formula && object.plan->formulas[plan.owner].shares_variable) {
    run.fresh_definitions.push_back({object.self, watch, 0});
  }
}

void deactivate(Run& run, Object& object, Index watch) {
  WatchState& state = object.watches[watch];
  state.active = false;
  state.pending = false;
  if (state.in_cluster) rewatch(run, object.cluster);
  const PlanWatch& plan = object.plan->watches[watch];
  if (plan.timer != kNone) stop_timer(run, object, plan.timer);
  if (state.watcher != kNone) {
    free_watcher(run, state.watcher);
    state.watcher = kNone;
  }
}

void look_again(Run& run, Object& object, Index watch) { mark(run, object, watch); }
void look_again(Run& run, std::uint32_t link) { mark(run, run.world.links[link].watcher); }

std::uint32_t new_watcher(Run& run, Watcher::Kind kind, ObjectRef object, std::uint32_t index) {
  std::vector<Watcher>& watchers = run.world.watchers;
  std::uint32_t number = 0;
  if (run.free_watchers.empty()) {
    number = static_cast<std::uint32_t>(watchers.size());
    watchers.emplace_back();
  } else {
    number = run.free_watchers.back();
    run.free_watchers.pop_back();
  }
  watchers[number] = {kind, object, index, false, {}};
  return number;
}

void free_watcher(Run& run, std::uint32_t watcher) {
  unsubscribe(run, watcher);
  run.world.watchers[watcher].kind = Watcher::Kind::Free;
  run.free_watchers.push_back(watcher);
}

void subscribe(Run& run, std::uint32_t number) {
  std::sort(run.observed.begin(), run.observed.end());
  run.observed.erase(std::unique(run.observed.begin(), run.observed.end()), run.observed.end());
  if (run.world.watchers[number].reads == run.observed) return;
  unsubscribe(run, number);
  run.world.watchers[number].reads = run.observed;
  for (const std::uint64_t read : run.observed) {
    run.world.subscribers[read].push_back(number);
    Object& object = run.world.objects[read >> 32];
    if (!object.extras) object.extras = std::make_unique<ObjectExtras>();
    object.extras->has_subscribers = true;
  }
}

bool condition_holds(Run& run, Object& object, Index index) {
  if (object.watches[index].in_cluster) return cluster_condition_holds(run, object, index);
  const PlanWatch& plan = object.plan->watches[index];
  Slot result;
  if (plan.time_plan == kNone) return evaluate(run, object, index, result) && result.integer != 0;
  run.machine.time = just_after(run.now);
  const bool good = evaluate(run, object, index, result);
  run.machine.time = run.now;
  if (!good) return false;
  schedule_crossing(run, object, index);
  return result.integer != 0;
}

void look_at_truth(Run& run, Object& object, Index watch, bool holds, Sequence cause) {
  if (object.plan->watches[watch].kind == PlanWatch::Kind::When) {
    decide_condition(run, object, watch, holds, cause);
  } else {
    run.dirty_settled.push_back({object.self, watch, cause});
  }
}

void refresh(Run& run) {
  run.dirty = false;
  if (!run.changed_structure.empty()) regather(run, false);
  update_formulas(run);
  for (const std::uint32_t cluster : run.restless_clusters) touch(run, cluster);
  run.dirty = false;
  if (!run.touched_clusters.empty()) refresh_clusters(run, false);
  // Conditions change nothing, so the lists do not grow while they are looked at.
  for (const Dirty& dirty : run.dirty_conditions) {
    if (run.over) break;
    if (!run.world.is_alive(dirty.object)) continue;
    Object& object = run.object(dirty.object);
    object.watches[dirty.index].dirty = false;
    if (!object.watches[dirty.index].active) continue;
    run.cause = dirty.cause;
    look_at_condition(run, object, dirty.index, dirty.cause);
  }
  run.dirty_conditions.clear();
  for (const Dirty& dirty : run.dirty_processes) {
    if (run.over) break;
    run.cause = dirty.cause;
    look_at_process(run, dirty.index);
  }
  run.dirty_processes.clear();
}

void settle(Run& run) {
  for (std::size_t i = 0; i < run.dirty_settled.size() && !run.over; ++i) {
    const Dirty dirty = run.dirty_settled[i];
    if (!run.world.is_alive(dirty.object)) continue;
    Object& object = run.object(dirty.object);
    object.watches[dirty.index].dirty = false;
    if (!object.watches[dirty.index].active) continue;
    run.cause = dirty.cause;
    const PlanWatch& plan = object.plan->watches[dirty.index];
    if (plan.kind == PlanWatch::Kind::Require) {
      look_at_requirement(run, object, plan.owner);
      continue;
    }
    Slot value;
    if (!evaluate(run, object, dirty.index, value)) return;
    const auto number = static_cast<std::size_t>(object.slots[plan.statistic_slot].integer);
    if (std::get<statistics::TimeWeighted>(run.world.statistics[number].figures).set(run.now, value.real)) {
      changed(run, object, plan.statistic_slot);
      continue;
    }
    fail(run, diag::Kind::RunFailed, object, run.world.model.statistics[run.world.statistics[number].id].span,
         fmt::format("a statistic takes finite numbers only, not {}", base::format_number(value.real)));
  }
  run.dirty_settled.clear();
  if (!run.left_requirements.empty() && !run.over) conclude_left(run);
}

bool take_condition(Run& run, Object& object, Index watch) {
  WatchState& state = object.watches[watch];
  state.pending = false;
  if (!state.active) return false;
  const bool holds = condition_holds(run, object, watch);
  state.armed = !holds;
  return holds && !run.over;
}

}  // namespace hyla::engine
