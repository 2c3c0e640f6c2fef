#include "engine/margin.h"

#include <algorithm>
#include <cmath>

#include "engine/gauges.h"

namespace hyla::engine {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

bool is_distance(const PlanMargin& step) {
  return step.op == PlanMargin::Op::Relation || step.op == PlanMargin::Op::Truth;
}

/// A failure does not end the run: the condition itself may never come to the part that fails.
bool compute(Run& run, const Object& object, const PlanWatch& plan, const code::Program* program, Slot& result) {
  return run.machine.run(*program, object.self, object.slots, plan.inputs, &result) == code::Status::Finished;
}

/// The distance of a relation or truth at a time.
double distance(Run& run, const Object& object, const PlanWatch& plan, const PlanMargin& step, double time) {
  run.machine.time = time;
  Slot left, right;
  const bool is_relation = step.op == PlanMargin::Op::Relation;
  const bool good =
      compute(run, object, plan, step.left, left) && (!is_relation || compute(run, object, plan, step.right, right));
  run.machine.time = run.now;
  if (!good) return kNotANumber;
  const double value = is_relation ? right.real - left.real : left.integer != 0 ? kInfinity : -kInfinity;
  return step.negated ? -value : value;
}

/// `distance_of(k)`: of the k-th relation or truth.
template <class DistanceOf>
double combine(const std::vector<PlanMargin>& steps, DistanceOf&& distance_of) {
  std::vector<double> stack;
  std::size_t number = 0;
  for (const PlanMargin& step : steps) {
    if (is_distance(step)) {
      const double distance = distance_of(number++, step);
      if (std::isnan(distance)) return kNotANumber;
      stack.push_back(distance);
      continue;
    }
    const double last = stack.back();
    stack.pop_back();
    stack.back() = step.op == PlanMargin::Op::Least ? std::min(stack.back(), last) : std::max(stack.back(), last);
  }
  return stack.empty() ? kNotANumber : stack.back();
}

}  // namespace

double margin_now(Run& run, Object& object, Index watch) {
  if (object.watches[watch].in_cluster) return cluster_margin(run, object, watch);
  const PlanWatch& plan = object.plan->watches[watch];
  return combine(plan.margin, [&](std::size_t /*number*/, const PlanMargin& step) {
    return distance(run, object, plan, step, run.now);
  });
}

std::size_t sides_of(const PlanWatch& plan) {
  const auto distances = std::count_if(plan.margin.begin(), plan.margin.end(), is_distance);
  return 1 + 2 * static_cast<std::size_t>(distances);
}

std::vector<double> sides_now(Run& run, Object& object, Index watch) {
  const PlanWatch& plan = object.plan->watches[watch];
  std::vector<double> result = {run.now};
  for (const PlanMargin& step : plan.margin) {
    if (!is_distance(step)) continue;
    const double now = distance(run, object, plan, step, run.now);
    const double later = distance(run, object, plan, step, run.now + 1);
    result.push_back(now);
    result.push_back(std::isfinite(now) ? later - now : 0);
  }
  return result;
}

double margin_at(const PlanWatch& plan, const std::vector<double>& sides, double time) {
  return combine(plan.margin, [&](std::size_t number, const PlanMargin&) {
    return sides[1 + 2 * number] + sides[2 + 2 * number] * (time - sides[0]);
  });
}

}  // namespace hyla::engine
