// Requirements and coverage as tables for people.
#include <algorithm>
#include <cmath>

#include "service/report_requirements.h"
#include "service/summary.h"
#include "service/table.h"

namespace hyla::service {
namespace {

using Rows = std::vector<std::vector<std::string>>;

constexpr std::size_t kMostRequirements = 20;
constexpr std::size_t kMostMissed = 50;

std::string with_unit(double value, const std::string& unit) {
  return std::isfinite(value) ? short_number(value) + (unit.empty() ? "" : ' ' + unit) : "";
}

/// What was violated or is undecided comes first where not everything is shown.
bool is_good(const RequirementReport& report) {
  return report.verdict == Verdict::Held || report.verdict == Verdict::NeverTested;
}

std::string name_of(const RequirementReport& report) {
  const std::string indices = report.indices.empty() ? "" : " (" + report.indices + ')';
  constexpr std::size_t kLongest = 60;
  std::string text = report.text.empty() ? report.condition : report.text;
  if (text.size() > kLongest) {
    std::size_t end = kLongest - 3;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // not inside a character
    text = text.substr(0, end) + "...";
  }
  return report.object + ": " + text + indices;
}

std::string verdict_text(const RequirementReport& report, const std::string& time_unit) {
  std::string text(verdict_word(report.verdict));
  if (report.verdict != Verdict::Violated) return text;
  text += " at " + with_unit(report.violated_at, time_unit);
  return report.violations > 1 ? text + ", " + std::to_string(report.violations) + " times" : text;
}

std::string missed(std::string_view title, const std::vector<const CoverageItem*>& items) {
  if (items.empty()) return "";
  Rows rows;
  for (std::size_t i = 0; i < std::min(kMostMissed, items.size()); ++i) {
    rows.push_back({items[i]->name, items[i]->place});
  }
  if (items.size() > kMostMissed) rows.push_back({"and " + std::to_string(items.size() - kMostMissed) + " more"});
  return "  " + std::string(title) + '\n' + aligned(rows, 2, "    ");
}

template <class Test>
std::vector<const CoverageItem*> select(const std::vector<CoverageItem>& items, Test&& test) {
  std::vector<const CoverageItem*> result;
  for (const CoverageItem& item : items) {
    if (test(item)) result.push_back(&item);
  }
  return result;
}

std::string part(std::size_t all, std::size_t without) {
  return std::to_string(all - without) + " of " + std::to_string(all);
}

}  // namespace

std::string requirements_text(const RunReport& report) {
  std::vector<RequirementReport> all = worst_of(report.runs);
  if (all.empty()) return "";
  const std::size_t shown = std::min(kMostRequirements, all.size());
  if (shown < all.size()) std::stable_partition(all.begin(), all.end(), [](const auto& one) { return !is_good(one); });
  Rows rows = {{"requirements", "", "", "margin", "at", "to spare"}};
  for (std::size_t i = 0; i < shown; ++i) {
    const RequirementReport& one = all[i];
    rows.push_back({"  " + name_of(one), one.place, verdict_text(one, report.time_unit),
                    with_unit(one.margin, one.unit), std::isfinite(one.margin) ? short_number(one.margin_at) : "",
                    with_unit(one.spare, report.time_unit)});
  }
  std::string text = '\n' + aligned(rows, 3, "");
  if (shown < all.size()) text += "  and " + std::to_string(all.size() - shown) + " more, see --json\n";
  if (report.fails_undecided()) text += "  undecided or never tested: that fails by --require-decided\n";
  return text;
}

std::string coverage_text(const CoverageReport& coverage) {
  if (coverage.empty()) return "";
  const auto is_missed = [](const CoverageItem& item) { return item.yes == 0; };
  const auto states = select(coverage.states, is_missed), transitions = select(coverage.transitions, is_missed);
  const auto untrue = select(coverage.conditions, is_missed);
  const auto always =
      select(coverage.conditions, [](const CoverageItem& item) { return item.yes > 0 && item.no == 0; });
  const Rows rows = {
      {"states", part(coverage.states.size(), states.size()) + " entered"},
      {"transitions", part(coverage.transitions.size(), transitions.size()) + " fired"},
      {"conditions", part(coverage.conditions.size(), untrue.size() + always.size()) + " true and false"}};
  return "\ncoverage\n" + aligned(rows, 2, "  ") + missed("never entered", states) +
         missed("never fired", transitions) + missed("never true", untrue) + missed("never false", always);
}

}  // namespace hyla::service
