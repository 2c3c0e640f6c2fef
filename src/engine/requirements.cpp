#include "engine/requirements.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "engine/islands.h"
#include "engine/margin.h"
#include "engine/timers.h"
#include "engine/watch.h"
#include "model/dump_text.h"

namespace hyla::engine {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

using model::RequirementForm;

const model::Requirement& text_of(const Run& run, const PlanRequirement& plan) {
  return run.world.model.requirements[plan.id];
}

RequirementRecord& record_of(Run& run, const RequirementState& state) { return run.outcome.requirements[state.record]; }

// --- records --------------------------------------------------------------------------------------

std::uint32_t add_record(Run& run, const PlanRequirement& plan, std::string object) {
  RequirementRecord record;
  record.requirement = plan.id;
  record.object = std::move(object);
  for (std::size_t i = 0; i < plan.locals.size(); ++i) {
    const model::Local& local = run.world.model.locals[plan.locals[i]];
    record.indices += fmt::format("{}{} = {}", i > 0 ? ", " : "", run.world.model.name(local.name),
                                  local.type.kind == model::TypeKind::Real ? base::format_number(plan.inputs[i].real)
                                                                           : std::to_string(plan.inputs[i].integer));
  }
  run.outcome.requirements.push_back(std::move(record));
  return static_cast<std::uint32_t>(run.outcome.requirements.size() - 1);
}

/// Objects made while the model runs share a record.
std::uint32_t shared_record(Run& run, const Object& object, Index requirement) {
  const auto [entry, added] = run.shared_records.try_emplace({object.plan->number, requirement}, 0);
  if (added) entry->second = add_record(run, object.plan->requirements[requirement], "");
  return entry->second;
}

std::vector<RequirementState>& states_of(Run& run, Object& object) {
  if (!object.extras) object.extras = std::make_unique<ObjectExtras>();
  std::vector<RequirementState>& states = object.extras->requirements;
  if (states.empty()) {
    states.resize(object.plan->requirements.size());
    for (Index i = 0; i < states.size(); ++i) states[i].record = shared_record(run, object, i);
  }
  return states;
}

RequirementState& state_of(Run& run, Object& object, Index requirement) { return states_of(run, object)[requirement]; }

/// What differs by rounding only is the same: the first time counts.
void lower(double& least, double& least_at, double value, double time) {
  if (!(value < least - 1e-12 * std::abs(value))) return;
  least = value;
  least_at = time;
}

// --- times ----------------------------------------------------------------------------------------

/// The value of `for` or `within`; NaN: the run is over.
double duration_of(Run& run, Object& object, const PlanRequirement& plan, const code::Program* program) {
  Slot duration;
  if (!execute(run, object, program, plan.inputs, &duration)) return std::numeric_limits<double>::quiet_NaN();
  if (duration.real >= 0) return duration.real;
  fail(run, diag::Kind::RunFailed, object, text_of(run, plan).span,
       fmt::format("the duration is {}, but must not be negative", base::format_number(duration.real)));
  return std::numeric_limits<double>::quiet_NaN();
}

void set_timer(Run& run, Object& object, Index requirement, double time, bool is_deadline) {
  const PlanRequirement& plan = object.plan->requirements[requirement];
  const Index timer = is_deadline ? plan.deadline_timer : plan.break_timer;
  stop_timer(run, object, timer);
  if (std::isinf(time)) return;
  Event event;
  event.kind = EventKind::Requirement;
  event.rank = Rank::Crossing;
  event.object = object.self;
  event.index = requirement;
  event.branch = is_deadline ? 1 : 0;
  event.cause = run.cause;
  object.timers[timer].event = schedule(run, time, event);
}

void stop_timers(Run& run, Object& object, const PlanRequirement& plan) {
  if (plan.break_timer != kNone) stop_timer(run, object, plan.break_timer);
  if (plan.deadline_timer != kNone) stop_timer(run, object, plan.deadline_timer);
}

// --- violations -----------------------------------------------------------------------------------

void violate(Run& run, const Object& object, const PlanRequirement& plan, const RequirementState& state,
             const std::string& why) {
  const model::Requirement& requirement = text_of(run, plan);
  RequirementRecord& record = record_of(run, state);
  if (record.violations++ == 0) {
    record.violated_at = run.now;
    record.violated_by = run.world.path(object.self);
  }
  ++run.outcome.violations;
  begin(run);
  Occurrence occurrence;
  occurrence.kind = OccurrenceKind::Require;
  occurrence.object = object.self;
  occurrence.text = requirement.text;
  occurrence.span = requirement.span;
  tell(run, occurrence);
  std::string message = requirement.text.empty() ? "a requirement is violated" : requirement.text;
  if (!why.empty()) message += ": " + why;
  const bool keeps_going = run.options.keep_going;
  fail(run, diag::Kind::RequirementViolated, object, requirement.span, message);
  run.over = !keeps_going;
  if (!keeps_going) run.outcome.ending = Ending::Requirement;
}

std::string text_of(const Run& run, model::ExprId expr) { return model::expression_text(run.world.model, expr, {}); }

/// What has not come: the only condition of `eventually`, the goal of `until`.
std::string not_come(const Run& run, const PlanRequirement& plan, const RequirementState& state,
                     std::string_view when) {
  const model::Requirement& requirement = text_of(run, plan);
  const model::ExprId wanted = requirement.form == RequirementForm::Until ? requirement.goal : requirement.condition;
  std::string text = fmt::format("`{}` did not come {}", text_of(run, wanted), when);
  if (std::isfinite(state.nearest)) {
    text += fmt::format("; nearest at t = {:.6g}: {:.6g} short", state.nearest_at, -state.nearest);
  }
  return text;
}

/// The nearest approach to what has not come is its margin.
void note_approach(Run& run, const RequirementState& state) {
  if (!std::isfinite(state.nearest)) return;
  RequirementRecord& record = record_of(run, state);
  lower(record.margin, record.margin_at, state.nearest, state.nearest_at);
}

// --- opening and closing --------------------------------------------------------------------------

void open(Run& run, Object& object, Index requirement) {
  const PlanRequirement& plan = object.plan->requirements[requirement];
  RequirementState& state = state_of(run, object, requirement);
  const bool extends = state.open && text_of(run, plan).form == RequirementForm::Always;
  if (state.open && !extends) return;  // the first deadline is the stricter one
  ++record_of(run, state).tests;
  if (!extends) {
    state.open = true;
    state.since = run.now;
    state.nearest = -kInfinity;
    state.broken = state.told = false;
  }
  state.deadline = kInfinity;
  if (plan.within == nullptr) return;
  const double within = duration_of(run, object, plan, plan.within);
  if (std::isnan(within)) return;
  state.deadline = run.now + within;
  set_timer(run, object, requirement, state.deadline, true);
}

void close(Run& run, Object& object, Index requirement) {
  state_of(run, object, requirement).open = false;
  stop_timers(run, object, object.plan->requirements[requirement]);
}

void meet(Run& run, Object& object, Index requirement) {
  const RequirementState& state = state_of(run, object, requirement);
  RequirementRecord& record = record_of(run, state);
  if (std::isfinite(state.deadline)) lower(record.spare, record.spare_at, state.deadline - run.now, run.now);
  close(run, object, requirement);
}

void miss(Run& run, Object& object, Index requirement, const std::string& why) {
  const RequirementState state = state_of(run, object, requirement);
  close(run, object, requirement);
  violate(run, object, object.plan->requirements[requirement], state, why);
}

void miss_deadline(Run& run, Object& object, Index requirement) {
  const PlanRequirement& plan = object.plan->requirements[requirement];
  const RequirementState& state = state_of(run, object, requirement);
  note_approach(run, state);
  const std::string when = fmt::format("within {} of t = {}", base::format_number(state.deadline - state.since),
                                       base::format_number(state.since));
  miss(run, object, requirement, not_come(run, plan, state, when));
}

// --- margins --------------------------------------------------------------------------------------

/// Of the settled values. A condition over `time` has changed since it was last looked at.
void measure(Run& run, Object& object, Index watch, std::vector<double>& sides) {
  const PlanWatch& plan = object.plan->watches[watch];
  const bool follows_time = plan.time_plan != kNone && !object.watches[watch].in_cluster;
  if (follows_time && !sides.empty()) note_margin(run, object, watch, run.now, margin_at(plan, sides, run.now));
  note_margin(run, object, watch, run.now, margin_now(run, object, watch));
  if (follows_time) sides = sides_now(run, object, watch);
}

void measure(Run& run, Object& object, Index requirement) {
  const PlanRequirement& plan = object.plan->requirements[requirement];
  RequirementState& state = state_of(run, object, requirement);
  measure(run, object, plan.condition, state.condition_sides);
  if (plan.goal != kNone) measure(run, object, plan.goal, state.goal_sides);
}

// --- looking --------------------------------------------------------------------------------------

void mend(Run& run, Object& object, const PlanRequirement& plan, RequirementState& state) {
  if (plan.break_timer != kNone) stop_timer(run, object, plan.break_timer);
  if (state.broken && !state.told && plan.duration != nullptr) {
    RequirementRecord& record = record_of(run, state);
    lower(record.spare, record.spare_at, state.broken_since + state.allowed - run.now, run.now);
  }
  state.broken = state.told = false;
}

void look_at_always(Run& run, Object& object, Index requirement, bool holds) {
  const PlanRequirement& plan = object.plan->requirements[requirement];
  RequirementState& state = state_of(run, object, requirement);
  if (holds) {
    mend(run, object, plan, state);
  } else if (!state.broken) {
    state.broken = true;
    state.broken_since = run.now;
    if (plan.duration == nullptr) {
      state.told = true;
      RequirementRecord& record = record_of(run, state);
      lower(record.margin, record.margin_at, 0, run.now);
      violate(run, object, plan, state, "");
    } else {
      state.allowed = duration_of(run, object, plan, plan.duration);
      if (!run.over) set_timer(run, object, requirement, run.now + state.allowed, false);
    }
  } else if (run.now >= state.broken_since + state.allowed && !state.told) {
    state.told = true;
    violate(run, object, plan, state,
            fmt::format("it has not held since t = {}, and may be broken for {}",
                        base::format_number(state.broken_since), base::format_number(state.allowed)));
  }
  if (run.now >= state.deadline && !run.over && (!state.broken || state.told)) close(run, object, requirement);
}

bool holds(Run& run, Object& object, Index watch) { return condition_holds(run, object, watch) && !run.over; }

void look_at_open(Run& run, Object& object, Index requirement) {
  const PlanRequirement& plan = object.plan->requirements[requirement];
  const RequirementForm form = text_of(run, plan).form;
  const RequirementState& state = state_of(run, object, requirement);
  const bool holds_now = holds(run, object, plan.condition);
  if (run.over) return;
  if (form == RequirementForm::Always) return look_at_always(run, object, requirement, holds_now);
  const bool is_met = form == RequirementForm::Eventually ? holds_now : holds(run, object, plan.goal);
  if (run.over) return;
  if (is_met) return meet(run, object, requirement);
  if (form == RequirementForm::Until && !holds_now) {
    RequirementRecord& record = record_of(run, state);
    lower(record.margin, record.margin_at, 0, run.now);
    return miss(run, object, requirement,
                fmt::format("`{}` does not hold any more, and `{}` not yet", text_of(run, text_of(run, plan).condition),
                            text_of(run, text_of(run, plan).goal)));
  }
  if (run.now >= state.deadline) miss_deadline(run, object, requirement);
}

/// Whether what is to come holds, by what is known while its state is being left.
bool is_met_on_leaving(Run& run, Object& object, const PlanRequirement& plan) {
  const Index watch = plan.goal != kNone ? plan.goal : plan.condition;
  if (!object.watches[watch].in_cluster) return condition_holds(run, object, watch);
  const Cluster& cluster = *run.world.clusters[object.cluster];
  return cluster.values[cluster.shape->conditions[object.watches[watch].condition].value] != 0;
}

/// The same by the values that the instant has led to.
bool is_met_by_now(Run& run, Object& object, const PlanRequirement& plan) {
  const PlanWatch& watch = object.plan->watches[plan.goal != kNone ? plan.goal : plan.condition];
  Slot result;
  return watch.program != nullptr && execute(run, object, watch.program, watch.inputs, &result) && result.integer != 0;
}

/// Stops to count. True: something was to come and has not.
bool leave(Run& run, Object& object, Index requirement) {
  const PlanRequirement& plan = object.plan->requirements[requirement];
  RequirementState& state = state_of(run, object, requirement);
  state.active = false;
  if (!state.open) return false;
  if (text_of(run, plan).form == RequirementForm::Always) {
    if (state.broken) mend(run, object, plan, state);
    close(run, object, requirement);
    return false;
  }
  if (!is_met_on_leaving(run, object, plan)) {
    close(run, object, requirement);
    return !run.over;
  }
  meet(run, object, requirement);
  return false;
}

/// Those of an object; of all that have left states, if it is none.
void conclude_left(Run& run, ObjectRef object, std::string_view when) {
  std::vector<LeftRequirement> left, others;
  for (LeftRequirement& one : run.left_requirements) {
    (!object || one.object == object ? left : others).push_back(std::move(one));
  }
  run.left_requirements = std::move(others);
  for (const LeftRequirement& one : left) {
    Object& owner = run.object(one.object);
    const PlanRequirement& plan = owner.plan->requirements[one.index];
    run.cause = one.cause;
    if (run.over || is_met_by_now(run, owner, plan) || run.over) continue;
    note_approach(run, one.state);
    violate(run, owner, plan, one.state, not_come(run, plan, one.state, when));
  }
}

}  // namespace

void prepare_requirements(Run& run) {
  for (Object& object : run.world.objects) {
    if (object.plan == nullptr || object.plan->requirements.empty()) continue;
    if (!object.extras) object.extras = std::make_unique<ObjectExtras>();
    std::vector<RequirementState>& states = object.extras->requirements;
    states.resize(object.plan->requirements.size());
    for (Index i = 0; i < states.size(); ++i) {
      states[i].record = add_record(run, object.plan->requirements[i], run.world.path(object.self));
    }
  }
}

void begin_requirement(Run& run, Object& object, Index watch) {
  const Index requirement = object.plan->watches[watch].owner;
  const PlanRequirement& plan = object.plan->requirements[requirement];
  if (watch != plan.condition) return;
  RequirementState& state = state_of(run, object, requirement);
  const std::uint32_t record = state.record;
  state = RequirementState();
  state.record = record;
  state.active = true;
  if (plan.trigger == kNone) open(run, object, requirement);
}

void look_at_requirement(Run& run, Object& object, Index requirement) {
  const PlanRequirement& plan = object.plan->requirements[requirement];
  RequirementState& state = state_of(run, object, requirement);
  if (!state.active) return;
  if (object.cluster != kNone) synchronise(run, *run.world.clusters[object.cluster]);  // measures up to now
  if (plan.trigger != kNone) {
    const bool is_triggered = holds(run, object, plan.trigger);
    if (is_triggered && !state.triggered && !run.over) open(run, object, requirement);
    state.triggered = is_triggered;
  }
  if (state.open && !run.over) measure(run, object, requirement);
  if (state.open && !run.over) look_at_open(run, object, requirement);
}

void requirement_time_came(Run& run, Object& object, Index requirement, bool is_deadline) {
  const PlanRequirement& plan = object.plan->requirements[requirement];
  object.timers[is_deadline ? plan.deadline_timer : plan.break_timer].event = 0;
  run.dirty_settled.push_back({object.self, plan.condition, run.cause});
}

void leave_requirements(Run& run, Object& object, const std::vector<Index>& requirements) {
  for (const Index requirement : requirements) {
    const RequirementState before = state_of(run, object, requirement);
    if (leave(run, object, requirement)) run.left_requirements.push_back({object.self, requirement, before, run.cause});
    if (run.over) return;
  }
}

void conclude_left(Run& run) { conclude_left(run, {}, "before its state was left"); }

void end_requirements(Run& run, Object& object) {
  if (!object.extras || object.extras->requirements.empty()) return;
  for (Index i = 0; i < object.plan->requirements.size() && !run.over; ++i) {
    const RequirementState before = state_of(run, object, i);
    if (leave(run, object, i)) run.left_requirements.push_back({object.self, i, before, run.cause});
  }
  conclude_left(run, object.self, "before its object went");
}

void conclude_requirements(Run& run) {
  if (run.outcome.requirements.empty()) return;
  for (RequirementRecord& record : run.outcome.requirements) {
    if (record.tests > 0) record.verdict = Verdict::Held;
  }
  for (Object& object : run.world.objects) {
    if (!object.extras || object.extras->requirements.empty()) continue;
    for (Index i = 0; i < object.extras->requirements.size(); ++i) {
      const RequirementState& state = object.extras->requirements[i];
      if (!state.open) continue;
      const PlanRequirement& plan = object.plan->requirements[i];
      if (object.plan->watches[plan.condition].time_plan != kNone) measure(run, object, i);
      const bool is_always = text_of(run, plan).form == RequirementForm::Always;
      if (!is_always) note_approach(run, state);
      const bool is_mended = !state.broken || state.told;
      if (is_always && is_mended && std::isinf(state.deadline)) continue;
      record_of(run, state).verdict = Verdict::Undecided;
    }
  }
  for (RequirementRecord& record : run.outcome.requirements) {
    if (record.violations > 0) record.verdict = Verdict::Violated;
  }
}

void note_margin(Run& run, Object& object, Index watch, double time, double margin) {
  const Index requirement = object.plan->watches[watch].owner;
  RequirementState& state = state_of(run, object, requirement);
  if (!state.open || !std::isfinite(margin) || watch == object.plan->requirements[requirement].trigger) return;
  if (is_goal(run, object, watch)) {
    if (margin > state.nearest) {
      state.nearest = margin;
      state.nearest_at = time;
    }
    return;
  }
  RequirementRecord& record = record_of(run, state);
  lower(record.margin, record.margin_at, margin, time);
}

bool is_goal(const Run& run, const Object& object, Index watch) {
  const PlanRequirement& plan = object.plan->requirements[object.plan->watches[watch].owner];
  return watch == plan.goal || text_of(run, plan).form == RequirementForm::Eventually;
}

}  // namespace hyla::engine
