#include "engine/states.h"

#include <algorithm>

#include "engine/charts.h"
#include "engine/collect.h"
#include "engine/create.h"
#include "engine/initial_start.h"
#include "engine/islands.h"
#include "engine/joins.h"
#include "engine/processes.h"
#include "engine/remove.h"
#include "engine/requirements.h"
#include "engine/timers.h"
#include "engine/watch.h"

namespace hyla::engine {
namespace {

bool contains(std::span<const Index> list, Index value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

/// A new value for a variable; boxes are owned by the slot.
bool start_value(Run& run, Object& object, const PlanVariable& variable) {
  const bool boxed =
      run.world.layout.classes[object.plan->object_class.index].slots[variable.slot] == code::SlotUse::Box;
  Slot value;
  if (variable.initial != nullptr) {
    if (!execute(run, object, variable.initial, {}, &value)) return false;
  } else if (!variable.dimensions.empty()) {
    std::vector<std::int64_t> dimensions;
    for (const code::Program* program : variable.dimensions) {
      Slot size;
      if (!execute(run, object, program, {}, &size)) return false;
      dimensions.push_back(size.integer);
    }
    value = Slot(run.world.heap.new_array(dimensions, variable.boxed_elements));
  } else if (boxed && run.world.model.variables[variable.id].type.kind == model::TypeKind::Record) {
    value = Slot(run.world.heap.new_record(model::RecordId(run.world.model.variables[variable.id].type.ref)));
  }
  if (boxed) run.world.heap.release(object.slots[variable.slot].box);
  set_slot(run, object, variable.slot, value);
  if (object.cluster != kNone) {
    run.world.gathering->claims.set({object.self, variable.slot, kNone}, Claim::Begins);
  }
  return true;
}

void stop_processes_in(Run& run, Object& object, Index chart) {
  const Index state = active_state(object, chart);
  if (state == kNone) return;
  const PlanState& plan = object.plan->states[state];
  for (std::size_t i = plan.charts.size(); i-- > 0;) stop_processes_in(run, object, plan.charts[i]);
  for (const Index process : plan.processes) stop_processes(run, object, process);
}

void leave_state(Run& run, Object& object, Index state) {
  const PlanState& plan = object.plan->states[state];
  if (!plan.requirements.empty()) leave_requirements(run, object, plan.requirements);
  for (std::size_t i = plan.charts.size(); i-- > 0;) {
    const PlanChart& chart = object.plan->charts[plan.charts[i]];
    const Index inner = active_state(object, plan.charts[i]);
    if (chart.history != kNone) {
      object.history[chart.history] = inner == kNone ? -1 : static_cast<std::int32_t>(inner);
    }
    if (inner != kNone) leave_state(run, object, inner);
    set_slot(run, object, chart.slot, Slot(code::kInactive));
    if (run.over) return;
  }
  if (run.tells) trace(run, {TraceStep::Kind::Exit, plan.id, {}, {}, {}});
  for (const code::Program* exit : plan.exit) {
    if (!execute(run, object, exit, {})) return;
  }
  leave_parts(run, object, state);
  for (const Index watch : plan.watches) deactivate(run, object, watch);
  if (object.cluster != kNone) restructure(run, object.cluster);
  for (const Index reaction : plan.timers) stop_timer(run, object, object.plan->reactions[reaction].timer);
  run.leaving = object.self;
  run.left_states.push_back(state);
}

/// Where history leads in a chart; kNone if there is nothing to remember.
Index remembered_state(const Object& object, Index chart, const Goal& goal) {
  const PlanChart& plan = object.plan->charts[chart];
  if (goal.remembered == kNone || plan.history == kNone || plan.parent == kNone) return kNone;
  const bool counts = plan.parent == goal.remembered ||
                      (goal.deep && ancestor_in(*object.plan, plan.parent,
                                                object.plan->states[goal.remembered].chart) == goal.remembered);
  const std::int32_t state = object.history[plan.history];
  return counts && state >= 0 ? static_cast<Index>(state) : kNone;
}

}  // namespace

Index ancestor_in(const Plan& plan, Index state, Index chart) {
  while (state != kNone && plan.states[state].chart != chart) state = plan.states[state].parent;
  return state;
}

bool lies_in(const Plan& plan, Index inner, Index outer) {
  while (inner != outer) {
    const Index parent = plan.charts[inner].parent;
    if (parent == kNone) return false;
    inner = plan.states[parent].chart;
  }
  return true;
}

bool initialise_variables(Run& run, Object& object, Index state, std::span<const std::uint32_t> keep) {
  for (const PlanVariable& variable : object.plan->states[state].variables) {
    if (variable.keep || std::find(keep.begin(), keep.end(), variable.slot) != keep.end()) continue;
    if (!start_value(run, object, variable)) return false;
  }
  return true;
}

void enter_state(Run& run, Object& object, Index state, const Goal& goal) {
  const PlanState& plan = object.plan->states[state];
  if (run.coverage != nullptr) ++run.coverage->states[plan.id.index];
  set_slot(run, object, object.plan->charts[plan.chart].slot, Slot(static_cast<std::int64_t>(state)));
  if (!plan.variables.empty() && !contains(goal.prepared, state) &&
      !initialise_variables(run, object, state, goal.assigned)) {
    return;
  }
  if (object.cluster != kNone) restructure(run, object.cluster);
  if (!plan.mailboxes.empty()) clear_mailboxes(run, object, state);
  if (plan.has_links) renew_links(run, object.self);
  if (!plan.parts.empty() || !plan.connections.empty()) {
    enter_parts(run, object, state);
    if (run.over) return;
  }
  if (plan.has_initial_equations) note_entered(run, object, state);
  if (run.tells) trace(run, {TraceStep::Kind::Entry, plan.id, {}, {}, {}});
  for (const PlanBlock& block : plan.initial) {
    if (!execute(run, object, block.program, block.inputs)) return;
  }
  for (const code::Program* entry : plan.entry) {
    if (!execute(run, object, entry, {})) return;
  }
  for (const Index watch : plan.watches) activate(run, object, watch);
  for (const Index reaction : plan.timers) {
    start_timer(run, object, reaction);
    if (run.over) return;
  }
  for (const Index process : plan.automatic_processes) start_process(run, object, process, {});
  if (!plan.automatic.empty()) run.completions.push_back({object.self, state, false});
  for (const Index chart : plan.charts) {
    enter_chart(run, object, chart, goal);
    if (run.over) return;
  }
}

void enter_chart(Run& run, Object& object, Index chart, const Goal& goal) {
  if (chart == goal.open_chart) return;
  for (const Index target : goal.states) {
    const Index state = ancestor_in(*object.plan, target, chart);
    if (state != kNone) {
      enter_state(run, object, state, goal);
      return;
    }
  }
  if (goal.open_chart != kNone && lies_in(*object.plan, goal.open_chart, chart)) {
    enter_state(run, object, ancestor_in(*object.plan, object.plan->charts[goal.open_chart].parent, chart), goal);
    return;
  }
  if (const Index state = remembered_state(object, chart, goal); state != kNone) {
    enter_state(run, object, state, goal);
    return;
  }
  const PlanChart& plan = object.plan->charts[chart];
  follow(run, object, chart, plan.initial, plan.initial_action, {}, kNone);
}

void leave_chart(Run& run, Object& object, Index chart) {
  const Index state = active_state(object, chart);
  if (state == kNone) return;
  if (object.extras && !object.extras->processes.empty()) stop_processes_in(run, object, chart);
  leave_state(run, object, state);
  set_slot(run, object, object.plan->charts[chart].slot, Slot(code::kInactive));
}

}  // namespace hyla::engine
