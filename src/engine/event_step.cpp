#include "engine/event_step.h"

#include <cstdint>

#include "engine/charts.h"
#include "engine/commutation.h"
#include "engine/create.h"
#include "engine/devs.h"
#include "engine/islands.h"
#include "engine/mailboxes.h"
#include "engine/messages.h"
#include "engine/processes.h"
#include "engine/remove.h"
#include "engine/requirements.h"
#include "engine/timers.h"
#include "engine/watch.h"

namespace hyla::engine {
namespace {

void run_condition(Run& run, Object& object, const Event& event) {
  if (event.branch == 0 && !object.watches[event.index].pending) return;  // its state was left meanwhile
  const PlanWatch& watch = object.plan->watches[event.index];
  if (watch.timer != kNone && !run.calendar.is_alive(object.timers[watch.timer].event)) {
    object.timers[watch.timer].event = 0;
  }
  if (!take_condition(run, object, event.index)) return;
  const PlanReaction& reaction = object.plan->reactions[watch.owner];
  const Index state = reaction.chart == kNone ? reaction.state : active_state(object, reaction.chart);
  Cause cause;
  cause.sequence = event.cause;
  if (object.watches[event.index].in_cluster) {
    note_event(run, object, event.index);
    note_fired(run, *run.world.clusters[object.cluster], object.self, event.index);
  }
  run.is_starting = run.is_starting && reaction.action == nullptr && reaction.target.kind != model::TargetKind::None;
  fire(run, object, watch.owner, state, cause);
}

void run_timeout(Run& run, Object& object, const Event& event) {
  const PlanReaction& reaction = object.plan->reactions[event.index];
  object.timers[reaction.timer].event = 0;
  Slot holds(std::int64_t{1});
  if (reaction.guard != nullptr && !execute(run, object, reaction.guard, reaction.inputs, &holds)) return;
  if (run.coverage != nullptr) run.coverage->guards.note(reaction.id.index, holds.integer != 0);
  const Index state = reaction.chart == kNone ? reaction.state : active_state(object, reaction.chart);
  if (holds.integer != 0) {
    Cause cause;
    cause.sequence = event.cause;
    fire(run, object, event.index, state, cause);
  }
  if (run.over) return;
  const bool stays = reaction.target.kind == model::TargetKind::None || holds.integer == 0;
  if (stays && (state == kNone || is_active(object, state))) repeat_timer(run, object, event.index);
}

void run_event(Run& run, const Event& event) {
  Object& object = run.object(event.object);
  run.cause = event.cause;
  run.is_starting = run.is_starting && event.kind == EventKind::Condition;
  switch (event.kind) {
    case EventKind::Condition:
      run_condition(run, object, event);
      break;
    case EventKind::Timeout:
      run_timeout(run, object, event);
      break;
    case EventKind::ProcessTime:
      continue_in_time(run, event.index, event.branch, event.cause);
      break;
    case EventKind::ProcessUntil:
      recheck_process(run, event.index, event.extra, event.cause);
      break;
    case EventKind::Message:
      deliver(run, object, {model::EntityKind::Port, event.index, event.message, event.sender, event.cause});
      break;
    case EventKind::Signal:
      deliver(run, object, {model::EntityKind::Signal, event.index, nullptr, event.sender, event.cause});
      break;
    case EventKind::MailboxMessage:
      deliver_into(run, event.index, event.message, event.sender, event.cause);
      break;
    case EventKind::Arrival:
      announce(run, event.index, event.message, event.cause);
      run.world.heap.release(event.message);
      break;
    case EventKind::Output:
      run_output(run, object);
      break;
    case EventKind::Devs:
      run_transition(run, object, event.cause);
      break;
    case EventKind::Settled:
      run.dirty_settled.push_back({event.object, event.index, event.cause});
      break;
    case EventKind::Requirement:
      requirement_time_came(run, object, event.index, event.branch != 0);
      break;
    case EventKind::Begin:
      begin_object(run, event.object);
      break;
  }
  if (!run.over) finish_event(run, object);
  if (!run.starting.empty()) begin_processes(run);
  if (!run.announcements.empty()) tell_announcements(run);
}

/// Fetches what the next scheduled event will need while the present one still runs.
void prefetch_next(const Run& run) {
  if (run.calendar.empty()) return;
  const Event& event = run.events[run.calendar.next_event()];
  __builtin_prefetch(&run.world.objects[event.object.index]);
  __builtin_prefetch(event.message);
}

/// Ends the run if it has had all the events that it may have.
void look_at_limit(Run& run) {
  if (run.outcome.events < run.options.event_limit || run.over) return;
  run.over = true;
  run.outcome.ending = Ending::EventLimit;
}

/// The object is there, and still the one that the event was meant for.
bool is_expected(const Run& run, const Event& event) {
  if (!run.world.is_alive(event.object)) return false;
  const bool is_sent =
      event.kind == EventKind::Message || event.kind == EventKind::MailboxMessage || event.kind == EventKind::Signal;
  return !is_sent || event.extra == run.world.objects[event.object.index].incarnation;
}

/// Takes an event off the lists and runs it.
void take_event(Run& run, std::uint32_t number) {
  const Event event = run.events[number];
  run.events[number].message = nullptr;
  run.calendar.release(number);
  prefetch_next(run);
  if (is_expected(run, event)) [[likely]] {
    const std::uint32_t cluster = run.object(event.object).cluster;
    if (cluster != kNone) synchronise(run, *run.world.clusters[cluster]);
    run_event(run, event);
    look_at_limit(run);
  } else {
    skip_message(run, event);
    run.world.heap.release(event.message);
  }
}

}  // namespace

// Most steps have one event and need no agenda; messages to atomic models go into bags.
void run_step(Run& run) {
  std::uint32_t first = kNone;
  if (run.next.empty()) {
    first = run.calendar.pop();
    if (run.calendar.next_time() > run.now && !run.events[first].for_atomic) {
      take_event(run, first);
      return;
    }
  }
  compose_step(run, first);
  for (std::size_t i = 0; i < run.current.size() && !run.over; ++i) {
    const AgendaEntry entry = run.current[i];
    const EventHandle handle = std::uint64_t{entry.generation} << 32 | entry.event;
    if (run.calendar.is_alive(handle)) take_event(run, entry.event);  // not if an earlier event has taken it back
  }
}

}  // namespace hyla::engine
