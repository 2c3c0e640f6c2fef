#include "record/compare_runs.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hyla::record {
namespace {

struct Interval {
  double begin = std::numeric_limits<double>::infinity();
  double end = -std::numeric_limits<double>::infinity();

  void add(double time) {
    begin = std::min(begin, time);
    end = std::max(end, time);
  }
  double length() const { return std::max(0.0, end - begin); }
};

Interval interval_of(const ComparedRun& run) {
  Interval interval;
  if (run.result != nullptr && !run.result->time.empty()) {
    interval.add(run.result->time.front());
    interval.add(run.result->time.back());
  }
  if (run.events != nullptr && !run.events->entries.empty()) {
    interval.add(run.events->entries.front().time);
    interval.add(run.events->entries.back().time);
  }
  return interval;
}

/// The tubes of the columns of A.
std::optional<base::Failure> choose_tubes(const RunResult& a, const std::vector<TubeChoice>& choices,
                                          std::vector<std::optional<Tube>>& tubes) {
  tubes.resize(a.columns.size());
  for (const TubeChoice& choice : choices) {
    const base::Result<std::vector<std::size_t>> columns = find_columns(a.columns, choice.pattern);
    if (!columns.ok()) return base::Failure{columns.message()};
    for (const std::size_t column : columns.value()) tubes[column] = choice.tube;
  }
  return std::nullopt;
}

}  // namespace

const EventDifference* Comparison::first_event() const {
  return events.differences.empty() ? nullptr : &events.differences.front();
}

const ComparedVariable* Comparison::first_variable() const {
  const ComparedVariable* first = nullptr;
  for (const ComparedVariable& variable : values.variables) {
    if (variable.first && (first == nullptr || variable.first->time < first->first->time)) first = &variable;
  }
  return first;
}

std::size_t Comparison::variables_apart() const {
  return static_cast<std::size_t>(std::count_if(values.variables.begin(), values.variables.end(),
                                                [](const ComparedVariable& one) { return one.first.has_value(); }));
}

base::Result<Comparison> compare_runs(const ComparedRun& a, const ComparedRun& b, const CompareOptions& options) {
  Comparison result;
  const Interval a_interval = interval_of(a), b_interval = interval_of(b);
  result.time_tolerance = options.time.value_or(CompareOptions::kTimePart * a_interval.length());
  result.a_end = a_interval.end;
  result.b_end = b_interval.end;
  const double until = std::min({options.until, result.a_end, result.b_end});
  const double a_reach = std::min(result.a_end, options.until), b_reach = std::min(result.b_end, options.until);
  result.has_events = a.events != nullptr && b.events != nullptr;
  if (result.has_events) {
    result.events = compare_events(
        *a.events, *b.events, {result.time_tolerance, options.tube.absolute, options.tube.relative, options.until});
  }
  if (a.result != nullptr && b.result != nullptr) {
    ValueTolerances tolerances{result.time_tolerance, until, options.tube, {}};
    if (auto failure = choose_tubes(*a.result, options.choices, tolerances.chosen)) return std::move(*failure);
    result.values = compare_values(*a.result, *b.result, result.events.anchors, tolerances);
    result.has_values = !result.values.variables.empty();
  }
  if (!result.has_events && !result.has_values) {
    const bool has_columns = a.result != nullptr && b.result != nullptr;
    return base::Failure{has_columns ? "the runs have no variable in common, and no events of both are known"
                                     : "the runs have nothing in common: one has only events, the other only values"};
  }
  const bool is_told = std::any_of(result.events.differences.begin(), result.events.differences.end(),
                                   [](const EventDifference& one) { return one.kind == EventDifferenceKind::Ending; });
  result.ends_apart = !is_told && a_reach != b_reach && !(std::abs(a_reach - b_reach) <= result.time_tolerance);
  return result;
}

}  // namespace hyla::record
