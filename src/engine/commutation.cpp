#include "engine/commutation.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "engine/context.h"
#include "engine/island.h"
#include "engine/islands.h"
#include "engine/watch.h"

namespace hyla::engine {
namespace {

/// Combinations that are remembered, and how often one may come back.
constexpr std::size_t kMostMet = 256;
constexpr int kMostReturns = 100;
/// Attempts to leave combinations without a solution, in one instant.
constexpr std::size_t kMostTried = 1000;
constexpr std::size_t kMostNamed = 8;  ///< in messages

Commutation& commutation_of(Cluster& cluster) {
  if (!cluster.commutation) cluster.commutation = std::make_shared<Commutation>();
  return *cluster.commutation;
}

std::vector<double> kept_values(const Cluster& cluster) {
  std::vector<double> result;
  for (const ShapeVariable& variable : cluster.shape->variables) {
    if (variable.fixed || variable.derivative != kNowhere) result.push_back(cluster.values[variable.value]);
  }
  return result;
}

bool are_near(const std::vector<double>& a, const std::vector<double>& b) {
  constexpr double kNear = 1e-9;
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double one, double other) {
    return one == other || std::abs(one - other) <= kNear * std::max(std::abs(one), std::abs(other)) ||
           (std::isnan(one) && std::isnan(other));
  });
}

std::uint64_t mark_of_slots(const Run& run, const Cluster& cluster) {
  std::uint64_t mark = 14695981039346656037U;
  for (std::uint32_t member = 0; member < cluster.objects.size(); ++member) {
    const Object& object = run.world.objects[cluster.objects[member].index];
    const auto count = static_cast<std::uint32_t>(run.world.layout.classes[object.object_class.index].slots.size());
    for (std::uint32_t slot = 0; slot < count; ++slot) {
      const std::uint64_t key = std::uint64_t{member} << 32 | slot;
      if (std::binary_search(cluster.shape->varying.begin(), cluster.shape->varying.end(), key)) continue;
      mark = (mark ^ static_cast<std::uint64_t>(object.slots[slot].integer)) * 1099511628211U;
    }
  }
  return mark;
}

/// "`a`, `b` and `c`", each once.
std::string names_of(const Run& run, const std::vector<ObjectRef>& objects) {
  std::vector<std::string> names;
  for (const ObjectRef object : objects) {
    const std::string name = fmt::format("`{}`", run.world.path(object));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  const std::size_t named = std::min(names.size(), kMostNamed);
  std::string list = names.empty() ? "" : names[0];
  for (std::size_t i = 1; i < named; ++i) list += (i + 1 == names.size() ? " and " : ", ") + names[i];
  if (named < names.size()) list += fmt::format(" and {} others", names.size() - named);
  return list;
}

/// What has fired since the combination was met for the last time goes round.
void report_round(Run& run, const Cluster& cluster) {
  std::vector<Commutation::Fired> round;
  const std::vector<Commutation::Fired>& fired = cluster.commutation->fired;
  const std::size_t remembered = std::min(fired.size(), kMostMet);
  for (std::size_t i = fired.size() - remembered; i < fired.size(); ++i) {
    const bool is_known = std::any_of(round.begin(), round.end(), [&](const Commutation::Fired& one) {
      return one.object == fired[i].object && one.watch == fired[i].watch;
    });
    if (!is_known) round.push_back(fired[i]);
  }
  run.over = true;
  run.outcome.ending = Ending::Failed;
  const auto span_of = [&](const Commutation::Fired& one) {
    const Plan& plan = *run.world.object(one.object).plan;
    return run.world.model.reactions[plan.reactions[plan.watches[one.watch].owner].id].span;
  };
  std::vector<ObjectRef> objects;
  for (const Commutation::Fired& one : round) objects.push_back(one.object);
  const std::string list = names_of(run, objects);
  diag::Sink::Entry entry = run.sink.report(
      diag::Kind::NoConsistentStates, span_of(round.front()),
      fmt::format("no states of {} agree with the equations at t = {}", list, base::format_number(run.now)));
  const auto circumstances_of = [&](const Commutation::Fired& one) {
    return fmt::format("holds again and again in `{}`", run.world.path(one.object));
  };
  entry.text(circumstances_of(round.front()));
  for (std::size_t i = 1; i < std::min(round.size(), kMostNamed); ++i) {
    entry.label(span_of(round[i]), circumstances_of(round[i]));
  }
  entry.hint(
      "whatever the states are, a condition holds that leaves one of them: keep the points of switching to and\n"
      "fro apart, or look for a part that gives energy where it should take some");
}

bool reads(const Cluster& cluster, const ShapeCondition& condition, const std::vector<std::uint32_t>& variables) {
  return std::any_of(variables.begin(), variables.end(), [&](std::uint32_t variable) {
    if (variable >= cluster.shape->variables.size()) return false;
    const At place = cluster.shape->variables[variable].value;
    return std::find(condition.operands.begin(), condition.operands.end(), place) != condition.operands.end();
  });
}

}  // namespace

void Commutation::clear() {
  met.clear();
  fired.clear();
  tried.clear();
  one_by_one = false;
  forced = kNone;
}

bool take_forced(Cluster& cluster, std::uint32_t condition) {
  if (!cluster.commutation || cluster.commutation->forced != condition) return false;
  cluster.commutation->forced = kNone;
  return true;
}

void note_fired(Run& run, Cluster& cluster, ObjectRef object, Index watch) {
  commutation_of(cluster).fired.push_back({object, watch});
  if (cluster.commutation->one_by_one) touch(run, cluster.number);  // others may hold as well
}

bool is_one_by_one(const Cluster& cluster) { return cluster.commutation && cluster.commutation->one_by_one; }

bool note_combination(Run& run, Cluster& cluster) {
  constexpr std::uint32_t kFewSteps = 4;
  if (run.step < kFewSteps || !cluster.commutation || cluster.commutation->fired.size() < kFewSteps) return true;
  std::vector<Commutation::Combination>& met = cluster.commutation->met;
  const std::vector<double> values = kept_values(cluster);
  const std::uint64_t slots = mark_of_slots(run, cluster);
  for (Commutation::Combination& one : met) {
    if (one.slots != slots || one.equations != cluster.active_equations || !are_near(one.values, values)) continue;
    cluster.commutation->one_by_one = true;
    if (++one.returns < kMostReturns) return true;
    report_round(run, cluster);
    return false;
  }
  if (met.size() < kMostMet) met.push_back({cluster.active_equations, values, slots, 0});
  return true;
}

bool leave_combination(Run& run, Cluster& cluster, const std::vector<std::uint8_t>& equations,
                       const std::vector<std::uint32_t>& open) {
  Commutation& commutation = commutation_of(cluster);
  std::vector<std::uint32_t>& tried = commutation.tried[equations];
  std::size_t attempts = 0;
  for (const auto& [flags, conditions] : commutation.tried) attempts += conditions.size();
  if (attempts >= kMostTried) return false;
  const auto changed_at = [&](const ShapeCondition& condition) {
    std::size_t last = 0;
    for (std::size_t i = 0; i < commutation.fired.size(); ++i) {
      if (commutation.fired[i].object == cluster.objects[condition.object]) last = i + 1;
    }
    return last;
  };
  std::uint32_t best = kNone;
  for (std::uint32_t i = 0; i < cluster.shape->conditions.size(); ++i) {
    const ShapeCondition& condition = cluster.shape->conditions[i];
    Object& object = run.object(cluster.objects[condition.object]);
    const WatchState& watch = object.watches[condition.watch];
    const bool is_when = object.plan->watches[condition.watch].kind == PlanWatch::Kind::When;
    if (!is_when || !watch.active || !watch.armed || watch.pending || !reads(cluster, condition, open)) continue;
    if (std::find(tried.begin(), tried.end(), i) != tried.end()) continue;
    if (best == kNone || changed_at(condition) < changed_at(cluster.shape->conditions[best])) best = i;
  }
  if (best == kNone) return false;
  tried.push_back(best);
  commutation.forced = best;
  const ShapeCondition& condition = cluster.shape->conditions[best];
  look_at_truth(run, run.object(cluster.objects[condition.object]), condition.watch, true, cluster.since.sequence);
  return true;
}

std::string names_of_tried(const Run& run, const Cluster& cluster) {
  std::vector<ObjectRef> objects;
  if (cluster.commutation) {
    for (const auto& [equations, conditions] : cluster.commutation->tried) {
      for (const std::uint32_t number : conditions) {
        objects.push_back(cluster.objects[cluster.shape->conditions[number].object]);
      }
    }
  }
  return names_of(run, objects);
}

}  // namespace hyla::engine
