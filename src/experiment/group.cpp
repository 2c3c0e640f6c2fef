// What the runs of a group say together.
#include <algorithm>
#include <cmath>

#include "engine/follow.h"
#include "experiment/conduct.h"
#include "statistics/replications.h"

namespace hyla::experiment {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// The good values of an observation, in the order of the members.
std::vector<double> values_of(const Group& group, std::size_t observed) {
  std::vector<double> values;
  for (const MemberResult& result : group.results) {
    if (result.status == MemberStatus::Good) values.push_back(result.values[observed]);
  }
  return values;
}

/// Runs of one sample share what was drawn for it: their means are independent, they themselves are not.
double half_width(const Plan& plan, const Group& group, std::size_t observed) {
  statistics::Replications means;
  const std::size_t replications = plan.samples > 1 ? group.members.size() / plan.samples : 1;
  for (std::size_t i = 0; i < group.members.size(); i += std::max<std::size_t>(1, replications)) {
    statistics::Replications one;
    for (std::size_t k = i; k < std::min(i + replications, group.results.size()); ++k) {
      if (group.results[k].status == MemberStatus::Good) one.add(group.results[k].values[observed]);
    }
    if (one.count() > 0) means.add(one.mean());
  }
  return means.half_width();
}

Figures figures_of(const Plan& plan, const Group& group, std::size_t observed) {
  Figures figures;
  statistics::Replications all;
  for (const double value : values_of(group, observed)) {
    if (!all.add(value)) ++figures.infinite;
  }
  figures.count = all.count();
  figures.mean = all.mean();
  figures.minimum = all.minimum();
  figures.maximum = all.maximum();
  figures.stddev = all.stddev();
  figures.half_width = half_width(plan, group, observed);
  return figures;
}

/// Between the two nearest values.
double quantile_of(std::vector<double> values, double part) {
  if (values.empty()) return kUnknown;
  std::sort(values.begin(), values.end());
  const double place = part * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

double value_of(const RunsFold& fold, const Group& group) {
  const Figures& figures = group.figures[fold.observed];
  if (figures.infinite > 0 && fold.builtin == model::Builtin::Mean) return std::numeric_limits<double>::infinity();
  switch (fold.builtin) {
    case model::Builtin::Max:
      return figures.maximum;
    case model::Builtin::Min:
      return figures.minimum;
    case model::Builtin::StandardDeviation:
      return figures.stddev;
    case model::Builtin::HalfWidth:
      return figures.half_width;
    case model::Builtin::Quantile:
      return quantile_of(values_of(group, fold.observed), fold.part);
    default:
      return figures.mean;
  }
}

}  // namespace

void evaluate_group(const Plan& plan, const MemberSetup& setup, Group& group) {
  group.failed = group.missing = 0;
  group.figures.clear();
  group.violations.assign(plan.requirements.size(), 0);
  for (const MemberResult& result : group.results) {
    if (result.status == MemberStatus::Failed) ++group.failed;
    if (result.status == MemberStatus::Missing) ++group.missing;
    for (const std::uint32_t number : result.violated) {
      if (number < group.violations.size()) ++group.violations[number];
    }
  }
  for (std::size_t i = 0; i < plan.observed.size(); ++i) group.figures.push_back(figures_of(plan, group, i));
  const bool concludes = plan.objective || plan.enough ||
                         std::any_of(plan.requirements.begin(), plan.requirements.end(),
                                     [](const PlannedRequirement& one) { return !one.of_each_run; });
  group.objective.reset();
  group.is_enough = !plan.enough;
  if (!concludes || group.failed + group.missing > 0) return;
  diag::Sink sink;
  engine::BuildFailure failure;
  const auto world = engine::build(*plan.model, request_of(plan, setup, group.point, 0), sink, failure);
  if (!world) return;
  std::vector<model::LocalId> locals;
  std::vector<double> inputs;
  for (std::size_t i = 0; i < plan.observed.size(); ++i) {
    locals.push_back(plan.observed[i].local);
    inputs.push_back(value_of({model::Builtin::Mean, i, 0, {}}, group));
  }
  for (const RunsFold& fold : plan.over_runs) {
    locals.push_back(fold.local);
    inputs.push_back(value_of(fold, group));
  }
  if (plan.objective) group.objective = engine::evaluate_in(*world, plan.objective, locals, inputs);
  if (group.objective && std::isnan(*group.objective)) group.objective.reset();
  if (plan.enough) group.is_enough = engine::evaluate_in(*world, plan.enough, locals, inputs).value_or(0) != 0;
  group.margins.clear();
  for (std::size_t i = 0; i < plan.requirements.size(); ++i) {
    const PlannedRequirement& one = plan.requirements[i];
    if (!one.of_each_run && engine::evaluate_in(*world, one.condition, locals, inputs).value_or(0) == 0) {
      group.violations[i] = 1;
    }
    if (!one.smaller) continue;
    const auto smaller = engine::evaluate_in(*world, one.smaller, locals, inputs);
    const auto greater = engine::evaluate_in(*world, one.greater, locals, inputs);
    group.margins.push_back(smaller && greater ? *smaller - *greater : kUnknown);
  }
}

}  // namespace hyla::experiment
