#include "engine/devs.h"

#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "engine/draw.h"

namespace hyla::engine {
namespace {

ObjectExtras& extras_of(Object& object) {
  if (!object.extras) object.extras = std::make_unique<ObjectExtras>();
  return *object.extras;
}

diag::Span span_of(const Run& run, const Object& object) {
  return run.world.model.classes[object.plan->object_class].span;
}

void tell_atomic(Run& run, const Object& object, OccurrenceKind kind, Sequence cause) {
  if (!run.tells) return;
  Occurrence occurrence;
  occurrence.kind = kind;
  occurrence.object = object.self;
  occurrence.cause = cause;
  occurrence.span = span_of(run, object);
  tell(run, occurrence);
}

Box* make_bag(Run& run, std::vector<Box*>& messages) {
  Box* bag = run.world.heap.new_bag(messages);
  messages.clear();
  return bag;
}

void internal_transition(Run& run, Object& object) { execute(run, object, object.plan->devs.internal, {}); }

void external_transition(Run& run, Object& object, double elapsed, Box* bag) {
  const Slot inputs[] = {Slot(elapsed), Slot(bag)};
  execute(run, object, object.plan->devs.external, inputs);
}

void confluent_transition(Run& run, Object& object, Box* bag) {
  if (object.plan->devs.confluent != nullptr) {
    const Slot inputs[] = {Slot(bag)};
    execute(run, object, object.plan->devs.confluent, inputs);
    return;
  }
  internal_transition(run, object);
  if (!run.over) external_transition(run, object, 0, bag);
}

/// Puts the transition for an event step on the agenda, if it is not there yet.
bool queue_transition(Run& run, const Object& object, ObjectExtras& extras, std::uint64_t step_count) {
  if (extras.queued_at == step_count) return false;
  extras.queued_at = step_count;
  Event event;
  event.kind = EventKind::Devs;
  event.rank = Rank::Timeout;
  event.priority_rank = run.default_priority;
  event.object = object.self;
  event.cause = run.cause;
  schedule_next(run, event);
  return true;
}

}  // namespace

void begin_atomic(Run& run, Object& object) { extras_of(object).last_event = run.now; }

void schedule_internal(Run& run, Object& object) {
  ObjectExtras& extras = extras_of(object);
  if (extras.internal != 0) cancel(run, extras.internal);
  extras.internal = 0;
  Slot advance;
  const code::Program* const program = object.plan->devs.advance;
  if (!(program != nullptr && short_value(object, program->short_form, advance)) &&
      !execute(run, object, program, {}, &advance)) {
    return;
  }
  if (!(advance.real >= 0)) {
    fail(run, diag::Kind::RunFailed, object, span_of(run, object),
         fmt::format("`advance` gives {}, but time does not run backwards", base::format_number(advance.real)),
         "return 0 for at once, or `infinity` for never");
    return;
  }
  extras.next_internal = run.now + advance.real;
  if (std::isinf(advance.real)) return;
  Event event;
  event.kind = EventKind::Output;
  event.rank = Rank::Timeout;
  event.priority_rank = run.default_priority;
  event.object = object.self;
  event.cause = run.cause;
  extras.internal = schedule(run, extras.next_internal, event);
}

void put_into_bag(Run& run, Object& object, Box* message, std::uint64_t step_count) {
  ObjectExtras& extras = extras_of(object);
  extras.bags[step_count & 1].push_back(message);
  const bool queued = queue_transition(run, object, extras, step_count);
  if (queued && step_count == run.step_count) {  // the step is just being composed
    run.current.push_back(run.next.back());
    run.next.pop_back();
  }
}

void run_output(Run& run, Object& object) {
  ObjectExtras& extras = extras_of(object);
  extras.internal = 0;
  begin(run);
  ++run.outcome.events;
  // The own transition is put on the agenda before those of the receivers, so that the next step is mostly in order.
  extras.imminent_at = run.step_count + 1;
  queue_transition(run, object, extras, run.step_count + 1);
  execute(run, object, object.plan->devs.lambda, {});
  tell_atomic(run, object, OccurrenceKind::Output, 0);
}

void run_transition(Run& run, Object& object, Sequence cause) {
  ObjectExtras& extras = extras_of(object);
  std::vector<Box*>& messages = extras.bags[run.step_count & 1];
  const bool imminent = extras.imminent_at == run.step_count;
  if (!imminent && extras.internal != 0 && extras.next_internal <= run.now) {
    // The output is due in this step or the next: what has arrived waits for the transition that follows it.
    std::vector<Box*>& later = extras.bags[(run.step_count + 1) & 1];
    later.insert(later.begin(), messages.begin(), messages.end());
    messages.clear();
    if (extras.queued_at != run.step_count + 1) {
      Box* last = later.back();
      later.pop_back();
      put_into_bag(run, object, last, run.step_count + 1);
    }
    return;
  }
  begin(run);
  ++run.outcome.events;
  ++run.fired_atomics[object.plan->object_class.index];
  run.atomics_of[object.plan->object_class.index] = object.self;
  run.happening = {run.now, object.self, {}, {}, object.plan->object_class, {}, run.sequence};
  if (messages.empty()) {
    internal_transition(run, object);
    tell_atomic(run, object, OccurrenceKind::Internal, cause);
  } else {
    run.outcome.messages += messages.size();
    Box* bag = make_bag(run, messages);
    if (imminent) {
      confluent_transition(run, object, bag);
    } else {
      external_transition(run, object, run.now - extras.last_event, bag);
    }
    tell_atomic(run, object, imminent ? OccurrenceKind::Confluent : OccurrenceKind::External, cause);
    run.world.heap.release(bag);
  }
  if (run.over) return;
  extras.last_event = run.now;
  schedule_internal(run, object);
}

}  // namespace hyla::engine
