// An experiment in words and tables.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "service/experiment_model.h"
#include "service/report_requirements.h"
#include "service/summary.h"
#include "service/table.h"

namespace hyla::service {
namespace {

using experiment::Factor;
using experiment::FactorKind;
using experiment::Figures;
using experiment::Group;
using experiment::Observed;
using Rows = std::vector<std::vector<std::string>>;

const std::string kIndent = "  ";
constexpr std::size_t kMostRows = 60;

std::string with_unit(const std::string& name, const std::string& unit) {
  return unit.empty() ? name : name + " [" + unit + "]";
}

std::string counted(std::uint64_t count, std::string_view one) {
  return std::to_string(count) + ' ' + std::string(one) + (count == 1 ? "" : "s");
}

std::string shown(double value) {
  return std::isinf(value) ? (value > 0 ? "never" : "-infinity") : short_number(value);
}

class TextWriter {
 public:
  explicit TextWriter(const ExperimentReport& report)
      : report_(report), plan_(report.plan), groups_(report.conclusion.groups) {
    for (const Group& group : groups_) most_members_ = std::max(most_members_, group.members.size());
    for (std::size_t i = 0; i < plan_.observed.size(); ++i) {
      if (!plan_.observed[i].is_hidden) shown_.push_back(i);
    }
  }

  std::string write() {
    heading();
    if (plan_.is_optimisation()) {
      best();
    } else if (most_members_ > 1) {
      for (const std::size_t observed : shown_) figures(observed);
      if (plan_.objective) best();
    } else {
      values();
      if (plan_.objective) best();
    }
    requirements();
    text_ += coverage_text(report_.coverage);
    failures();
    ending();
    return text_;
  }

 private:
  bool is_shown(std::size_t factor) const { return plan_.factors[factor].kind != FactorKind::Drawn; }

  void heading() {
    text_ += fmt::format("experiment {} of {}\n", report_.name, report_.model);
    std::string parts;
    const auto add = [&](const std::string& part) { parts += (parts.empty() ? "" : ", ") + part; };
    add(counted(groups_.size(), "point"));
    if (plan_.has_drawn()) add(counted(plan_.samples, "sample"));
    if (plan_.enough) {
      std::size_t least = SIZE_MAX, most = 0;
      for (const Group& group : groups_) {
        least = std::min(least, group.members.size() / plan_.samples);
        most = std::max(most, group.members.size() / plan_.samples);
      }
      add(least == most ? counted(most, "replication") : fmt::format("{} to {} replications", least, most));
    } else if (plan_.replications > 1) {
      add(counted(plan_.replications, "replication"));
    }
    add(counted(report_.members, "run"));
    if (report_.reused > 0) add(fmt::format("{} of them known before", report_.reused));
    text_ += kIndent + parts + '\n';
  }

  std::vector<std::string> factor_names() const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < plan_.factors.size(); ++i) {
      if (is_shown(i)) names.push_back(with_unit(plan_.factors[i].path, plan_.factors[i].unit));
    }
    return names;
  }
  std::vector<std::string> point_of(const Group& group) const {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < plan_.factors.size(); ++i) {
      if (!is_shown(i)) continue;
      cells.push_back(plan_.factors[i].is_number ? short_number(group.point[i].number) : group.point[i].text);
    }
    return cells;
  }

  bool violates(const Group& group) const {
    return std::any_of(group.violations.begin(), group.violations.end(), [](std::uint64_t count) { return count > 0; });
  }
  /// What is to be said at the end of a row.
  std::string remark(const Group& group) const {
    std::string remark;
    const auto add = [&](const std::string& part) { remark += (remark.empty() ? "" : ", ") + part; };
    if (group.failed > 0) add(most_members_ > 1 ? fmt::format("{} failed", group.failed) : "failed");
    if (group.missing > 0) add(most_members_ > 1 ? fmt::format("{} missing", group.missing) : "missing");
    if (violates(group)) add("violates");
    if (!group.is_enough && group.failed + group.missing == 0) add("not enough");
    return remark;
  }
  void add_remarks(Rows& rows, const std::vector<std::string>& remarks) const {
    const bool any = std::any_of(remarks.begin(), remarks.end(), [](const std::string& text) { return !text.empty(); });
    if (!any) return;
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].push_back(i == 0 ? "" : remarks[i - 1]);
  }

  void add_table(Rows rows, const std::vector<std::string>& remarks) {
    add_remarks(rows, remarks);
    const std::size_t all = rows.size() - 1;
    if (all > kMostRows) rows.resize(kMostRows + 1);
    text_ += aligned(rows, 0, kIndent);
    if (all > kMostRows) text_ += fmt::format("{}… and {} more: --output F.csv has all\n", kIndent, all - kMostRows);
  }

  /// One run at each point: all observations side by side.
  void values() {
    Rows rows = {factor_names()};
    std::vector<std::string> remarks;
    for (const std::size_t i : shown_) rows[0].push_back(with_unit(plan_.observed[i].name, plan_.observed[i].unit));
    for (const Group& group : groups_) {
      rows.push_back(point_of(group));
      for (const std::size_t i : shown_) {
        const bool is_good = !group.results.empty() && group.results[0].status == experiment::MemberStatus::Good;
        rows.back().push_back(is_good ? shown(group.results[0].values[i]) : "-");
      }
      remarks.push_back(remark(group));
    }
    text_ += '\n';
    add_table(std::move(rows), remarks);
  }

  void figures(std::size_t observed) {
    const Observed& what = plan_.observed[observed];
    text_ += '\n' + with_unit(what.name, what.unit) + '\n';
    Rows rows = {factor_names()};
    std::vector<std::string> remarks;
    for (const char* name : {"runs", "mean", "half-width", "min", "max", "stddev"}) rows[0].emplace_back(name);
    const bool has_never = std::any_of(groups_.begin(), groups_.end(),
                                       [&](const Group& group) { return group.figures[observed].infinite > 0; });
    if (has_never) rows[0].emplace_back("never");
    for (const Group& group : groups_) {
      const Figures& one = group.figures[observed];
      rows.push_back(point_of(group));
      rows.back().push_back(std::to_string(one.count));
      for (const double value : {one.mean, one.half_width, one.minimum, one.maximum, one.stddev}) {
        rows.back().push_back(short_number(value));
      }
      if (has_never) rows.back().push_back(std::to_string(one.infinite));
      remarks.push_back(remark(group));
    }
    add_table(std::move(rows), remarks);
  }

  void best() {
    text_ += '\n';
    if (!report_.conclusion.search.empty()) text_ += "search by " + report_.conclusion.search + '\n';
    if (!report_.conclusion.best) {
      text_ += "no point was good: each failed or violated a requirement\n";
      return;
    }
    const Group& group = groups_[*report_.conclusion.best];
    text_ += fmt::format("{} {}\n", plan_.maximize ? "greatest" : "least", short_number(group.objective.value_or(NAN)));
    Rows rows;
    for (std::size_t i = 0; i < plan_.factors.size(); ++i) {
      if (!is_shown(i)) continue;
      const Factor& factor = plan_.factors[i];
      rows.push_back({factor.path, factor.is_number ? short_number(group.point[i].number) : group.point[i].text,
                      factor.unit + bound_remark(factor, group.point[i].number)});
    }
    for (const std::size_t i : shown_) {
      rows.push_back({plan_.observed[i].name, short_number(group.figures[i].mean), plan_.observed[i].unit});
    }
    text_ += aligned(rows, 1, kIndent);
  }

  static std::string bound_remark(const Factor& factor, double value) {
    if (factor.kind != FactorKind::Free) return "";
    const double near = 1e-6 * (factor.high - factor.low);
    const std::string lead = factor.unit.empty() ? "" : " ";
    if (value - factor.low <= near) return lead + "(at its lower bound)";
    return factor.high - value <= near ? lead + "(at its upper bound)" : "";
  }

  void requirements() {
    Rows rows;
    for (std::size_t k = 0; k < plan_.requirements.size(); ++k) {
      std::uint64_t points = 0, runs = 0;
      for (const Group& group : groups_) {
        points += group.violations.size() > k && group.violations[k] > 0 ? 1 : 0;
        runs += group.violations.size() > k ? group.violations[k] : 0;
      }
      if (points == 0) continue;
      rows.push_back({plan_.requirements[k].text, counted(points, "point"),
                      plan_.requirements[k].of_each_run ? counted(runs, "run") : ""});
    }
    if (!rows.empty()) text_ += "\nviolated\n" + aligned(rows, 1, kIndent);
  }

  void failures() {
    constexpr std::size_t kMost = 5;
    Rows rows;
    for (const Group& group : groups_) {
      for (std::size_t i = 0; i < group.results.size() && rows.size() < kMost; ++i) {
        if (group.results[i].status != experiment::MemberStatus::Failed) continue;
        std::string where;
        for (std::size_t k = 0; k < plan_.factors.size(); ++k) {
          where += plan_.factors[k].path + " = " + group.members[i].point[k].text + ", ";
        }
        rows.push_back(
            {where + fmt::format("replication {}", group.members[i].replication + 1), group.results[i].message});
      }
    }
    if (rows.empty()) return;
    text_ += fmt::format("\nfailed: {}\n", counted(report_.failed, "run")) + aligned(rows, 2, kIndent);
    if (report_.failed > rows.size()) text_ += fmt::format("{}… and {} more\n", kIndent, report_.failed - rows.size());
  }

  void ending() {
    if (report_.is_part) {
      text_ += fmt::format("\n{} kept in {}; `--merge` brings the parts together\n", counted(report_.members, "run"),
                           report_.journal_file);
    } else if (report_.was_interrupted) {
      text_ += fmt::format("\ninterrupted: {} kept in {}; `--resume` goes on from there\n",
                           counted(report_.members, "run"), report_.journal_file);
    } else if (!report_.conclusion.is_complete) {
      text_ += "\nincomplete: some runs are missing\n";
    }
  }

  const ExperimentReport& report_;
  const experiment::Plan& plan_;
  const std::vector<Group>& groups_;
  std::vector<std::size_t> shown_;
  std::size_t most_members_ = 0;
  std::string text_;
};

}  // namespace

std::string experiment_text(const ExperimentReport& report) {
  if (!report.listed.empty()) {
    Rows rows;
    for (const ListedExperiment& one : report.listed) rows.push_back({one.name, "of " + one.model, one.place});
    return aligned(rows, 3, "");
  }
  return report.has_run && !report.is_quiet ? TextWriter(report).write() : "";
}

}  // namespace hyla::service
