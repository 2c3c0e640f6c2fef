#include "experiment/conduct.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include <fmt/core.h>

#include "base/text.h"
#include "experiment/sample.h"

namespace hyla::experiment {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The values of the drawn factors: one list for each sample.
std::vector<std::vector<Value>> draw(const Plan& plan) {
  std::vector<std::string> names;
  std::vector<const Factor*> drawn;
  for (const Factor& factor : plan.factors) {
    if (factor.kind != FactorKind::Drawn) continue;
    names.push_back(factor.path);
    drawn.push_back(&factor);
  }
  std::vector<std::vector<Value>> samples;
  for (const std::vector<double>& point : sample_cube(plan.sampling, plan.samples, names, plan.seed)) {
    std::vector<Value>& values = samples.emplace_back();
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      double number = quantile(drawn[i]->distribution, point[i]);
      if (drawn[i]->is_integer) number = std::round(number);
      std::string text = base::format_number(number);
      if (!drawn[i]->is_number) text = number != 0 ? "true" : "false";
      values.push_back({std::move(text), number});
    }
  }
  return samples;
}

/// Makes groups and has their members run.
class Conductor {
 public:
  Conductor(const Plan& plan, const MemberSetup& setup, Team& team, Optimizer* optimizer)
      : plan_(plan), setup_(setup), team_(team), optimizer_(optimizer), samples_(draw(plan)) {}

  Conclusion conduct() {
    for (const std::vector<Value>& point : grid_of(plan_)) {
      if (plan_.is_optimisation()) {
        search(point);
      } else {
        add_group(point);
      }
      if (team_.is_ending()) break;
    }
    if (!plan_.is_optimisation()) sweep();
    finish();
    return std::move(conclusion_);
  }

 private:
  /// A group with the first replications of each of its samples.
  Group make_group(const std::vector<Value>& point, std::uint64_t replications) const {
    Group group;
    group.point = point;
    for (const std::vector<Value>& sample : samples_) {
      Member member;
      std::size_t next = 0;
      for (std::size_t i = 0; i < point.size(); ++i) {
        member.point.push_back(plan_.factors[i].kind == FactorKind::Drawn ? sample[next++] : point[i]);
      }
      for (member.replication = 0; member.replication < replications; ++member.replication) {
        group.members.push_back(member);
      }
    }
    return group;
  }

  void add_group(const std::vector<Value>& point) {
    conclusion_.groups.push_back(make_group(point, plan_.replications));
  }

  /// Runs all members of some groups at once.
  void run(const std::vector<Group*>& groups) {
    std::vector<Member> members;
    for (const Group* group : groups) members.insert(members.end(), group->members.begin(), group->members.end());
    const std::vector<MemberResult> results = team_.run(members);
    auto next = results.begin();
    for (Group* group : groups) {
      group->results.assign(next, next + static_cast<std::ptrdiff_t>(group->members.size()));
      next += static_cast<std::ptrdiff_t>(group->members.size());
      evaluate_group(plan_, setup_, *group);
    }
  }

  /// All groups; those whose figures are not good enough get more replications, half as many again each time.
  void sweep() {
    std::vector<Group*> open;
    for (Group& group : conclusion_.groups) open.push_back(&group);
    std::uint64_t replications = plan_.replications;
    while (!open.empty()) {
      run(open);
      std::erase_if(open, [](const Group* group) { return group->is_enough || group->failed + group->missing > 0; });
      if (!plan_.enough || team_.is_ending() || replications >= plan_.max_replications) return;
      replications = std::min(plan_.max_replications, replications + std::max<std::uint64_t>(1, replications / 2));
      for (Group* group : open) *group = make_group(group->point, replications);
    }
  }

  // --- search

  Value value_at(const Factor& factor, double number) const {
    if (factor.is_integer) number = std::round(number);
    return {base::format_number(number), number};
  }

  std::vector<Value> point_at(const std::vector<Value>& fixed, std::span<const double> x) const {
    std::vector<Value> point = fixed;
    std::size_t next = 0;
    for (std::size_t i = 0; i < point.size(); ++i) {
      if (plan_.factors[i].kind == FactorKind::Free) point[i] = value_at(plan_.factors[i], x[next++]);
    }
    return point;
  }

  /// Groups at points, each run once.
  std::vector<std::size_t> groups_at(const std::vector<std::vector<Value>>& points) {
    std::vector<std::size_t> places;
    std::vector<std::size_t> fresh;
    for (const std::vector<Value>& point : points) {
      const std::string key = key_of({point, 0});
      const auto [place, is_new] = places_.emplace(key, conclusion_.groups.size());
      if (is_new) {
        fresh.push_back(conclusion_.groups.size());
        add_group(point);
      }
      places.push_back(place->second);
    }
    std::vector<Group*> groups;
    for (const std::size_t number : fresh) groups.push_back(&conclusion_.groups[number]);
    if (!groups.empty()) run(groups);
    return places;
  }

  double value_of(const Group& group) const {
    if (!group.objective) return kInfinity;
    return plan_.maximize ? -*group.objective : *group.objective;
  }

  void search(const std::vector<Value>& fixed) {
    SearchRequest request;
    request.method = plan_.optimizer;
    request.tolerance = plan_.point_tolerance;
    request.most = plan_.max_points;
    for (const Factor& factor : plan_.factors) {
      if (factor.kind != FactorKind::Free) continue;
      request.low.push_back(factor.low);
      request.high.push_back(factor.high);
      request.start.push_back(factor.start);
    }
    request.bounds = static_cast<std::size_t>(
        std::count_if(plan_.requirements.begin(), plan_.requirements.end(),
                      [](const PlannedRequirement& one) { return static_cast<bool>(one.smaller); }));
    request.evaluate = [&](std::span<const double> x, double& value, std::span<double> bounds,
                           std::span<double> slopes) { return evaluate(request, fixed, x, value, bounds, slopes); };
    const SearchResult result = optimizer_->search(request);
    conclusion_.search = fmt::format("{}: {}", result.method, result.ending);
    conclusion_.has_converged = conclusion_.has_converged && result.good;
  }

  /// Slopes are differences of members that run side by side.
  bool evaluate(const SearchRequest& request, const std::vector<Value>& fixed, std::span<const double> x, double& value,
                std::span<double> bounds, std::span<double> slopes) {
    constexpr double kStep = 1e-4;  // of the way from bound to bound
    std::vector<std::vector<Value>> points = {point_at(fixed, x)};
    std::vector<double> widths;
    for (std::size_t i = 0; i < x.size() && !slopes.empty(); ++i) {
      const double step = kStep * (request.high[i] - request.low[i]);
      std::vector<double> at(x.begin(), x.end());
      at[i] = std::min(request.high[i], x[i] + step);
      widths.push_back(at[i]);
      points.push_back(point_at(fixed, at));
      at[i] = std::max(request.low[i], x[i] - step);
      widths.back() -= at[i];
      points.push_back(point_at(fixed, at));
    }
    const std::vector<std::size_t> places = groups_at(points);
    const Group& here = conclusion_.groups[places[0]];
    value = value_of(here);
    for (std::size_t k = 0; k < bounds.size(); ++k) bounds[k] = margin(here, k);
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const Group& after = conclusion_.groups[places[2 * i + 1]];
      const Group& before = conclusion_.groups[places[2 * i + 2]];
      slopes[i] = (value_of(after) - value_of(before)) / widths[i];
      for (std::size_t k = 0; k < bounds.size(); ++k) {
        slopes[(k + 1) * x.size() + i] = (margin(after, k) - margin(before, k)) / widths[i];
      }
    }
    return !team_.is_ending();
  }

  static double margin(const Group& group, std::size_t k) {
    return k < group.margins.size() && std::isfinite(group.margins[k]) ? group.margins[k] : 1e100;
  }

  // --- the end

  /// Optimisation ends within its tolerance of a bound, not on it.
  static bool keeps_requirements(const Group& group) {
    return std::all_of(group.violations.begin(), group.violations.end(), [](std::uint64_t n) { return n == 0; });
  }

  void finish() {
    double least = kInfinity;
    for (std::size_t i = 0; i < conclusion_.groups.size(); ++i) {
      const Group& group = conclusion_.groups[i];
      conclusion_.is_complete = conclusion_.is_complete && group.missing == 0 && !group.results.empty();
      if (!group.objective || !keeps_requirements(group) || !(value_of(group) < least)) continue;
      least = value_of(group);
      conclusion_.best = i;
    }
    conclusion_.is_complete = conclusion_.is_complete && !team_.is_ending();
  }

  const Plan& plan_;
  const MemberSetup& setup_;
  Team& team_;
  Optimizer* optimizer_;
  std::vector<std::vector<Value>> samples_;
  std::map<std::string, std::size_t> places_;  ///< groups of a search, by point
  Conclusion conclusion_;
};

}  // namespace

std::vector<std::vector<Value>> grid_of(const Plan& plan) {
  std::vector<std::vector<Value>> grid = {{}};
  for (const Factor& factor : plan.factors) {
    std::vector<std::vector<Value>> finer;
    for (const std::vector<Value>& point : grid) {
      if (factor.kind != FactorKind::Values) {
        finer.push_back(point);
        finer.back().emplace_back();
        continue;
      }
      for (const Value& value : factor.values) {
        finer.push_back(point);
        finer.back().push_back(value);
      }
    }
    grid = std::move(finer);
  }
  return grid;
}

Conclusion conduct(const Plan& plan, const MemberSetup& setup, Team& team, Optimizer* optimizer) {
  return Conductor(plan, setup, team, optimizer).conduct();
}

std::optional<engine::Coverage> sum_up_coverage(const model::Model& model, const Conclusion& conclusion) {
  engine::Coverage sum = engine::make_coverage(model);
  std::set<std::string> seen;
  for (const Group& group : conclusion.groups) {
    for (std::size_t i = 0; i < group.results.size(); ++i) {
      if (!seen.insert(key_of(group.members[i])).second) continue;
      if (!add_counts(group.results[i].coverage, sum)) return std::nullopt;
    }
  }
  return sum;
}

}  // namespace hyla::experiment
