#include "engine/ranges.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include <fmt/format.h>

#include "base/text.h"
#include "engine/attribute_values.h"
#include "engine/make_shape.h"

namespace hyla::engine {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Range = ClusterRanges::Range;

const model::Attributes& attributes_of(const Run& run, model::VariableId id) {
  return run.world.model.variables[id].attributes;
}

/// The value of an attribute; `otherwise` if there is none. One that cannot be computed ends the run.
double value_or(Run& run, const Object& object, model::ExprId expr, double otherwise) {
  if (!expr) return otherwise;
  code::Failure reason;
  if (const auto value = attribute_value(run.world, object.self, expr, reason)) return *value;
  fail(run, diag::Kind::RunFailed, object, reason.span, reason.message, reason.hint);
  return otherwise;
}

double tolerance_of(const Run& run, double limit, double nominal) {
  const ContinuousOptions& options = run.options.continuous;
  return options.relative_tolerance * std::abs(limit) + options.absolute_tolerance * nominal;
}

Range make_range(Run& run, const Cluster& cluster, std::uint32_t number) {
  const ShapeVariable& variable = cluster.shape->variables[number];
  const model::Attributes& attributes = attributes_of(run, variable.id);
  const Object& object = run.object(cluster.objects[variable.object]);
  Range range;
  range.variable = number;
  range.least = value_or(run, object, attributes.min, -kInfinity);
  range.most = value_or(run, object, attributes.max, kInfinity);
  range.lowest = range.least - (std::isinf(range.least) ? 0 : tolerance_of(run, range.least, variable.nominal));
  range.highest = range.most + (std::isinf(range.most) ? 0 : tolerance_of(run, range.most, variable.nominal));
  return range;
}

const RangePlan& plan_of(const Cluster& cluster) {
  Configuration& configuration = *cluster.configuration;
  if (configuration.ranges) return *configuration.ranges;
  auto plan = std::make_shared<RangePlan>();
  std::vector<std::uint32_t> range_of(configuration.shape->variables.size(), kNone);
  for (std::uint32_t i = 0; i < cluster.ranges->ranges.size(); ++i) range_of[cluster.ranges->ranges[i].variable] = i;
  for (const IslandPlan& island : configuration.islands) {
    RangePlan::Island& here = plan->islands.emplace_back();
    for (const std::uint32_t variable : island.outputs) {
      if (range_of[variable] == kNone) continue;
      const auto state = std::find(island.states.begin(), island.states.end(), variable);
      if (state == island.states.end()) {
        here.computed.push_back(range_of[variable]);
      } else {
        here.states.emplace_back(range_of[variable], static_cast<std::uint32_t>(state - island.states.begin()));
      }
    }
  }
  for (const std::uint32_t variable : configuration.held_outputs) {
    if (range_of[variable] != kNone) plan->held.push_back(range_of[variable]);
  }
  configuration.ranges = std::move(plan);
  return *configuration.ranges;
}

// --- what is noted --------------------------------------------------------------------------------

/// `[3]`, `[1, 2]`; nothing for a scalar.
std::string element_text(const Object& object, std::uint32_t slot, std::uint32_t element) {
  if (element == kNone) return "";
  const Box& box = *object.slots[slot].box;
  const auto columns = static_cast<std::uint32_t>(box.rank > 1 ? box.dimensions[1] : 1);
  return box.rank > 1 ? fmt::format("[{}, {}]", element / columns + 1, element % columns + 1)
                      : fmt::format("[{}]", element + 1);
}

/// What comes out of an integration is told with a few digits.
double rounded(double value) { return std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr); }

/// Whether the variable, in whatever object, has left its range up to a time.
bool has_left(const Run& run, model::VariableId variable, double time) {
  const auto found = run.departures.find(variable.index);
  return found != run.departures.end() && found->second.time <= time;
}

void note(Run& run, model::VariableId variable, Departure departure) {
  if (run.looks_at_ranges && !has_left(run, variable, departure.time)) {
    run.departures[variable.index] = std::move(departure);
  }
}

// --- looks ----------------------------------------------------------------------------------------

/// Evaluates an island at other points, and then leaves everything as it was: for all, or for those who iterate.
class Glance {
 public:
  Glance(Island& island, bool keeps_all)
      : island_(island), values_(island.cluster.values), keeps_all_(keeps_all || island.constraint) {
    if (keeps_all_) {
      kept_ = values_;
    } else {
      each_iterated([&](double& value) { kept_.push_back(value); });
    }
  }
  ~Glance() {
    if (keeps_all_) {
      values_ = kept_;
    } else {
      std::size_t next = 0;
      each_iterated([&](double& value) { value = kept_[next++]; });
    }
  }
  Glance(const Glance&) = delete;
  Glance& operator=(const Glance&) = delete;

  bool place(double t, const double* y) {
    if (island_.constraint) return island_.system.place(t, y).good();
    values_[kTime] = t;
    const std::vector<std::pair<At, At>>& places = island_.plan->places;
    for (std::size_t i = 0; i < places.size(); ++i) values_[places[i].first] = y[i];
    return evaluate(island_.plan->evaluation, values_.data(), island_.cluster.ranges->solver).good();
  }

 private:
  template <class Visit>
  void each_iterated(Visit&& visit) {
    visit(values_[kTime]);
    for (const Loop& loop : island_.plan->evaluation.loops) {
      for (const std::uint32_t place : loop.unknowns) visit(values_[place]);
    }
  }

  Island& island_;
  std::vector<double>& values_;
  bool keeps_all_;
  std::vector<double> kept_;
};

/// One look at an island, at its values at `time`; those at `from` were looked at before.
class Look {
 public:
  Look(Run& run, Island& island, double from, double time) : run_(run), island_(island), from_(from), time_(time) {}

  void at_value(std::uint32_t number, double value) {
    const Range& range = island_.cluster.ranges->ranges[number];
    if (value < range.lowest || value > range.highest) [[unlikely]]
      leave(range, value);
  }
  /// At what the cluster has in place.
  void at_place(std::uint32_t number) {
    const Cluster& cluster = island_.cluster;
    at_value(number, cluster.values[cluster.shape->variables[cluster.ranges->ranges[number].variable].value]);
  }
  void at_places(const std::vector<std::uint32_t>& numbers) {
    for (const std::uint32_t number : numbers) at_place(number);
  }
  void at_places(const RangePlan::Island& here) {
    for (const auto& [number, state] : here.states) at_place(number);
    at_places(here.computed);
  }

 private:
  void leave(const Range& range, double value) {
    const ShapeVariable& variable = island_.cluster.shape->variables[range.variable];
    if (!run_.looks_at_ranges || has_left(run_, variable.id, from_)) return;
    const bool is_below = value < range.lowest;
    const double limit = is_below ? range.least : range.most;
    const Object& object = run_.object(island_.cluster.objects[variable.object]);
    const std::string element = element_text(object, variable.slot, variable.element);
    if (!(time_ > from_)) return note_departure(run_, object, variable.id, element, value, limit);
    const double left = locate(variable.value, is_below, limit, is_below ? range.lowest : range.highest);
    const double about = rounded(value) == limit ? value : rounded(value);
    const std::string message =
        fmt::format("`{}{}` passes its limit {}; it is {} at t = {}",
                    run_.world.model.name(run_.world.model.variables[variable.id].name), element,
                    base::format_number(limit), base::format_number(about), base::format_number(rounded(time_)));
    note(run_, variable.id, {left, message, circumstances(run_, object, rounded(left))});
  }

  /// When the limit was reached; if that was before, when the tolerance was used up.
  double locate(At place, bool is_below, double limit, double widened) {
    constexpr int kBisections = 40;
    Glance glance(island_, true);
    std::vector<double> y(island_.plan->states.size());
    const auto is_within = [&](double t, double bound) {
      if (island_.integrator) island_.integrator->interpolate(t, y.data());
      if (!glance.place(t, y.data())) return true;
      const double value = island_.cluster.values[place];
      return is_below ? value > bound : value < bound;
    };
    const double bound = is_within(from_, limit) ? limit : widened;
    double inside = from_, outside = time_;
    for (int i = 0; i < kBisections; ++i) {
      const double middle = inside + (outside - inside) / 2;
      (is_within(middle, bound) ? inside : outside) = middle;
    }
    return inside;
  }

  Run& run_;
  Island& island_;
  double from_, time_;
};

/// From where the next look at an island goes.
double last_look(const Island& island) { return std::max(island.looked, island.begin); }

/// What depends on time alone has no time steps: it is looked at so often in a run.
constexpr double kLooks = 100;

void look_along_time(Run& run, Island& island, const RangePlan::Island& here, double until) {
  const double from = last_look(island);
  const double span = run.options.stop_time - run.options.start_time;
  const double pause = std::max(std::isfinite(span) ? span / kLooks : 1, (until - from) / kLooks);
  if (!(from + pause < until)) return;
  Glance glance(island, false);
  for (double k = 1; from + k * pause < until; ++k) {
    const double time = from + k * pause;
    if (glance.place(time, nullptr)) Look(run, island, last_look(island), time).at_places(here.computed);
    island.looked = time;
  }
}

/// Whether the last evaluation was at this point, so that everything that follows from it is in place.
bool is_placed(const Island& island, double t, const double* y) {
  const std::vector<double>& values = island.cluster.values;
  if (values[kTime] != t || island.system.undefined().is_last) return false;
  const std::vector<std::pair<At, At>>& places = island.plan->places;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (values[places[i].first] != y[i]) return false;
  }
  return true;
}

}  // namespace

ClusterRanges* ranges_of(Run& run, Cluster& cluster) {
  if (cluster.ranges_are_known) return cluster.ranges.get();
  cluster.ranges_are_known = true;
  std::vector<Range> ranges;
  for (std::uint32_t i = 0; i < cluster.shape->variables.size(); ++i) {
    const model::VariableId id = cluster.shape->variables[i].id;
    if (!id || run.world.model.variables[id].is_fixed()) continue;
    if (attributes_of(run, id).min || attributes_of(run, id).max) ranges.push_back(make_range(run, cluster, i));
  }
  if (ranges.empty()) return nullptr;
  cluster.ranges = std::make_shared<ClusterRanges>();
  cluster.ranges->ranges = std::move(ranges);
  return cluster.ranges.get();
}

void look_at_settled(Run& run, Cluster& cluster) {
  if (ranges_of(run, cluster) == nullptr) return;
  const RangePlan& plan = plan_of(cluster);
  for (const std::uint32_t number : plan.held) {
    const Range& range = cluster.ranges->ranges[number];
    const ShapeVariable& variable = cluster.shape->variables[range.variable];
    const double value = cluster.values[variable.value];
    if (!(value < range.lowest) && !(value > range.highest)) continue;
    const Object& object = run.object(cluster.objects[variable.object]);
    note_departure(run, object, variable.id, element_text(object, variable.slot, variable.element), value,
                   value < range.lowest ? range.least : range.most);
  }
  for (const std::unique_ptr<Island>& island : cluster.islands) {
    Look(run, *island, run.now, run.now).at_places(plan.islands[island->number]);
    island->looked = run.now;
  }
}

void look_at_end(Run& run, Island& island) {
  if (ranges_of(run, island.cluster) == nullptr || !(island.end > last_look(island))) return;
  const RangePlan::Island& here = plan_of(island.cluster).islands[island.number];
  if (!island.integrator && !here.computed.empty()) look_along_time(run, island, here, island.end);
  Look look(run, island, last_look(island), island.end);
  island.looked = island.end;
  const double* y = island.integrator ? island.integrator->state() : nullptr;
  for (const auto& [number, state] : here.states) look.at_value(number, y[state]);
  if (here.computed.empty()) return;
  if (is_placed(island, island.end, y)) return look.at_places(here.computed);
  Glance glance(island, false);
  if (glance.place(island.end, y)) look.at_places(here.computed);
}

void look_at_passed(Run& run, Cluster& cluster) {
  const RangePlan& plan = plan_of(cluster);
  for (const std::unique_ptr<Island>& island : cluster.islands) {
    const RangePlan::Island& here = plan.islands[island->number];
    if (!island->integrator && !here.computed.empty()) look_along_time(run, *island, here, run.now);
  }
}

void look_at_present(Run& run, Cluster& cluster) {
  const RangePlan& plan = plan_of(cluster);
  for (const std::unique_ptr<Island>& island : cluster.islands) {
    if (!island->has_begun && !island->plan->states.empty()) continue;
    Look(run, *island, last_look(*island), run.now).at_places(plan.islands[island->number]);
    island->looked = run.now;
  }
}

void note_ranged(Run& run, const Object& object, std::uint32_t slot) {
  const model::VariableId id = variable_at(run.world, object.object_class, slot);
  if (!id || (!attributes_of(run, id).min && !attributes_of(run, id).max)) return;
  if (has_left(run, id, run.now)) return;
  const std::pair<ObjectRef, std::uint32_t> noted{object.self, slot};
  if (run.noted_ranges.empty() || run.noted_ranges.back() != noted) run.noted_ranges.push_back(noted);
}

void look_at_noted(Run& run) {
  for (const auto& [ref, slot] : run.noted_ranges) {
    if (!run.world.is_alive(ref)) continue;
    const Object& object = run.object(ref);
    const model::VariableId id = variable_at(run.world, object.object_class, slot);
    const model::Variable& variable = run.world.model.variables[id];
    const double least = value_or(run, object, variable.attributes.min, -kInfinity);
    const double most = value_or(run, object, variable.attributes.max, kInfinity);
    const Slot& place = object.slots[slot];
    const bool is_array = variable.type.rank > 0;
    const std::uint32_t count = !is_array ? 1 : place.box == nullptr ? 0 : place.box->size;
    for (std::uint32_t i = 0; i < count; ++i) {
      const Slot one = is_array ? place.box->slots()[i] : place;
      const bool is_real = variable.type.kind == model::TypeKind::Real;
      const double value = is_real ? one.real : static_cast<double>(one.integer);
      if (!(value < least) && !(value > most)) continue;
      const double limit = value < least ? least : most;
      if (!is_beyond(run, object, id, value, limit)) continue;
      note_departure(run, object, id, element_text(object, slot, is_array ? i : kNone), value, limit);
      break;
    }
  }
  run.noted_ranges.clear();
}

bool is_beyond(Run& run, const Object& object, model::VariableId variable, double value, double limit) {
  if (run.world.model.variables[variable].type.kind != model::TypeKind::Real) return value != limit;
  const double nominal = value_or(run, object, attributes_of(run, variable).nominal, 1);
  return std::abs(value - limit) > tolerance_of(run, limit, nominal);
}

void note_departure(Run& run, const Object& object, model::VariableId variable, const std::string& element,
                    double value, double limit) {
  if (has_left(run, variable, run.now)) return;
  const std::string message = fmt::format("`{}{}` becomes {}, beyond its limit {}",
                                          run.world.model.name(run.world.model.variables[variable].name), element,
                                          base::format_number(value), base::format_number(limit));
  note(run, variable, {run.now, message, circumstances(run, object, run.now)});
}

void tell_departures(Run& run) {
  std::vector<std::pair<std::uint32_t, Departure>> departures(run.departures.begin(), run.departures.end());
  std::stable_sort(departures.begin(), departures.end(),
                   [](const auto& a, const auto& b) { return a.second.time < b.second.time; });
  for (const auto& [variable, departure] : departures) {
    run.sink
        .report(diag::Kind::LeavesRange, run.world.model.variables[model::VariableId(variable)].span, departure.message)
        .text(departure.where)
        .hint("a `require` would end the run here");
  }
}

}  // namespace hyla::engine
