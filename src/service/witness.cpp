#include "service/witness.h"

#include <algorithm>
#include <cmath>

#include "record/absent.h"
#include "record/compare_events.h"

namespace hyla::service {
namespace {

using engine::TraceStep;
using model::Op;

/// By how much a relation holds; negative: by how much it fails.
double margin_of(Op op, double left, double right) {
  switch (op) {
    case Op::Less:
    case Op::LessEqual:
      return right - left;
    case Op::Greater:
    case Op::GreaterEqual:
      return left - right;
    case Op::Equal:
      return -std::abs(left - right);
    default:
      return std::abs(left - right);
  }
}

bool relation_holds(Op op, double left, double right) {
  switch (op) {
    case Op::Less:
      return left < right;
    case Op::LessEqual:
      return left <= right;
    case Op::Greater:
      return left > right;
    case Op::GreaterEqual:
      return left >= right;
    case Op::Equal:
      return left == right;
    default:
      return left != right;
  }
}

/// How far a relation is from holding, from 0 to 1. What has whole numbers on both sides does not come near by degrees.
double failure_of(double left, double right) {
  if (left == std::trunc(left) && right == std::trunc(right)) return 1;
  return std::min(1.0, std::abs(left - right) / std::max(std::abs(left), std::abs(right)));
}

void begin_stay(SeenReaction& seen, double time) {
  if (seen.is_active) return;
  seen.is_active = true;
  seen.since = time;
  ++seen.stays;
}

void end_stay(SeenReaction& seen, double time) {
  if (!seen.is_active) return;
  seen.is_active = false;
  const double length = time - seen.since;
  seen.active += length;
  if (length <= seen.longest) return;
  seen.longest = length;
  seen.longest_from = seen.since;
  seen.longest_until = time;
}

}  // namespace

Witness::Witness(const engine::World& world, RunNames& names, std::vector<SeenReaction>& seen)
    : names_(names), seen_(seen), prefix_(world.path(world.objects[0].self)) {
  const std::vector<RecordedColumn> all = all_columns(world);
  for (SeenReaction& one : seen_) {
    for (const Conjunct& conjunct : one.probe.conjuncts) {
      SeenConjunct& part = one.conjuncts.emplace_back();
      part.left = find_column(all, one, conjunct.left);
      part.right = find_column(all, one, conjunct.right);
      part.truth = find_column(all, one, conjunct.truth);
    }
    one.duration = find_column(all, one, one.probe.duration);
  }
}

std::size_t Witness::find_column(const std::vector<RecordedColumn>& all, const SeenReaction& seen,
                                 const std::string& name) {
  if (name.empty()) return SIZE_MAX;
  const std::string object(record::object_in_model(seen.named.object, prefix_));
  const auto is_it = [&](const RecordedColumn& column) {
    const bool ends = column.name == name || column.name.ends_with('.' + name);
    return ends && (object.empty() ? seen.named.ref == column.place.object : column.name.starts_with(object + '.'));
  };
  const auto found = std::find_if(all.begin(), all.end(), is_it);
  if (found == all.end()) return SIZE_MAX;
  columns_.push_back(*found);
  return columns_.size() - 1;
}

void Witness::occurred(const engine::World& /*world*/, const engine::Occurrence& occurrence) {
  for (SeenReaction& seen : seen_) {
    if (!(occurrence.object == seen.named.ref)) continue;
    if (!seen.message.empty() && names_.message(occurrence) == seen.message) {
      ++seen.arrivals;
      if (seen.is_active) ++seen.arrivals_in_state;
    }
    const bool is_it = occurrence.reaction == seen.named.reaction &&
                       (!occurrence.state || !seen.named.state || occurrence.state == seen.named.state);
    if (is_it && seen.fired++ == 0) seen.first_fired = occurrence.time;
    if (!seen.named.state) {
      begin_stay(seen, occurrence.time);
      continue;
    }
    for (const TraceStep& step : occurrence.steps) {
      if (step.state != seen.named.state) continue;
      if (step.kind == TraceStep::Kind::Exit) end_stay(seen, occurrence.time);
      if (step.kind == TraceStep::Kind::Entry) begin_stay(seen, occurrence.time);
    }
  }
}

void Witness::row(double time, std::span<const double> values) {
  for (SeenReaction& seen : seen_) {
    if (seen.duration != SIZE_MAX && std::isfinite(values[seen.duration])) seen.needed = values[seen.duration];
    if (!seen.conjuncts.empty()) look(seen, time, values);
  }
}

void Witness::look(SeenReaction& seen, double time, std::span<const double> values) {
  const auto value = [&](std::size_t column) { return column == SIZE_MAX ? record::kAbsent : values[column]; };
  const bool was_active = seen.was_watched;
  std::size_t failing = 0;
  double failure = 0;
  bool is_there = true;
  for (std::size_t i = 0; i < seen.conjuncts.size(); ++i) {
    SeenConjunct& part = seen.conjuncts[i];
    const Conjunct& conjunct = seen.probe.conjuncts[i];
    if (was_active && part.holds) part.held += time - seen.last_row;
    const double left = conjunct.is_relation() ? value(part.left) : value(part.truth);
    const double right = conjunct.is_relation() ? value(part.right) : 0;
    if (record::is_absent(left) || record::is_absent(right)) {
      part.holds = false;
      is_there = false;
      continue;
    }
    part.holds = conjunct.is_relation() ? relation_holds(conjunct.op, left, right) : left != 0;
    part.margin = conjunct.is_relation() ? margin_of(conjunct.op, left, right) : (part.holds ? 1 : -1);
    part.ever_held = part.ever_held || part.holds;
    part.now_left = left;
    part.now_right = right;
    if (!part.holds) {
      ++failing;
      failure = std::max(failure, conjunct.is_relation() ? failure_of(left, right) : 1);
    }
    if (part.margin > part.best) {
      part.best = part.margin;
      part.best_time = time;
      part.best_left = left;
      part.best_right = right;
    }
  }
  seen.was_watched = is_there;
  seen.last_row = time;
  if (!is_there || failing > seen.least_failing) return;
  if (failing == seen.least_failing && failure >= seen.least_failure) return;
  seen.least_failing = failing;
  seen.least_failure = failure;
  seen.least_time = time;
  seen.then = seen.conjuncts;
}

void Witness::finish(double time) {
  for (SeenReaction& seen : seen_) end_stay(seen, time);
}

}  // namespace hyla::service
