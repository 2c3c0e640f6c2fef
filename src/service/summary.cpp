#include "service/summary.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "service/report_requirements.h"
#include "service/table.h"

namespace hyla::service {
namespace {

using Rows = std::vector<std::vector<std::string>>;
using statistics::Summary;
using statistics::SummaryKind;

constexpr std::size_t kMostFired = 5;
constexpr std::size_t kBarWidth = 40;
constexpr std::size_t kMostBars = 16;
const std::string kIndent = "  ";

std::string with_unit(double value, const std::string& unit) {
  return short_number(value) + (unit.empty() ? "" : ' ' + unit);
}

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return std::to_string(count) + ' ' + std::string(count == 1 ? one : many);
}

std::string_view kind_word(SummaryKind kind) {
  switch (kind) {
    case SummaryKind::Tally:
      return "tally";
    case SummaryKind::TimeWeighted:
      return "accumulate";
    case SummaryKind::Replications:
      return "mean of runs";
  }
  return "";
}

// --- Counters
// ------------------------------------------------------------------------------------------------------------------

/// One number for all runs.
template <class Member>
std::uint64_t total(const RunReport& report, Member member) {
  std::uint64_t sum = 0;
  for (const SingleRun& run : report.runs) sum += run.*member;
  return sum;
}

std::string counters(const RunReport& report, const SummaryOptions& options) {
  const std::uint64_t events = total(report, &SingleRun::events);
  Rows rows = {{"events", std::to_string(events)},
               {"event steps", std::to_string(total(report, &SingleRun::steps))},
               {"instants", std::to_string(total(report, &SingleRun::instants))},
               {"messages", std::to_string(total(report, &SingleRun::messages))}};
  const auto add_if = [&](std::string_view name, std::uint64_t count) {
    if (count > 0) rows.push_back({std::string(name), std::to_string(count)});
  };
  add_if("unhandled", total(report, &SingleRun::unhandled));
  add_if("violations", total(report, &SingleRun::violations));
  if (options.timing) {
    rows.push_back({"wall time", short_number(report.seconds) + " s"});
    if (report.seconds > 0) {
      const auto rate = static_cast<std::uint64_t>(static_cast<double>(events) / report.seconds);
      rows.push_back({"events a second", std::to_string(rate)});
    }
  }
  return aligned(rows, 2, kIndent);
}

/// Over all runs; the number of islands is the largest.
ContinuousReport sum_of_continuous(const RunReport& report) {
  ContinuousReport sum;
  for (const SingleRun& run : report.runs) {
    const ContinuousReport& one = run.continuous;
    sum.islands = std::max(sum.islands, one.islands);
    sum.configurations = std::max(sum.configurations, one.configurations);
    sum.threads = std::max(sum.threads, one.threads);
    for (const auto member : {&ContinuousReport::steps, &ContinuousReport::rejected, &ContinuousReport::evaluations,
                              &ContinuousReport::jacobians, &ContinuousReport::factorisations,
                              &ContinuousReport::to_stiff, &ContinuousReport::to_nonstiff, &ContinuousReport::crossings,
                              &ContinuousReport::uncleared, &ContinuousReport::loops, &ContinuousReport::iterations}) {
      sum.*member += one.*member;
    }
    for (const std::string& method : one.methods) {
      if (std::find(sum.methods.begin(), sum.methods.end(), method) == sum.methods.end()) sum.methods.push_back(method);
    }
  }
  return sum;
}

std::string equations(const RunReport& report, const SummaryOptions& options) {
  const ContinuousReport sum = sum_of_continuous(report);
  if (sum.islands == 0) return "";
  Rows rows = {
      {"islands", std::to_string(sum.islands) + ", " + counted(sum.configurations, "configuration", "configurations")}};
  std::string methods;
  for (const std::string& method : sum.methods) methods += (methods.empty() ? "" : ", ") + method;
  if (!methods.empty()) rows.push_back({"method", methods});
  const std::string rejected = sum.rejected > 0 ? ", " + std::to_string(sum.rejected) + " rejected" : "";
  rows.push_back({"steps", std::to_string(sum.steps) + rejected});
  rows.push_back({"evaluations", std::to_string(sum.evaluations)});
  if (sum.jacobians > 0) {
    rows.push_back({"Jacobians", std::to_string(sum.jacobians) + ", " +
                                     counted(sum.factorisations, "factorisation", "factorisations")});
  }
  if (sum.to_stiff + sum.to_nonstiff > 0) {
    rows.push_back(
        {"switches", std::to_string(sum.to_stiff) + " to stiff, " + std::to_string(sum.to_nonstiff) + " back"});
  }
  rows.push_back({"crossings", std::to_string(sum.crossings)});
  if (sum.uncleared > 0) rows.push_back({"uncleared", counted(sum.uncleared, "piece", "pieces") + " of steps"});
  if (sum.loops > 0) {
    rows.push_back(
        {"loops solved", std::to_string(sum.loops) + ", " + counted(sum.iterations, "iteration", "iterations")});
  }
  if (options.timing && sum.threads > 1) rows.push_back({"threads", std::to_string(sum.threads)});
  return "\nequations\n" + aligned(rows, 2, kIndent);
}

std::string fired(const RunReport& report) {
  if (report.fired.empty()) return "";
  Rows rows;
  for (std::size_t i = 0; i < std::min(kMostFired, report.fired.size()); ++i) {
    const FiredReport& entry = report.fired[i];
    rows.push_back({entry.what, entry.place, std::to_string(entry.count)});
  }
  return "\nfired most\n" + aligned(rows, 2, kIndent);
}

// --- Statistics
// ------------------------------------------------------------------------------------------------------------------

std::string label(const StatisticReport& statistic) {
  const std::string unit = statistic.unit.empty() ? "" : " [" + statistic.unit + ']';
  return statistic.object + '.' + statistic.name + unit;
}

/// The mean with its interval: that of the steady state, or of the replications.
std::vector<std::string> row_of(const StatisticReport& statistic) {
  const Summary& figures = statistic.figures;
  const bool is_marked = !figures.reliable && !std::isnan(figures.half_width);
  std::vector<std::string> row = {label(statistic), std::string(kind_word(figures.kind)), std::to_string(figures.count),
                                  short_number(figures.mean),
                                  short_number(figures.half_width) + (is_marked ? "?" : "")};
  for (const double value : {figures.minimum, figures.maximum, figures.stddev}) row.push_back(short_number(value));
  if (figures.kind != SummaryKind::Replications) row.push_back(short_number(figures.final_value));
  return row;
}

std::string notes(const std::vector<StatisticReport>& all, const std::string& time_unit) {
  std::string text;
  bool has_unreliable = false;
  for (const StatisticReport& statistic : all) {
    const Summary& figures = statistic.figures;
    has_unreliable = has_unreliable || (!figures.reliable && !std::isnan(figures.half_width));
    if (!(figures.warm_up > 0)) continue;
    const std::string length = figures.kind == SummaryKind::Tally ? short_number(figures.warm_up) + " observations"
                                                                  : with_unit(figures.warm_up, time_unit);
    text += kIndent + label(statistic) + ": the interval is " + short_number(figures.steady_mean) + " ± " +
            short_number(figures.half_width) + ", without a warm-up of " + length + '\n';
  }
  if (has_unreliable) {
    text += kIndent +
            "? the interval is unreliable: too few batches, or they depend on each other; run longer or use "
            "--replications\n";
  }
  return text;
}

std::string statistics_table(const std::vector<StatisticReport>& all, const std::string& time_unit) {
  if (all.empty()) return "";
  std::vector<std::string> heading = {"statistic", "kind", "count", "mean", "± 95 %", "min", "max", "stddev"};
  if (all.front().figures.kind != SummaryKind::Replications) heading.push_back("final");
  Rows rows = {heading};
  for (const StatisticReport& statistic : all) rows.push_back(row_of(statistic));
  return '\n' + aligned(rows, 2, "") + notes(all, time_unit);
}

/// Neighbouring bins joined until a screen holds them, without empty ones at the ends.
StatisticReport::Histogram coarse(StatisticReport::Histogram histogram) {
  const auto is_filled = [](double weight) { return weight > 0; };
  std::vector<double>& bins = histogram.bins;
  bins.erase(std::find_if(bins.rbegin(), bins.rend(), is_filled).base(), bins.end());
  const auto first = std::find_if(bins.begin(), bins.end(), is_filled);
  histogram.low += histogram.width * static_cast<double>(first - bins.begin());
  bins.erase(bins.begin(), first);
  while (bins.size() > kMostBars) {
    for (std::size_t i = 0; i < bins.size(); i += 2) bins[i / 2] = bins[i] + (i + 1 < bins.size() ? bins[i + 1] : 0);
    bins.resize((bins.size() + 1) / 2);
    histogram.width *= 2;
  }
  return histogram;
}

std::string histogram_text(const StatisticReport& statistic) {
  const StatisticReport::Histogram histogram = coarse(statistic.histogram);
  if (histogram.bins.empty()) return "";
  double sum = 0;
  for (const double weight : histogram.bins) sum += weight;
  const double most = *std::max_element(histogram.bins.begin(), histogram.bins.end());
  Rows rows;
  for (std::size_t i = 0; i < histogram.bins.size(); ++i) {
    const double weight = histogram.bins[i];
    const auto length = static_cast<std::size_t>(std::ceil(weight / most * static_cast<double>(kBarWidth)));
    const double low = histogram.low + histogram.width * static_cast<double>(i);
    rows.push_back({short_number(low), short_number(std::round(weight / sum * 1000) / 10) + " %",
                    std::string(length, '#') + std::string(kBarWidth - length, ' ')});
  }
  return '\n' + label(statistic) + ", from … on\n" + aligned(rows, 0, kIndent);
}

std::string replications_text(const RunReport& report) {
  constexpr std::array<std::string_view, 7> kWords = {
      "reached the stop time",       "ran out of events", "terminated", "violated a requirement",
      "reached the limit of events", "interrupted",       "failed"};
  std::array<std::uint64_t, kWords.size()> endings{};
  for (const SingleRun& run : report.runs) ++endings[static_cast<std::size_t>(run.ending)];
  std::string text;
  for (std::size_t i = 0; i < endings.size(); ++i) {
    if (endings[i] == 0) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(endings[i]) + ' ' + std::string(kWords[i]);
  }
  text = counted(report.runs.size(), "replication", "replications") + ": " + text + '\n';
  for (const SingleRun& run : report.runs) {
    if (run.ending == RunEnding::StopTime || run.ending == RunEnding::Exhausted) continue;
    text += kIndent + "replication " + std::to_string(run.number) + ' ' + ending_text(run, report) + '\n';
  }
  return text;
}

}  // namespace

bool RunReport::fails_undecided() const {
  if (!require_decided) return false;
  const auto is_open = [](const RequirementReport& one) {
    return one.verdict == Verdict::Undecided || one.verdict == Verdict::NeverTested;
  };
  const std::vector<RequirementReport> all = worst_of(runs);
  return std::any_of(all.begin(), all.end(), is_open);
}

bool RunReport::model_failed() const {
  return counts.errors > 0 || fails_undecided() || std::any_of(runs.begin(), runs.end(), [](const SingleRun& run) {
           return run.ending == RunEnding::Requirement || run.ending == RunEnding::Interrupted ||
                  run.ending == RunEnding::Failed || run.violations > 0;
         });
}

std::string short_number(double value) {
  if (std::isnan(value)) return "-";
  if (std::isinf(value)) return value > 0 ? "infinity" : "-infinity";
  if (value == 0) return "0";
  std::array<char, 32> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::general, 6);
  return {buffer.data(), result.ptr};
}

std::string_view ending_word(RunEnding ending) {
  switch (ending) {
    case RunEnding::StopTime:
      return "stop-time";
    case RunEnding::Exhausted:
      return "exhausted";
    case RunEnding::Terminated:
      return "terminated";
    case RunEnding::Requirement:
      return "requirement";
    case RunEnding::EventLimit:
      return "event-limit";
    case RunEnding::Interrupted:
      return "interrupted";
    case RunEnding::Failed:
      return "failed";
  }
  return "";
}

std::string ending_text(const SingleRun& run, const RunReport& report) {
  const std::string at = "t = " + with_unit(run.time, report.time_unit);
  switch (run.ending) {
    case RunEnding::StopTime:
      return "reached the stop time " + with_unit(report.stop_time, report.time_unit);
    case RunEnding::Exhausted:
      return "ran out of events before the stop time " + with_unit(report.stop_time, report.time_unit);
    case RunEnding::Terminated:
      return "terminated at " + at + (run.reason.empty() ? "" : ": " + run.reason);
    case RunEnding::Requirement:
      return "ended at " + at + ": a requirement is violated";
    case RunEnding::EventLimit:
      return "reached the limit of events at " + at;
    case RunEnding::Interrupted:
      return "interrupted at " + at;
    case RunEnding::Failed:
      return "failed at " + at;
  }
  return "";
}

std::string summary_text(const RunReport& report, const SummaryOptions& options) {
  if (!report.has_run || report.runs.empty()) return "";
  const bool is_single = report.statistics.empty() && report.runs.size() == 1;
  std::string text = report.model + ", seed " + std::to_string(report.seed) + ": ";
  text += is_single ? ending_text(report.runs.front(), report) + '\n' : replications_text(report);
  text += counters(report, options) + equations(report, options) + blame_text(report, options) + fired(report);
  const std::vector<StatisticReport>& statistics = is_single ? report.runs.front().statistics : report.statistics;
  text += statistics_table(statistics, report.time_unit) + requirements_text(report) + coverage_text(report.coverage);
  if (options.histograms) {
    for (const StatisticReport& statistic : statistics) text += histogram_text(statistic);
  }
  for (const std::string& note : report.notes) text += "note: " + note + '\n';
  return text;
}

}  // namespace hyla::service
