// A relation compares two expressions that are affine in time, so their difference g has one root. A secant gives a
// first estimate; further secants as wide as the way to the root make it exact even where g is large and steals the
// digits of time. Then it is moved to the first representable time at which g has its later sign or is zero.
#include "engine/time_conditions.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/timers.h"

namespace hyla::engine {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kNudges = 4, kSecants = 3, kWidenings = 3;
constexpr double kWidening = 1e3;

/// left - right of a relation at a time; NaN if it cannot be computed.
double difference(Run& run, Object& object, const PlanWatch& plan, const TimePlan::Relation& relation, double time) {
  run.machine.time = time;
  Slot left, right;
  const bool good = execute(run, object, relation.left, plan.inputs, &left) &&
                    execute(run, object, relation.right, plan.inputs, &right);
  run.machine.time = run.now;
  return good ? left.real - right.real : std::numeric_limits<double>::quiet_NaN();
}

double root_after_now(Run& run, Object& object, const PlanWatch& plan, const TimePlan::Relation& relation) {
  const auto g = [&](double time) { return difference(run, object, plan, relation, time); };
  const double from = just_after(run.now);
  const double at_now = g(from);
  double slope = 0, width = std::max(1.0, std::abs(run.now));
  for (int i = 0; i < kWidenings && slope == 0 && !run.over; ++i) {
    slope = (g(from + width) - at_now) / width;
    width = std::max(width, std::abs(at_now)) * kWidening;
  }
  if (run.over || !(slope != 0) || !std::isfinite(slope)) return kInfinity;
  double root = from - at_now / slope;
  for (int i = 0; i < kSecants && root > from && std::isfinite(root) && !run.over; ++i) {
    const double value = g(root);
    if (value == 0 || value == at_now) break;
    root -= value / ((value - at_now) / (root - from));
  }
  if (run.over || !(root > run.now) || !std::isfinite(root)) return kInfinity;
  const auto has_changed = [&](double time) { return slope > 0 ? g(time) >= 0 : g(time) <= 0; };
  for (int i = 0; i < kNudges && !has_changed(root); ++i) root = std::nextafter(root, kInfinity);
  for (int i = 0; i < kNudges && has_changed(std::nextafter(root, -kInfinity)); ++i) {
    root = std::nextafter(root, -kInfinity);
  }
  return root;
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
    const double root = root_after_now(run, object, plan, relation);
    if (run.over) return;
    if (root > run.now) first = std::min(first, root);
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
  event.cause = run.cause;
  object.timers[plan.timer].event = schedule(run, first, event);
}

}  // namespace hyla::engine
