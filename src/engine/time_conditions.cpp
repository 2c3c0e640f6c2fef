// A relation compares two expressions that are affine in time, so their difference has one root.
#include "engine/time_conditions.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/timers.h"

namespace hyla::engine {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kNudges = 4;

/// left - right of a relation at a time; NaN if it cannot be computed.
double difference(Run& run, Object& object, const PlanWatch& plan, const TimePlan::Relation& relation, double time) {
  run.machine.time = time;
  Slot left, right;
  const bool good = execute(run, object, relation.left, plan.inputs, &left) &&
                    execute(run, object, relation.right, plan.inputs, &right);
  run.machine.time = run.now;
  return good ? left.real - right.real : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

double just_after(double now) {
  double time = now;
  for (int i = 0; i < kNudges; ++i) time = std::nextafter(time, kInfinity);
  return time;
}

void schedule_crossing(Run& run, Object& object, Index watch) {
  const PlanWatch& plan = object.plan->watches[watch];
  if (plan.timer == kNone) return;
  double first = kInfinity;
  for (const TimePlan::Relation& relation : object.plan->time_plans[plan.time_plan].relations) {
    const double root = root_after(run, [&](double time) { return difference(run, object, plan, relation, time); });
    if (run.over) return;
    first = std::min(first, root);
  }
  stop_timer(run, object, plan.timer);
  if (first == kInfinity) return;
  Event event;
  event.kind = plan.kind == PlanWatch::Kind::When ? EventKind::Condition : EventKind::Settled;
  event.rank = Rank::Crossing;
  event.priority_rank = run.default_priority;
  if (plan.kind == PlanWatch::Kind::When) {
    event.priority_rank = object.plan->reactions[plan.owner].priority_rank;
    event.place = object.plan->reactions[plan.owner].place;
  }
  event.object = object.self;
  event.index = watch;
  event.branch = 1;
  event.cause = run.cause;
  object.timers[plan.timer].event = schedule(run, first, event);
}

}  // namespace hyla::engine
