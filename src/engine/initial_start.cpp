#include "engine/initial_start.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include "engine/attribute_values.h"
#include "engine/builder.h"
#include "engine/charts.h"
#include "engine/found_start.h"
#include "engine/initial_errors.h"
#include "engine/island_errors.h"
#include "engine/islands.h"
#include "engine/modes.h"
#include "engine/ranges.h"
#include "engine/reduce.h"

namespace hyla::engine {
namespace {

/// Relations that change each other are decided again so often.
constexpr int kMostRounds = 100;
/// The continuation from the simplified equations: first step, and where it is given up.
constexpr double kFirstStep = 0.25, kShortestStep = 1e-6;

/// The value of the attribute `guess` for a variable of the cluster; none if there is no such attribute.
std::optional<double> declared_guess(Run& run, const Cluster& cluster, const ShapeVariable& variable) {
  if (!variable.id || !run.world.model.variables[variable.id].attributes.guess) return std::nullopt;
  Object& object = run.object(cluster.objects[variable.object]);
  const code::Program* program = run.world.builder->programs().expression(
      run.world.model.variables[variable.id].attributes.guess, {object.object_class, {}, nullptr, "", false, true});
  Slot value;
  if (program == nullptr || !execute(run, object, program, {}, &value)) return std::nullopt;
  return value.real;
}

/// Puts in place what was given or guessed for the variables of objects that begin.
void place_choices(Run& run, Cluster& cluster, const Beginnings& beginnings, const StartPlan& plan) {
  const StartChoices& choices = *run.world.starts;
  for (std::uint32_t i = 0; i < cluster.shape->variables.size(); ++i) {
    const ShapeVariable& variable = cluster.shape->variables[i];
    if (beginnings.objects[variable.object] == 0) continue;
    const Place place{cluster.objects[variable.object], variable.slot, variable.element};
    const auto chosen = [&](const StartChoice* choice, At at) -> std::optional<double> {
      if (choice == nullptr || at == kNowhere) return std::nullopt;
      return plan.unknown_at[at] != 0 ? choice->guess : choice->value;
    };
    std::optional<double> value = chosen(choices.value(place), variable.value);
    // Objects that exist from the beginning have their guesses among the choices.
    if (!value && plan.unknown_at[variable.value] != 0) value = declared_guess(run, cluster, variable);
    if (value) {
      cluster.values[variable.value] = *value;
      publish_value(run, cluster, i, true);
    }
    if (const auto slope = chosen(choices.derivative(place), variable.derivative)) {
      cluster.values[variable.derivative] = *slope;
    }
  }
}

/// Solves the system of a plan once, deciding its relations until they agree with the values.
class StartSolver {
 public:
  /// `ranges`: null if everything is allowed.
  StartSolver(Cluster& cluster, const StartPlan& plan, const SearchRanges* ranges)
      : cluster_(cluster), plan_(plan), ranges_(ranges) {
    const auto put = [&](const std::vector<std::pair<std::uint32_t, double>>& constants) {
      for (const auto& [place, value] : constants) cluster.values[place] = value;
    };
    cluster.values.resize(std::max<std::size_t>(cluster.values.size(), plan.guards->size));
    put(plan.configuration->held.constants);
    put(plan.guards->constants);
  }

  bool solve() {
    decide();
    for (int round = 0; round < kMostRounds; ++round) {
      evaluated = evaluate(plan_.configuration->held, cluster_.values.data(), cluster_.solver, ranges_);
      if (!evaluated.good()) return false;
      before = modes();
      if (!decide()) return true;
    }
    return false;
  }

  Evaluated evaluated;
  std::vector<double> before;  ///< modes, in the last round but one

 private:
  std::vector<double> modes() const {
    std::vector<double> result;
    for (const ShapeMode& mode : cluster_.shape->modes) result.push_back(cluster_.values[mode.value]);
    return result;
  }

  /// True: a relation has changed.
  bool decide() {
    bool changed = false;
    code::run(plan_.guards->relations, cluster_.values.data());
    for (const GuardPlan::Guard& guard : plan_.guards->guards) {
      const ShapeMode& mode = cluster_.shape->modes[guard.mode];
      const double value = by_value(mode.kind, cluster_.values[guard.g]);
      changed = changed || value != cluster_.values[mode.value];
      cluster_.values[mode.value] = value;
    }
    return changed;
  }

  Cluster& cluster_;
  const StartPlan& plan_;
  const SearchRanges* ranges_;
};

/// Where unknowns of a start are expected; none if no one has a range.
std::optional<SearchRanges> search_ranges(Run& run, const Cluster& cluster, const StartPlan& plan) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const Shape& shape = *plan.configuration->shape;
  const std::size_t size = std::max<std::size_t>(cluster.values.size(), plan.guards->size);
  std::optional<SearchRanges> result;
  for (const ShapeVariable& variable : shape.variables) {
    if (!variable.id || plan.unknown_at[variable.value] == 0) continue;
    const model::Attributes& attributes = run.world.model.variables[variable.id].attributes;
    if (!attributes.min && !attributes.max) continue;
    if (!result) {
      result.emplace();
      result->least.assign(size, -kInfinity);
      result->most.assign(size, kInfinity);
    }
    const auto read = [&](model::ExprId expr, double& limit) {
      code::Failure reason;
      if (!expr) return;
      const auto value = attribute_value(run.world, cluster.objects[variable.object], expr, reason);
      if (value && !std::isnan(*value)) limit = *value;
    };
    double &least = result->least[variable.value], &most = result->most[variable.value];
    read(attributes.min, least);
    read(attributes.max, most);
    if (least > most) std::tie(least, most) = std::pair(-kInfinity, kInfinity);
  }
  if (!result) return result;
  for (const ShapeVariable& variable : shape.variables) result->places.push_back(variable.value);
  return result;
}

/// From the simplified equations to the actual ones. False: they could not be reached; all values are as before.
bool continue_start(Cluster& cluster, const StartPlan& plan) {
  if (plan.configuration->misfit.kind != Misfit::Kind::None) return false;
  const std::vector<double> before = cluster.values;
  StartSolver solver(cluster, plan, nullptr);
  const At part = cluster.shape->continuation;
  cluster.values[part] = 0;
  bool good = solver.solve();
  double reached = 0, step = kFirstStep;
  while (good && reached < 1 && step >= kShortestStep) {
    const std::vector<double> last = cluster.values;
    const double next = std::min(1.0, reached + step);
    cluster.values[part] = next;
    if (solver.solve()) {
      reached = next;
      step *= 2;
    } else {
      cluster.values = last;
      step /= 4;
    }
  }
  if (good && reached == 1) return true;
  std::copy(before.begin(), before.end(), cluster.values.begin());
  return false;
}

/// Values that constraints have computed though they are not free, with what they were before.
std::vector<GivenValue> replaced_values(const Cluster& cluster, const StartPlan& plan, const StartRoles& roles,
                                        const std::vector<double>& before) {
  std::vector<GivenValue> result;
  const Configuration& configuration = *plan.configuration;
  for (std::size_t i = 0; i < configuration.demoted.size(); ++i) {
    const Candidate& candidate = configuration.reduction->candidates[i];
    if (configuration.demoted[i] == 0 || candidate.is_derivative) continue;
    const At place = cluster.shape->variables[candidate.variable].value;
    if (plan.unknown_at[place] == 0 || roles.values[candidate.variable] == StartRole::Free) continue;
    result.push_back({place, before[place]});
  }
  return result;
}

/// Values of variables that the start has computed go into their slots, unless they are `given` too. What is free and
/// found is as good as given to everything that follows from it.
void publish_found(Run& run, Cluster& cluster, const StartPlan& plan, const std::vector<GivenValue>& given) {
  std::vector<std::uint8_t> is_replaced(cluster.shape->size);
  for (const GivenValue& one : given) is_replaced[one.place] = 1;
  for (std::uint32_t i = 0; i < cluster.shape->variables.size(); ++i) {
    const ShapeVariable& variable = cluster.shape->variables[i];
    const At at = variable.value;
    // What is given in an object that has not begun yet is needed when it does.
    const bool is_given = variable.start == StartRole::Fixed && !run.object(cluster.objects[variable.object]).begun;
    if (plan.unknown_at[at] == 0 || is_given) continue;
    cluster.changed_places[at] = 1;
    cluster.values[at] += 0.0;  // no zero with a sign
    if (is_replaced[at] != 0) continue;
    cluster.claims[i] = Claim::Assigned;
    publish_value(run, cluster, i, true);
  }
}

/// Parameters do not change later: the start is where they can leave their ranges.
void look_at_parameters(Run& run, const Cluster& cluster, const StartPlan& plan, const SearchRanges& ranges) {
  for (const ShapeVariable& variable : cluster.shape->variables) {
    const At at = variable.value;
    if (!variable.id || plan.unknown_at[at] == 0 || !run.world.model.variables[variable.id].is_fixed()) continue;
    const double value = cluster.values[at];
    if (value >= ranges.least[at] && value <= ranges.most[at]) continue;
    const double limit = value < ranges.least[at] ? ranges.least[at] : ranges.most[at];
    const Object& object = run.object(cluster.objects[variable.object]);
    if (is_beyond(run, object, variable.id, value, limit)) note_departure(run, object, variable.id, "", value, limit);
  }
}

/// Something begins in an object, and its equations are in this cluster.
bool is_due(const Object& object, const Cluster& cluster) {
  return object.start_due && object.cluster == cluster.number;
}

void forget(Run& run, const Cluster& cluster) {
  for (const ObjectRef object : cluster.objects) {
    if (!is_due(run.object(object), cluster)) continue;
    run.object(object).start_due = false;
    --run.starts_due;
    run.entered.erase(object.index);
  }
}

bool solve_plans(Run& run, Cluster& cluster, const Beginnings& beginnings, bool settled,
                 std::vector<GivenValue>& given) {
  Shape& shape = *cluster.shape;
  const std::vector<std::uint8_t> equations = start_equations(shape, cluster.active_equations, beginnings, false);
  const StartRoles roles = start_roles(shape, equations, beginnings);
  const StartPlan& plan = start_plan(shape, *cluster.configuration, run.world.tapes, equations, roles);
  cluster.start = &plan;
  cluster.failed_loop = kNone;
  if (plan.configuration->misfit.kind != Misfit::Kind::None) {
    if (settled) report_start_misfit(run, cluster, plan);
    return false;
  }
  const std::vector<double> before = cluster.values;
  place_choices(run, cluster, beginnings, plan);
  cluster.values[kTime] = run.now;
  if (shape.continuation != kNowhere) {
    const auto mixed = start_equations(shape, cluster.active_equations, beginnings, true);
    if (mixed != equations)
      continue_start(cluster, start_plan(shape, *cluster.configuration, run.world.tapes, mixed, roles));
    cluster.values[shape.continuation] = 1;
  }
  const std::optional<SearchRanges> ranges = search_ranges(run, cluster, plan);
  StartSolver solver(cluster, plan, ranges ? &*ranges : nullptr);
  if (!solver.solve()) {
    cluster.failed_loop = solver.evaluated.loop;
    if (!settled) return false;
    if (solver.evaluated.good()) {
      report_undecided(run, cluster, solver.before);
    } else {
      report_loop(run, cluster, plan.configuration->held_parts, plan.configuration->held, solver.evaluated, nullptr);
    }
    return false;
  }
  given = replaced_values(cluster, plan, roles, before);
  publish_found(run, cluster, plan, given);
  if (ranges) look_at_parameters(run, cluster, plan, *ranges);
  return true;
}

}  // namespace

void note_entered(Run& run, Object& object, Index state) {
  if (!std::exchange(object.start_due, true)) ++run.starts_due;
  run.entered[object.self.index].push_back(state);
  if (object.cluster != kNone) touch(run, object.cluster);
}

Beginnings beginnings_of(const Run& run, const Cluster& cluster) {
  Beginnings result;
  const Shape& shape = *cluster.shape;
  const auto begins = [&](std::uint32_t number, Index state) {
    const Object& object = run.world.object(cluster.objects[number]);
    if (!is_due(object, cluster) || (state != kNone && !is_active(object, state))) return false;
    const std::vector<Index>& states = run.entered.at(object.self.index);
    return std::find(states.begin(), states.end(), state) != states.end();
  };
  for (std::uint32_t i = 0; i < cluster.objects.size(); ++i) result.objects.push_back(begins(i, kNone) ? 1 : 0);
  for (const Activity& activity : shape.activities) {
    result.activities.push_back(begins(activity.object, activity.state) ? 1 : 0);
  }
  return result;
}

bool find_start(Run& run, Cluster& cluster, bool settled, std::vector<GivenValue>& given) {
  const bool any = std::any_of(cluster.objects.begin(), cluster.objects.end(),
                               [&](ObjectRef object) { return is_due(run.object(object), cluster); });
  if (!any) return true;
  const Beginnings beginnings = beginnings_of(run, cluster);
  // Behind the places that all configurations share lie constants of the present one.
  const std::vector<double> before = cluster.values;
  const bool good = solve_plans(run, cluster, beginnings, settled, given);
  const At shared = cluster.configuration->shape->size;
  std::copy(before.begin() + shared, before.end(), cluster.values.begin() + shared);
  if (good) {
    note_found(run, cluster, *cluster.start);
    forget(run, cluster);
  }
  return good;
}

}  // namespace hyla::engine
