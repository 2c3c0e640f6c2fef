#include "engine/charts.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/devs.h"
#include "engine/initial_start.h"
#include "engine/processes.h"
#include "engine/states.h"
#include "engine/timers.h"
#include "engine/watch.h"

namespace hyla::engine {
namespace {

constexpr std::size_t kMostCompletions = 10000;  ///< automatic transitions in a row before they count as endless

OccurrenceKind kind_of(const PlanReaction& reaction) {
  if (reaction.target.kind != model::TargetKind::None) return OccurrenceKind::Transition;
  switch (reaction.trigger) {
    case model::TriggerKind::After:
    case model::TriggerKind::At:
    case model::TriggerKind::Every:
    case model::TriggerKind::Rate:
      return OccurrenceKind::Timeout;
    default:
      return OccurrenceKind::Reaction;
  }
}

/// Gives the variables of the states to be entered their values before the actions assign some, and lists these states.
/// Those of states that were just left stay readable, and get their values after the actions.
bool prepare(Run& run, Object& object, Index region, const Goal& goal, std::vector<Index>& prepared) {
  const Plan& plan = *object.plan;
  for (Index state : goal.states) {
    for (; state != kNone && lies_in(plan, plan.states[state].chart, region); state = plan.states[state].parent) {
      if (plan.states[state].variables.empty()) continue;
      if (std::find(run.left_states.begin(), run.left_states.end(), state) != run.left_states.end()) continue;
      if (!initialise_variables(run, object, state, {})) return false;
      prepared.push_back(state);
    }
  }
  return true;
}

/// `source` is referred to.
Goal goal_of(const PlanTarget& target, const Index& source) {
  Goal goal;
  goal.assigned = target.assigned;
  switch (target.kind) {
    case model::TargetKind::State:
    case model::TargetKind::Fork:
      goal.states = target.states;
      break;
    case model::TargetKind::Self:
      goal.states = {&source, 1};
      break;
    case model::TargetKind::History:
    case model::TargetKind::DeepHistory:
      goal.states = target.states;
      goal.remembered = target.states.front();
      goal.deep = target.kind == model::TargetKind::DeepHistory;
      break;
    default:
      break;
  }
  return goal;
}

void finish_chart(Run& run, Object& object, Index chart) {
  const PlanChart& plan = object.plan->charts[chart];
  set_slot(run, object, plan.slot, Slot(code::kFinal));
  if (run.tells) trace(run, {TraceStep::Kind::Final, {}, {}, plan.id, {}});
  if (plan.parent == kNone) return;
  const PlanState& parent = object.plan->states[plan.parent];
  const bool all_final = std::all_of(parent.charts.begin(), parent.charts.end(), [&](Index other) {
    return object.slots[object.plan->charts[other].slot].integer == code::kFinal;
  });
  if (all_final && !parent.done.empty()) run.completions.push_back({object.self, plan.parent, true});
}

void note_branch(Run& run, const PlanChoice& choice, const PlanChoice::Branch& branch, bool holds) {
  const auto number = static_cast<std::size_t>(&branch - choice.branches.data());
  const std::size_t place = run.first_branches[choice.id.index] + number;
  if (branch.guard != nullptr) run.coverage->branch_guards.note(place, holds);
  if (holds) ++run.coverage->branches[place];
}

/// Enters the states around a choice and takes the first branch whose guard holds.
void pass_choice(Run& run, Object& object, Index region, Index choice_index, const Goal& way) {
  const PlanChoice& choice = object.plan->choices[choice_index];
  if (run.tells) trace(run, {TraceStep::Kind::Choice, {}, choice.id, {}, {}});
  if (choice.chart != region) {
    Goal goal = way;
    goal.open_chart = choice.chart;
    enter_chart(run, object, region, goal);
    if (run.over) return;
  }
  for (const PlanChoice::Branch& branch : choice.branches) {
    Slot holds(std::int64_t{1});
    if (branch.guard != nullptr && !execute(run, object, branch.guard, {}, &holds)) return;
    if (run.coverage != nullptr) note_branch(run, choice, branch, holds.integer != 0);
    if (holds.integer == 0) continue;
    const Index outer = region_of(*object.plan, choice.chart, branch.target, kNone);
    if (outer != choice.chart) leave_chart(run, object, outer);
    if (!run.over) follow(run, object, outer, branch.target, branch.action, {}, kNone);
    return;
  }
  fail(run, diag::Kind::NoWayOutOfChoice, object, run.world.model.choices[choice.id].span,
       fmt::format("no branch of the choice `{}` can be taken",
                   run.world.model.name(run.world.model.choices[choice.id].name)),
       "add a branch with `else`");
}

void tell_fired(Run& run, const Object& object, const PlanReaction& reaction, Index state, const Cause& cause) {
  Occurrence occurrence;
  occurrence.kind = kind_of(reaction);
  occurrence.object = object.self;
  occurrence.reaction = reaction.id;
  if (state != kNone) occurrence.state = object.plan->states[state].id;
  occurrence.cause = cause.sequence;
  occurrence.source_kind = cause.source_kind;
  occurrence.source = cause.source;
  occurrence.message = cause.message;
  if (cause.delivery != nullptr) occurrence.sender = cause.delivery->sender;
  occurrence.span = run.world.model.reactions[reaction.id].span;
  tell(run, occurrence);
}

void tell_start(Run& run, const Object& object) {
  Occurrence occurrence;
  occurrence.kind = OccurrenceKind::Start;
  occurrence.object = object.self;
  occurrence.span = run.world.model.classes[object.plan->object_class].span;
  tell(run, occurrence);
}

/// The next state to complete: the innermost, then the first entered.
Completion take_completion(Run& run, const Object& object) {
  const auto depth = [&](const Completion& completion) { return object.plan->states[completion.state].depth; };
  const auto deepest = std::max_element(run.completions.begin(), run.completions.end(),
                                        [&](const Completion& a, const Completion& b) { return depth(a) < depth(b); });
  const Completion completion = *deepest;
  run.completions.erase(deepest);
  return completion;
}

}  // namespace

Index region_of(const Plan& plan, Index region, const PlanTarget& target, Index source) {
  const auto holds_target = [&](Index chart) {
    switch (target.kind) {
      case model::TargetKind::Choice:
        return lies_in(plan, plan.choices[target.choice].chart, chart);
      case model::TargetKind::State:
      case model::TargetKind::Fork:
      case model::TargetKind::History:
      case model::TargetKind::DeepHistory:
        return std::all_of(target.states.begin(), target.states.end(),
                           [&](Index state) { return ancestor_in(plan, state, chart) != kNone; });
      default:
        return true;  // self and final stay in the chart of the source
    }
  };
  // A target inside the source is local, if one region of the source holds all of it.
  if (source != kNone && target.kind != model::TargetKind::Self && target.kind != model::TargetKind::Final) {
    for (const Index inner : plan.states[source].charts) {
      if (holds_target(inner)) return inner;
    }
  }
  while (!holds_target(region)) {
    const Index parent = plan.charts[region].parent;
    if (parent == kNone) break;
    region = plan.states[parent].chart;
  }
  return region;
}

void follow(Run& run, Object& object, Index region, const PlanTarget& target, const code::Program* action,
            std::span<const Slot> inputs, Index source) {
  Goal goal = goal_of(target, source);
  std::vector<Index> prepared;
  if (!prepare(run, object, region, goal, prepared)) return;
  goal.prepared = prepared;
  if (!execute(run, object, action, inputs)) return;
  switch (target.kind) {
    case model::TargetKind::Choice:
      pass_choice(run, object, region, target.choice, goal);
      break;
    case model::TargetKind::Final:
      finish_chart(run, object, region);
      break;
    default:
      enter_chart(run, object, region, goal);
      break;
  }
}

namespace {

void carry_out(Run& run, Object& object, const PlanReaction& reaction, Index state, const code::Program* action,
               std::span<const Slot> inputs) {
  if (reaction.target.kind == model::TargetKind::None) {
    if (run.tells) trace(run, {TraceStep::Kind::Reaction, {}, {}, {}, {}});
    execute(run, object, action, inputs);
  } else {
    const Plan& plan = *object.plan;
    const Index region = region_of(plan, plan.states[state].chart, reaction.target, state);
    leave_chart(run, object, region);
    if (run.tells) trace(run, {TraceStep::Kind::Reaction, {}, {}, {}, {}});
    if (!run.over) follow(run, object, region, reaction.target, action, inputs, state);
  }
}

}  // namespace

void fire(Run& run, Object& object, Index index, Index state, const Cause& cause) {
  const PlanReaction& reaction = object.plan->reactions[index];
  begin(run);
  ++run.outcome.events;
  ++run.fired_reactions[reaction.id.index];
  run.reactions_of[reaction.id.index] = object.self;
  run.happening = {run.now, object.self, reaction.id, {}, {}, {}, run.sequence};
  const Slot message(cause.message);
  if (cause.pattern == nullptr) {
    carry_out(run, object, reaction, state, reaction.action, reaction.inputs);
  } else if (reaction.inputs.empty()) {
    carry_out(run, object, reaction, state, cause.pattern->action, {&message, 1});
  } else {
    Inputs inputs = reaction.inputs;
    inputs.push_back(message);
    carry_out(run, object, reaction, state, cause.pattern->action, inputs);
  }
  if (run.tells) tell_fired(run, object, reaction, state, cause);
}

void complete(Run& run, Object& object) {
  std::size_t count = 0;
  while (!run.completions.empty() && !run.over) {
    const Completion completion = take_completion(run, object);
    if (!is_active(object, completion.state)) continue;
    const PlanState& state = object.plan->states[completion.state];
    for (const Index index : completion.done ? state.done : state.automatic) {
      const PlanReaction& reaction = object.plan->reactions[index];
      Slot holds(std::int64_t{1});
      if (reaction.guard != nullptr && !execute(run, object, reaction.guard, reaction.inputs, &holds)) return;
      if (run.coverage != nullptr) run.coverage->guards.note(reaction.id.index, holds.integer != 0);
      if (holds.integer == 0) continue;
      if (++count > kMostCompletions) {
        fail(run, diag::Kind::EndlessInstant, object, run.world.model.reactions[reaction.id].span,
             fmt::format("more than {} automatic transitions follow each other without an end", kMostCompletions),
             "one of them needs a guard, a time or a message");
        return;
      }
      Cause cause;
      cause.sequence = run.cause;
      fire(run, object, index, completion.state, cause);
      break;
    }
  }
}

void enter_object(Run& run, Object& object) {
  begin(run);
  object.begun = true;
  if (run.coverage != nullptr) ++run.coverage->objects[object.object_class.index];
  const Plan& plan = *object.plan;
  if (plan.has_start || !run.world.starts->empty()) note_entered(run, object, kNone);
  for (const PlanBlock& block : plan.initial) {
    if (!execute(run, object, block.program, block.inputs)) return;
  }
  for (const Index watch : plan.body_watches) activate(run, object, watch);
  for (const Index index : plan.body_reactions) {
    if (plan.reactions[index].timer != kNone) start_timer(run, object, index);
    if (run.over) return;
  }
  for (const PlanProcess& process : plan.processes) {
    if (process.automatic && process.state == kNone && process.program != nullptr) {
      start_process(run, object, static_cast<Index>(&process - plan.processes.data()), {});
    }
  }
  for (const Index chart : plan.top_charts) {
    enter_chart(run, object, chart, {});
    if (run.over) return;
    tell_start(run, object);
    run.trace.clear();
  }
  if (plan.is_atomic) schedule_internal(run, object);
  complete(run, object);
  run.left_states.clear();
}

}  // namespace hyla::engine
