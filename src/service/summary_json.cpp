#include <algorithm>
#include <cmath>
#include <string>

#include "diag/json.h"
#include "service/json_members.h"
#include "service/report_requirements.h"
#include "service/summary.h"

namespace hyla::service {
namespace {

std::string_view kind_word(statistics::SummaryKind kind) {
  switch (kind) {
    case statistics::SummaryKind::Tally:
      return "tally";
    case statistics::SummaryKind::TimeWeighted:
      return "accumulate";
    case statistics::SummaryKind::Replications:
      return "replications";
  }
  return "";
}

void append_histogram(std::string& out, const StatisticReport::Histogram& histogram) {
  Members members(out);
  members.number("low", histogram.low).number("width", histogram.width);
  members.key("bins") += '[';
  for (std::size_t i = 0; i < histogram.bins.size(); ++i) {
    if (i > 0) out += ", ";
    base::append_json_number(out, histogram.bins[i]);
  }
  out += ']';
  members.end();
}

void append_statistic(std::string& out, const StatisticReport& statistic) {
  const statistics::Summary& figures = statistic.figures;
  Members members(out);
  members.text("object", statistic.object).text("name", statistic.name).text("unit", statistic.unit);
  members.text("kind", kind_word(figures.kind)).count("count", figures.count).number("mean", figures.mean);
  members.number("steady_mean", figures.steady_mean).number("half_width", figures.half_width);
  members.flag("reliable", figures.reliable).number("warm_up", figures.warm_up);
  members.number("min", figures.minimum).number("max", figures.maximum).number("stddev", figures.stddev);
  members.number("final_value", figures.final_value);
  if (!statistic.histogram.bins.empty()) append_histogram(members.key("histogram"), statistic.histogram);
  members.end();
}

/// Without the number of threads: the same numbers come out with any.
void append_continuous(std::string& out, const ContinuousReport& continuous) {
  Members members(out);
  members.count("islands", continuous.islands).count("configurations", continuous.configurations);
  members.texts("methods", continuous.methods);
  members.count("steps", continuous.steps).count("rejected", continuous.rejected);
  members.count("evaluations", continuous.evaluations).count("jacobians", continuous.jacobians);
  members.count("factorisations", continuous.factorisations);
  members.count("to_stiff", continuous.to_stiff).count("to_nonstiff", continuous.to_nonstiff);
  members.count("crossings", continuous.crossings).count("uncleared", continuous.uncleared);
  members.count("loops", continuous.loops).count("iterations", continuous.iterations).end();
}

std::string_view verdict_key(Verdict verdict) {
  return verdict == Verdict::NeverTested ? "never-tested" : verdict_word(verdict);
}

void append_requirement(std::string& out, const RequirementReport& one) {
  const auto known = [](double value) { return std::isfinite(value) ? value : std::nan(""); };
  Members members(out);
  members.text("object", one.object).text("indices", one.indices).text("text", one.text);
  members.text("requirement", one.condition).text("place", one.place).text("verdict", verdict_key(one.verdict));
  members.count("tests", one.tests).count("violations", one.violations);
  members.number("violated_at", one.violated_at).text("violated_by", one.violated_by);
  members.number("margin", known(one.margin)).number("margin_at", known(one.margin_at)).text("unit", one.unit);
  members.number("spare", known(one.spare)).number("spare_at", known(one.spare_at)).end();
}

void append_run(std::string& out, const SingleRun& run) {
  Members members(out);
  members.count("number", run.number).text("ending", ending_word(run.ending)).number("time", run.time);
  members.text("reason", run.reason).count("events", run.events).count("steps", run.steps);
  members.count("instants", run.instants).count("messages", run.messages).count("unhandled", run.unhandled);
  members.count("violations", run.violations);
  if (run.continuous.islands > 0) append_continuous(members.key("continuous"), run.continuous);
  members.array("requirements", run.requirements, append_requirement);
  members.array("statistics", run.statistics, append_statistic).end();
}

void append_fired(std::string& out, const FiredReport& fired) {
  Members members(out);
  members.text("what", fired.what).text("place", fired.place).count("count", fired.count);
  members.flag("condition", fired.is_condition).end();
}

void append_limit(std::string& out, const LimitReport& limit) {
  Members members(out);
  members.text("variable", limit.variable).count("count", limit.count).end();
}

void append_island(std::string& out, const IslandReport& island) {
  Members members(out);
  members.text("variable", island.variable).count("states", island.states).count("steps", island.steps);
  members.count("rejected", island.rejected).count("evaluations", island.evaluations).end();
}

void append_blame(std::string& out, const BlameReport& blame) {
  Members members(out);
  members.count("looks", blame.looks).array("limits", blame.limits, append_limit);
  members.array("islands", blame.islands, append_island).end();
}

std::string run_json(const RunReport& report) {
  std::string out;
  Members members(out);
  members.text("model", report.model).count("seed", report.seed);
  members.number("start_time", report.start_time).number("stop_time", report.stop_time);
  members.text("time_unit", report.time_unit).array("runs", report.runs, append_run);
  members.array("fired", report.fired, append_fired);
  if (!report.coverage.empty()) append_coverage(members.key("coverage"), report.coverage);
  if (const BlameReport blame = sum_of_blame(report); blame.looks > 0) append_blame(members.key("blame"), blame);
  members.array("statistics", report.statistics, append_statistic);
  if (!report.notes.empty()) members.array("notes", report.notes, base::append_json_string);
  members.end();
  return out;
}

/// That solved equations; 0 if there were none to solve.
unsigned threads_of(const RunReport& report) {
  unsigned threads = 0;
  for (const SingleRun& run : report.runs) {
    if (run.continuous.islands > 0) threads = std::max(threads, run.continuous.threads);
  }
  return threads;
}

}  // namespace

/// Conditions have two counts.
void append_coverage(std::string& out, const CoverageReport& coverage) {
  const auto append = [&](std::string_view yes, bool has_no) {
    return [yes, has_no](std::string& text, const CoverageItem& item) {
      Members members(text);
      members.text("name", item.name).text("place", item.place).count(yes, item.yes);
      if (has_no) members.count("false", item.no);
      members.end();
    };
  };
  Members members(out);
  members.array("states", coverage.states, append("entered", false));
  members.array("transitions", coverage.transitions, append("fired", false));
  members.array("conditions", coverage.conditions, append("true", true)).end();
}

std::string summary_json(const RunReport& report) {
  std::string out = diag::to_json(report.diagnostics, report.counts, report.failures, report.sources);
  out.resize(out.rfind('}'));
  out += ",\n \"run\": " + (report.has_run ? run_json(report) : "null") + ",\n \"timing\": ";
  Members timing(out);
  timing.number("seconds", report.seconds);
  if (const unsigned threads = threads_of(report); threads > 0) timing.count("threads", threads);
  if (const BlameReport blame = sum_of_blame(report); blame.seconds > 0) {
    timing.array("islands", blame.islands, [&](std::string& text, const IslandReport& island) {
      Members(text).text("variable", island.variable).number("share", island.seconds / blame.seconds).end();
    });
  }
  timing.end();
  return out += "}\n";
}

}  // namespace hyla::service
