// Who is to blame for the work of a run: which variable holds the steps back, which condition fires most, which island
// costs most.
#include <algorithm>
#include <cmath>

#include "service/summary.h"
#include "service/table.h"

namespace hyla::service {
namespace {

constexpr std::size_t kMostLines = 3;  ///< of each sort

/// The entry of a variable; a new one if there is none.
template <class Entry>
Entry& entry_of(std::vector<Entry>& entries, const Entry& other) {
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const Entry& one) { return one.variable == other.variable; });
  if (found != entries.end()) return *found;
  Entry& fresh = entries.emplace_back();
  fresh.variable = other.variable;
  return fresh;
}

std::string percent(double part) { return short_number(std::round(part * 1000) / 10) + " %"; }

std::string cost_text(const IslandReport& island, const BlameReport& blame, bool timing) {
  std::string text = std::to_string(island.steps) + " steps, " + std::to_string(island.evaluations) + " evaluations";
  if (timing && blame.seconds > 0)
    text += ", " + percent(std::min(1.0, island.seconds / blame.seconds)) + " of the time";
  return text;
}

}  // namespace

BlameReport sum_of_blame(const RunReport& report) {
  BlameReport sum;
  for (const SingleRun& run : report.runs) {
    const BlameReport& one = run.continuous.blame;
    sum.looks += one.looks;
    sum.seconds += one.seconds;
    for (const LimitReport& limit : one.limits) entry_of(sum.limits, limit).count += limit.count;
    for (const IslandReport& island : one.islands) {
      IslandReport& entry = entry_of(sum.islands, island);
      entry.states = std::max(entry.states, island.states);
      entry.steps += island.steps;
      entry.rejected += island.rejected;
      entry.evaluations += island.evaluations;
      entry.seconds += island.seconds;
    }
  }
  std::stable_sort(sum.limits.begin(), sum.limits.end(),
                   [](const LimitReport& a, const LimitReport& b) { return a.count > b.count; });
  std::stable_sort(sum.islands.begin(), sum.islands.end(),
                   [](const IslandReport& a, const IslandReport& b) { return a.evaluations > b.evaluations; });
  return sum;
}

std::string blame_text(const RunReport& report, const SummaryOptions& options) {
  const BlameReport blame = sum_of_blame(report);
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < std::min(kMostLines, blame.limits.size()); ++i) {
    const double part = static_cast<double>(blame.limits[i].count) / static_cast<double>(blame.looks);
    rows.push_back(
        {i == 0 ? "limits the step" : "", blame.limits[i].variable, "in " + percent(part) + " of the steps"});
  }
  for (std::size_t i = 0; i < std::min(kMostLines, blame.islands.size()); ++i) {
    const IslandReport& island = blame.islands[i];
    const std::string others = island.states > 1 ? " and " + std::to_string(island.states - 1) + " more" : "";
    rows.push_back({i == 0 ? "costs most" : "", island.variable + others, cost_text(island, blame, options.timing)});
  }
  const auto condition =
      std::find_if(report.fired.begin(), report.fired.end(), [](const FiredReport& one) { return one.is_condition; });
  if (condition != report.fired.end()) {
    const std::string times = condition->count == 1 ? " time" : " times";
    rows.push_back({"fires most", condition->what, std::to_string(condition->count) + times + ", " + condition->place});
  }
  return rows.empty() ? "" : "\nblame\n" + aligned(rows, 3, "  ");
}

}  // namespace hyla::service
