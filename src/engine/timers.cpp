#include "engine/timers.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/text.h"
#include "engine/draw.h"
#include "random/distributions.h"

namespace hyla::engine {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kMostPeriods = 1e15;  ///< beyond, multiples of the period are no longer exact

diag::Span span_of(const Run& run, const PlanReaction& reaction) { return run.world.model.reactions[reaction.id].span; }

/// The value of the reaction's duration, time, period or rate; false if the run has failed.
bool value_of(Run& run, Object& object, const PlanReaction& reaction, const code::Program* program, double& value) {
  Slot result;
  if (!short_value(object, program->short_form, result) && !execute(run, object, program, reaction.inputs, &result)) {
    return false;
  }
  value = result.real;
  if (!std::isnan(value)) return true;
  fail(run, diag::Kind::RunFailed, object, span_of(run, reaction), "the time of this reaction is not a number");
  return false;
}

[[gnu::noinline]] void fail_negative(Run& run, const Object& object, const PlanReaction& reaction, double value,
                                     std::string_view what) {
  fail(run, diag::Kind::RunFailed, object, span_of(run, reaction),
       fmt::format("the {} is {}, but must not be negative", what, base::format_number(value)));
}

bool not_negative(Run& run, const Object& object, const PlanReaction& reaction, double value, std::string_view what) {
  if (value >= 0) [[likely]] {
    return true;
  }
  fail_negative(run, object, reaction, value, what);
  return false;
}

void schedule_timeout(Run& run, Object& object, Index index, double time) {
  if (time == kNever) return;
  const PlanReaction& reaction = object.plan->reactions[index];
  Event event;
  event.kind = EventKind::Timeout;
  event.rank = Rank::Timeout;
  event.priority_rank = reaction.priority_rank;
  event.place = reaction.place;
  event.object = object.self;
  event.index = index;
  event.cause = run.cause;
  object.timers[reaction.timer].event = schedule(run, time, event);
}

bool start_every(Run& run, Object& object, Index index, Timer& timer) {
  const PlanReaction& reaction = object.plan->reactions[index];
  if (!value_of(run, object, reaction, reaction.condition, timer.period)) return false;
  if (!not_negative(run, object, reaction, timer.period, "period")) return false;
  timer.base = run.now;
  timer.count = 1;
  if (reaction.every_from != nullptr) {
    if (!value_of(run, object, reaction, reaction.every_from, timer.base)) return false;
    timer.count = 0;
    const double passed = std::ceil((run.now - timer.base) / timer.period);
    if (timer.base < run.now && timer.period > 0) {
      if (!(passed < kMostPeriods)) {
        fail(run, diag::Kind::RunFailed, object, span_of(run, reaction),
             fmt::format("too many periods of {} lie between {} and now", base::format_number(timer.period),
                         base::format_number(timer.base)));
        return false;
      }
      timer.count = static_cast<std::uint64_t>(passed);
    }
  }
  if (timer.period == 0 && !reaction.condition->draws) {
    fail(run, diag::Kind::RunFailed, object, span_of(run, reaction), "the period is 0",
         "a period must be greater than 0; use `after 0` for the next event step");
    return false;
  }
  schedule_timeout(run, object, index, timer.base + static_cast<double>(timer.count) * timer.period);
  return true;
}

}  // namespace

void start_timer(Run& run, Object& object, Index index) {
  const PlanReaction& reaction = object.plan->reactions[index];
  Timer& timer = object.timers[reaction.timer];
  timer = {};
  double value = 0;
  switch (reaction.trigger) {
    case model::TriggerKind::After:
      if (value_of(run, object, reaction, reaction.condition, value) &&
          not_negative(run, object, reaction, value, "duration")) {
        schedule_timeout(run, object, index, run.now + value);
      }
      break;
    case model::TriggerKind::At:
      if (value_of(run, object, reaction, reaction.condition, value) && value >= run.now) {
        schedule_timeout(run, object, index, value);
      }
      break;
    case model::TriggerKind::Every:
      start_every(run, object, index, timer);
      break;
    case model::TriggerKind::Rate:
      timer.period = -1;
      restart_rate(run, object, index);
      break;
    default:
      break;
  }
}

void stop_timer(Run& run, Object& object, Index index) {
  Timer& timer = object.timers[index];
  if (timer.event != 0) cancel(run, timer.event);
  timer.event = 0;
}

void restart_rate(Run& run, Object& object, Index index) {
  const PlanReaction& reaction = object.plan->reactions[index];
  Timer& timer = object.timers[reaction.timer];
  double rate = 0;
  if (!value_of(run, object, reaction, reaction.condition, rate)) return;
  if (!not_negative(run, object, reaction, rate, "rate")) return;
  if (rate == timer.period) return;
  timer.period = rate;
  stop_timer(run, object, reaction.timer);
  if (rate > 0) {
    schedule_timeout(run, object, index, run.now + random::exponential(object.streams[reaction.stream], 1 / rate));
  }
}

void repeat_timer(Run& run, Object& object, Index index) {
  const PlanReaction& reaction = object.plan->reactions[index];
  Timer& timer = object.timers[reaction.timer];
  if (timer.event != 0) return;  // its state was left and entered again
  if (reaction.trigger == model::TriggerKind::Rate) {
    timer.period = -1;
    restart_rate(run, object, index);
    return;
  }
  if (reaction.trigger != model::TriggerKind::Every) return;
  if (!reaction.condition->draws) {
    ++timer.count;
    schedule_timeout(run, object, index, timer.base + static_cast<double>(timer.count) * timer.period);
    return;
  }
  double period = 0;
  if (!value_of(run, object, reaction, reaction.condition, period)) return;
  if (!not_negative(run, object, reaction, period, "period")) return;
  schedule_timeout(run, object, index, run.now + period);
}

}  // namespace hyla::engine
