#include "service/run_model.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "engine/build.h"
#include "engine/run.h"
#include "experiment/replications.h"
#include "service/checkpoint_file.h"
#include "service/log_file.h"
#include "service/prepare_run.h"
#include "service/record_run.h"
#include "service/report_requirements.h"
#include "service/report_run.h"
#include "service/run_source.h"
#include "service/summary.h"
#include "service/watch_run.h"

namespace hyla::service {
namespace {

/// A mistake in a setting begins with the line of its file.
void add_failure(const RunRequest& request, const std::string& message, RunReport& report) {
  if (message.empty()) return;
  const auto concerns = [&](const ParameterSetting& setting) {
    return !setting.origin.empty() && message.find('`' + setting.path + '`') != std::string::npos;
  };
  const auto setting = std::find_if(request.settings.rbegin(), request.settings.rend(), concerns);
  report.failures.push_back((setting == request.settings.rend() ? "" : setting->origin) + message);
}

/// Adds the diagnostics of runs behind those of the check; one kind at one place is told once.
class DiagnosticsOfRuns {
 public:
  explicit DiagnosticsOfRuns(RunReport& report) : report_(report) {}

  /// `where` becomes a hint, unless it is empty.
  void add(const diag::Sink& sink, const std::string& where) {
    for (diag::Diagnostic diagnostic : sink.diagnostics()) {
      const diag::Span& span = diagnostic.span;
      if (!told_.emplace(diagnostic.kind, span.file.index, span.begin, span.end).second) continue;
      if (!where.empty()) diagnostic.hints.push_back(where);
      ++(diagnostic.severity() == diag::Severity::Error ? report_.counts.errors : report_.counts.warnings);
      report_.diagnostics.push_back(std::move(diagnostic));
    }
    report_.counts.omitted += sink.counts().omitted;
  }

 private:
  RunReport& report_;
  std::set<std::tuple<diag::Kind, std::uint32_t, std::uint32_t, std::uint32_t>> told_;
};

// --- One run
// ------------------------------------------------------------------------------------------------------------------

/// Everything besides the text of the model on which the course of a run depends.
std::string options_text(const PreparedRun& prepared) {
  const engine::RunOptions& options = prepared.options;
  const engine::ContinuousOptions& continuous = options.continuous;
  std::string text = std::to_string(prepared.build.top.index) + ' ' + std::to_string(prepared.build.seed);
  for (const auto& assignment : prepared.build.assignments) text += '\n' + assignment.path + '=' + assignment.value;
  for (const double number : {options.start_time, options.stop_time, continuous.relative_tolerance,
                              continuous.absolute_tolerance, continuous.fixed_step, continuous.gamma}) {
    text += '\n' + base::format_number(number);
  }
  for (const bool flag : {options.random_order, options.keep_going, continuous.one_sided}) text += flag ? " 1" : " 0";
  for (const std::uint64_t limit : {std::uint64_t{options.step_limit}, options.event_limit, options.loop_limit,
                                    options.queue_limit, options.object_limit}) {
    text += ' ' + std::to_string(limit);
  }
  return text + ' ' + std::string(solve::name_of(continuous.method)) + ' ' +
         std::to_string(static_cast<int>(continuous.zeno));
}

void run_once(const RunRequest& request, const FileSystem& files, const PreparedRun& prepared,
              const RunWatcher& watcher, RunReport& report, RunRecord& record) {
  diag::Sink sink;
  engine::BuildFailure failure;
  const std::unique_ptr<engine::World> world = engine::build(*prepared.model, prepared.build, sink, failure);
  if (!world) {
    DiagnosticsOfRuns(report).add(sink, "");
    add_failure(request, failure.message, report);
    return;
  }
  CheckpointFile checkpoint(request, options_text(prepared), report);
  if (!checkpoint.open(files)) return;
  LogFile file;
  if (!record.open(request, *world, prepared.output_interval, report) || !file.open(request, record.events(), report)) {
    return;
  }
  RunWatcher ending_watcher = watcher;  // a record that cannot be written ends the run
  ending_watcher.progress = [&](const RunProgress& progress) {
    return record.refresh() && (!watcher.progress || watcher.progress(progress));
  };
  RunObserver observer(*world, report.sources, ending_watcher, file.log(), report.start_time,
                       report.stop_time - report.start_time);
  engine::RunOptions options = prepared.options;
  options.checkpointing = checkpoint.checkpointing();
  if (options.checkpointing != nullptr && file.log() != nullptr) {
    options.checkpointing->last_told = [&observer] { return observer.last_sequence(); };
  }
  const engine::RunOutcome outcome =
      engine::run(*world, options, &observer, sink, record.is_wanted() ? &record : nullptr);
  if (!checkpoint.finish()) {
    file.close(report);
    record.close(report);
    return;
  }
  if (options.checkpointing != nullptr) observer.go_on_behind(options.checkpointing->told);
  report.has_run = true;
  report.runs.push_back(report_of(*prepared.model, outcome, experiment::figures_of(*world), 1));
  report.runs.back().requirements = requirements_of(*prepared.model, report.sources, outcome);
  report.coverage = coverage_of(*prepared.model, report.sources, outcome.coverage);
  observer.finish(*world, ending_word(report.runs.front().ending), outcome.time);
  file.close(report);
  record.close(report);
  DiagnosticsOfRuns(report).add(sink, "");
  report.fired = fired_of(*prepared.model, report.sources, outcome.fired);
}

// --- Replications
// ------------------------------------------------------------------------------------------------------------------

/// Sums the progress of all replications.
class JointProgress : public experiment::ReplicationWatch {
 public:
  JointProgress(const RunWatcher& watcher, const RunReport& report, std::size_t count)
      : watcher_(watcher), report_(report), times_(count, report.start_time), events_(count) {}

  bool progress(std::size_t number, double time, std::uint64_t events) override {
    if (!watcher_.progress) return true;
    const double span = report_.stop_time - report_.start_time;
    sum_.part += (part_of(time, report_.start_time, span) - part_of(times_[number], report_.start_time, span)) /
                 static_cast<double>(times_.size());
    sum_.time += time - times_[number];
    sum_.events += events - events_[number];
    if (time >= report_.stop_time && times_[number] < report_.stop_time) ++sum_.finished;
    times_[number] = time;
    events_[number] = events;
    return watcher_.progress(sum_);
  }

 private:
  const RunWatcher& watcher_;
  const RunReport& report_;
  RunProgress sum_;
  std::vector<double> times_;
  std::vector<std::uint64_t> events_;
};

void run_replications(const RunRequest& request, const PreparedRun& prepared, const RunWatcher& watcher,
                      RunReport& report) {
  const std::uint32_t count = *request.replications;
  JointProgress progress(watcher, report, count);
  const std::vector<experiment::Replication> replications =
      experiment::replicate(*prepared.model, {prepared.build, prepared.options, count, request.threads}, progress);
  std::vector<engine::FireCount> fired;
  engine::Coverage coverage;
  DiagnosticsOfRuns diagnostics(report);
  for (std::size_t i = 0; i < replications.size(); ++i) {
    const experiment::Replication& replication = replications[i];
    diagnostics.add(replication.sink, "in replication " + std::to_string(i + 1));
    if (!replication.has_run) {
      if (report.failures.empty()) add_failure(request, replication.failure, report);
      continue;
    }
    report.has_run = true;
    report.runs.push_back(report_of(*prepared.model, replication.outcome, replication.figures, i + 1));
    report.runs.back().requirements = requirements_of(*prepared.model, report.sources, replication.outcome);
    engine::merge(coverage, replication.outcome.coverage);
    fired.insert(fired.end(), replication.outcome.fired.begin(), replication.outcome.fired.end());
  }
  report.fired = fired_of(*prepared.model, report.sources, fired);
  report.coverage = coverage_of(*prepared.model, report.sources, coverage);
  for (const experiment::JointFigure& figure : experiment::join(replications)) {
    report.statistics.push_back(statistic_of(*prepared.model, figure));
  }
}

}  // namespace

RunReport run_model(const RunRequest& request, const FileSystem& files, const RunWatcher& watcher) {
  RunReport report;
  PreparedRun prepared;
  if (!prepare_run(request, files, report, prepared)) return report;
  const auto begin = std::chrono::steady_clock::now();
  RunRecord record;
  if (request.replications) {
    run_replications(request, prepared, watcher, report);
  } else {
    run_once(request, files, prepared, watcher, report, record);
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (report.has_run && !request.replications) record.draw(report.runs.front().time, report);
  return report;
}

}  // namespace hyla::service
