#include "engine/gauges.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/islands.h"
#include "engine/requirements.h"

namespace hyla::engine {
namespace {

/// Margins of an island along the interpolant of its step.
class MarginCourse {
 public:
  MarginCourse(Island& island, const GaugePlan& plan)
      : island_(island), cluster_(island.cluster), plan_(plan), course_(plan.courses[island.number]) {}

  std::size_t count() const { return course_.gauges.size(); }
  const GaugePlan::Gauge& gauge(std::size_t i) const { return plan_.gauges[course_.gauges[i]]; }

  /// All at one time; they stay until the next call.
  const double* at(double t) {
    results_.resize(count());
    if (course_.direct && !island_.constraint) {
      along_tape(t);
    } else {
      in_place(t);
    }
    return results_.data();
  }

 private:
  void along_tape(double t) {
    const std::size_t states = island_.plan->states.size();
    registers_.resize(course_.tape.registers + states);
    double* y = registers_.data() + course_.tape.registers;
    if (states > 0) island_.integrator->interpolate(t, y);
    for (std::size_t k = 0; k < course_.inputs.size(); ++k) {
      const std::uint32_t state = course_.state_inputs[k];
      const At place = course_.inputs[k];
      registers_[k] = state != kNone ? y[state] : place == kTime ? t : cluster_.values[place];
    }
    code::load_constants(course_.tape, registers_.data(), 1);
    code::run(course_.tape, registers_.data(), 1);
    for (std::size_t i = 0; i < count(); ++i) results_[i] = registers_[course_.tape.outputs[i]];
  }

  void in_place(double t) {
    registers_.resize(island_.plan->states.size());
    if (island_.integrator) island_.integrator->interpolate(t, registers_.data());
    island_.system.place(t, registers_.data());
    code::run(plan_.margins, cluster_.values.data());
    for (std::size_t i = 0; i < count(); ++i) results_[i] = cluster_.values[gauge(i).margin];
  }

  Island& island_;
  Cluster& cluster_;
  const GaugePlan& plan_;
  const GaugePlan::Course& course_;
  std::vector<double> registers_, results_;
};

constexpr std::size_t kParts = 4;  ///< of a step

struct Point {
  double t = 0, value = 0;
};

/// Where the parabola through three points has its vertex; NaN if it has none.
double vertex(const Point& a, const Point& b, const Point& c) {
  const double left = (b.t - a.t) * (b.value - c.value), right = (b.t - c.t) * (b.value - a.value);
  return b.t - 0.5 * ((b.t - a.t) * left - (b.t - c.t) * right) / (left - right);
}

/// The least value of a function near `b`, where it is least of the three.
template <class Function>
Point refine(Function&& function, Point a, Point b, Point c) {
  constexpr int kMost = 6;
  for (int i = 0; i < kMost; ++i) {
    const double t = vertex(a, b, c);
    if (!(t > a.t && t < c.t) || std::abs(t - b.t) <= 1e-7 * (c.t - a.t)) break;
    const Point found = {t, function(t)};
    if (!std::isfinite(found.value)) break;
    if (found.value < b.value) {
      (t > b.t ? a : c) = b;
      b = found;
    } else {
      (t > b.t ? c : a) = found;
    }
  }
  return b;
}

/// The least value of a function whose values at some points, in order, are known.
template <class Function>
Point least_of(const std::array<Point, kParts + 1>& points, Function&& function) {
  const auto found =
      std::min_element(points.begin(), points.end(), [](const Point& a, const Point& b) { return a.value < b.value; });
  const auto number = static_cast<std::size_t>(found - points.begin());
  if (!std::isfinite(found->value)) return *found;
  if (number > 0 && number < kParts) return refine(function, points[number - 1], *found, points[number + 1]);
  // At an end: the slope tells whether it still falls behind the last point.
  const std::size_t middle = number == 0 ? 1 : kParts - 1;
  const double t = vertex(points[middle - 1], points[middle], points[middle + 1]);
  const Point& inner = points[middle];
  if (!(t > std::min(inner.t, found->t) && t < std::max(inner.t, found->t))) return *found;
  const Point between = {t, function(t)};
  if (!(between.value < found->value)) return *found;
  return number == 0 ? refine(function, *found, between, inner) : refine(function, inner, between, *found);
}

}  // namespace

void measure_passed(Run& run, Island& island, double until) {
  const GaugePlan& plan = *island.cluster.guards->gauges;
  const double from = std::max(island.measured, island.begin);
  if (!(until > from) || island.number >= plan.courses.size() || plan.courses[island.number].gauges.empty()) return;
  if (!island.has_begun && !island.plan->states.empty()) return;
  island.measured = until;
  MarginCourse course(island, plan);
  std::vector<std::array<Point, kParts + 1>> points(course.count());
  for (std::size_t k = 0; k <= kParts; ++k) {
    const double t = k == kParts ? until : from + (until - from) * static_cast<double>(k) / kParts;
    const double* margins = course.at(t);
    for (std::size_t i = 0; i < course.count(); ++i) points[i][k] = {t, margins[i]};
  }
  for (std::size_t i = 0; i < course.count(); ++i) {
    const ShapeCondition& condition = island.cluster.shape->conditions[course.gauge(i).condition];
    Object& object = run.object(island.cluster.objects[condition.object]);
    const double sign = is_goal(run, object, condition.watch) ? -1 : 1;
    for (Point& point : points[i]) point.value *= sign;
    const Point least = least_of(points[i], [&](double t) { return sign * course.at(t)[i]; });
    note_margin(run, object, condition.watch, least.t, sign * least.value);
  }
}

double cluster_margin(Run& run, Object& object, Index watch) {
  Cluster& cluster = *run.world.clusters[object.cluster];
  const std::uint32_t number = object.watches[watch].condition;
  if (cluster.guards == nullptr || !cluster.guards->gauges) return std::numeric_limits<double>::quiet_NaN();
  const GaugePlan& plan = *cluster.guards->gauges;
  const auto found = std::find_if(plan.gauges.begin(), plan.gauges.end(),
                                  [&](const GaugePlan::Gauge& gauge) { return gauge.condition == number; });
  if (found == plan.gauges.end()) return std::numeric_limits<double>::quiet_NaN();
  code::run(plan.margins, cluster.values.data());
  return cluster.values[found->margin];
}

}  // namespace hyla::engine
