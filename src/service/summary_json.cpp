#include <algorithm>
#include <string>

#include "diag/json.h"
#include "service/json_members.h"
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

void append_statistic(std::string& out, const StatisticReport& statistic) {
  const statistics::Summary& figures = statistic.figures;
  Members members(out);
  members.text("object", statistic.object).text("name", statistic.name).text("unit", statistic.unit);
  members.text("kind", kind_word(figures.kind)).count("count", figures.count).number("mean", figures.mean);
  members.number("steady_mean", figures.steady_mean).number("half_width", figures.half_width);
  members.flag("reliable", figures.reliable).number("warm_up", figures.warm_up);
  members.number("min", figures.minimum).number("max", figures.maximum).number("stddev", figures.stddev);
  members.number("final_value", figures.final_value).end();
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

void append_run(std::string& out, const SingleRun& run) {
  Members members(out);
  members.count("number", run.number).text("ending", ending_word(run.ending)).number("time", run.time);
  members.text("reason", run.reason).count("events", run.events).count("steps", run.steps);
  members.count("instants", run.instants).count("messages", run.messages).count("unhandled", run.unhandled);
  members.count("violations", run.violations);
  if (run.continuous.islands > 0) append_continuous(members.key("continuous"), run.continuous);
  members.array("statistics", run.statistics, append_statistic).end();
}

void append_fired(std::string& out, const FiredReport& fired) {
  Members members(out);
  members.text("what", fired.what).text("place", fired.place).count("count", fired.count).end();
}

std::string run_json(const RunReport& report) {
  std::string out;
  Members members(out);
  members.text("model", report.model).count("seed", report.seed);
  members.number("start_time", report.start_time).number("stop_time", report.stop_time);
  members.text("time_unit", report.time_unit).array("runs", report.runs, append_run);
  members.array("fired", report.fired, append_fired);
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

std::string summary_json(const RunReport& report) {
  std::string out = diag::to_json(report.diagnostics, report.counts, report.failures, report.sources);
  out.resize(out.rfind('}'));
  out += ",\n \"run\": " + (report.has_run ? run_json(report) : "null") + ",\n \"timing\": ";
  Members timing(out);
  timing.number("seconds", report.seconds);
  if (const unsigned threads = threads_of(report); threads > 0) timing.count("threads", threads);
  timing.end();
  return out += "}\n";
}

}  // namespace hyla::service
