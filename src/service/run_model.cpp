#include "service/run_model.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "check/check.h"
#include "check/forest.h"
#include "engine/build.h"
#include "engine/run.h"
#include "experiment/replications.h"
#include "record/background_output.h"
#include "record/event_log.h"
#include "service/checkpoint_file.h"
#include "service/load_external.h"
#include "service/load_native.h"
#include "service/modules.h"
#include "service/output_file.h"
#include "service/record_run.h"
#include "service/report_run.h"
#include "service/solver_options.h"
#include "service/summary.h"
#include "service/watch_run.h"

namespace hyla::service {
namespace {

constexpr std::string_view kPrelude = "prelude";

/// `models/mm1.hyla` is the module `mm1`.
std::string module_of(const std::string& path) {
  const std::string name = path.substr(folder_of(path).size());
  return name.substr(0, name.rfind('.'));
}

/// What all runs of a request share.
struct Prepared {
  model::Model model;
  engine::BuildRequest build;
  engine::RunOptions options;
  double output_interval = 0;
  std::unique_ptr<code::NativeCompiler> native;
  std::unique_ptr<code::ExternalLibraries> external;  ///< none: not allowed
};

/// The compiler of native code, if it is wanted; false if it must be there and is not.
bool find_native(RunReport& report, Prepared& prepared) {
  engine::ContinuousOptions& options = prepared.options.continuous;
  if (options.jit == engine::Jit::Off) return true;
  std::string why_not;
  prepared.native = load_native_compiler(why_not);
  options.native = prepared.native.get();
  if (prepared.native || options.jit == engine::Jit::Auto) return true;
  report.failures.push_back("--jit on: " + why_not);
  return false;
}

/// Shared libraries are looked for beside the model first.
void allow_external(const RunRequest& request, Prepared& prepared) {
  if (!request.allow_external) return;
  const std::string beside = folder_of(request.path);
  std::vector<std::string> folders = {beside.empty() ? "." : beside};
  folders.insert(folders.end(), request.external_folders.begin(), request.external_folders.end());
  prepared.external = load_external_libraries(std::move(folders));
  prepared.build.external = prepared.external.get();
}

/// From text to a checked model; false if it cannot be run, with the reasons in the report.
bool read_model(const RunRequest& request, const FileSystem& files, RunReport& report, Prepared& prepared) {
  ModulePath modules(files, request.library_paths, report.sources);
  const diag::FileId prelude = modules.load_standard(kPrelude);
  const base::Result<diag::FileId> file = modules.load(request.path);
  if (!file.ok()) {
    report.failures.push_back(file.message());
    return false;
  }
  diag::Sink sink;
  const check::Forest forest = check::load_modules(report.sources, prelude, file.value(), modules, sink);
  prepared.model = check::check(forest, sink);
  report.diagnostics = sink.sorted();
  report.checked = report.diagnostics.size();
  report.counts = sink.counts();
  return !sink.has_errors();
}

/// What the model says about its run, with the values that its parameters have in this request.
engine::Settings settings_for(const RunRequest& request, const Prepared& prepared) {
  engine::Settings settings = engine::settings_of(prepared.model, prepared.build.top);
  if (request.settings.empty() || !engine::settings_vary(prepared.model, prepared.build.top)) return settings;
  diag::Sink sink;  // what is wrong is told when the world is built for the run
  engine::BuildFailure failure;
  const std::unique_ptr<engine::World> world = engine::build(prepared.model, prepared.build, sink, failure);
  return world ? engine::settings_of(*world) : settings;
}

/// How equations are solved and how often values are recorded; false if that makes no sense.
bool choose_solver(const RunRequest& request, const engine::Settings& settings, RunReport& report, Prepared& prepared) {
  prepared.output_interval = output_interval(request, settings.output_interval, report.start_time, report.stop_time);
  constexpr double kMostRows = 1e9;
  if ((report.stop_time - report.start_time) / prepared.output_interval > kMostRows && report.stop_time < HUGE_VAL) {
    report.failures.push_back("the output interval " + short_number(prepared.output_interval) +
                              " is too short for a run from " + short_number(report.start_time) + " to " +
                              short_number(report.stop_time));
    return false;
  }
  base::Result<engine::ContinuousOptions> options =
      continuous_options(settings, request.solver, prepared.output_interval);
  if (!options.ok()) {
    report.failures.push_back(options.message());
    return false;
  }
  prepared.options.continuous = options.value();
  if (request.replications <= 1) prepared.options.threads = std::max(1U, request.threads);
  return find_native(report, prepared);
}

/// Settings of the request before those of the model; false if they or the model's name make no sense.
bool choose_settings(const RunRequest& request, RunReport& report, Prepared& prepared) {
  std::string message;
  prepared.build.top = engine::find_top(prepared.model, module_of(request.path), request.model, message);
  if (!prepared.build.top) {
    report.failures.push_back(message);
    return false;
  }
  for (const ParameterSetting& setting : request.settings) {
    prepared.build.assignments.push_back({setting.path, setting.value});
  }
  allow_external(request, prepared);
  const engine::Settings settings = settings_for(request, prepared);
  report.model = prepared.model.name(prepared.model.classes[prepared.build.top].name);
  report.seed = prepared.build.seed = request.seed.value_or(settings.seed);
  report.start_time = prepared.options.start_time = settings.start_time;
  report.stop_time = prepared.options.stop_time = request.stop_time.value_or(settings.stop_time);
  report.time_unit = settings.time_unit;
  if (!std::isfinite(report.start_time) || std::isnan(report.stop_time)) {
    report.failures.push_back("a run cannot go from " + base::format_number(report.start_time) + " to " +
                              base::format_number(report.stop_time));
    return false;
  }
  if (report.stop_time < report.start_time) {
    report.failures.push_back("the stop time " + short_number(report.stop_time) + " lies before the start time " +
                              short_number(report.start_time));
    return false;
  }
  if (!choose_solver(request, settings, report, prepared)) return false;
  prepared.options.random_order = request.random_order;
  prepared.options.keep_going = request.keep_going;
  if (request.queue_limit) prepared.options.queue_limit = *request.queue_limit;
  if (request.object_limit) prepared.options.object_limit = *request.object_limit;
  if (request.event_limit) prepared.options.event_limit = *request.event_limit;
  if (request.loop_limit) prepared.build.limits.loop_turns = prepared.options.loop_limit = *request.loop_limit;
  return true;
}

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

/// The events file with its log; inactive if none was asked for.
class LogFile {
 public:
  bool open(const RunRequest& request, RunReport& report) {
    if (request.events_file.empty()) return true;
    if (is_source(report.sources, request.events_file)) {
      report.failures.push_back("cannot write events to `" + request.events_file + "`: it is a file of the model");
      return false;
    }
    if (const auto failure = file_.open(request.events_file)) {
      report.failures.push_back(failure->message);
      return false;
    }
    if (request.threads > 1) background_ = std::make_unique<record::BackgroundOutput>(file_);
    record::Output& output = background_ ? static_cast<record::Output&>(*background_) : file_;
    log_ = std::make_unique<record::EventLog>(output, record::LogHeader{report.model, report.seed});
    return true;
  }
  record::EventLog* log() { return log_.get(); }
  void close(RunReport& report) {
    if (!log_) return;
    log_->flush();
    if (background_) background_->finish();
    if (const auto failure = file_.close()) report.failures.push_back(failure->message);
  }

 private:
  OutputFile file_;
  std::unique_ptr<record::BackgroundOutput> background_;
  std::unique_ptr<record::EventLog> log_;
};

/// Everything besides the text of the model on which the course of a run depends.
std::string options_text(const Prepared& prepared) {
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

void run_once(const RunRequest& request, const FileSystem& files, const Prepared& prepared, const RunWatcher& watcher,
              RunReport& report, RunRecord& record) {
  diag::Sink sink;
  engine::BuildFailure failure;
  const std::unique_ptr<engine::World> world = engine::build(prepared.model, prepared.build, sink, failure);
  if (!world) {
    DiagnosticsOfRuns(report).add(sink, "");
    add_failure(request, failure.message, report);
    return;
  }
  CheckpointFile checkpoint(request, options_text(prepared), report);
  if (!checkpoint.open(files)) return;
  LogFile file;
  if (!record.open(request, *world, prepared.output_interval, report) || !file.open(request, report)) return;
  RunWatcher ending_watcher = watcher;  // a record that cannot be written ends the run
  ending_watcher.progress = [&](const RunProgress& progress) {
    return record.refresh() && (!watcher.progress || watcher.progress(progress));
  };
  RunObserver observer(*world, report.sources, ending_watcher, file.log(), report.start_time,
                       report.stop_time - report.start_time);
  engine::RunOptions options = prepared.options;
  options.checkpointing = checkpoint.checkpointing();
  if (options.checkpointing != nullptr) {
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
  report.runs.push_back(report_of(prepared.model, outcome, experiment::figures_of(*world), 1));
  observer.finish(*world, ending_word(report.runs.front().ending), outcome.time);
  file.close(report);
  record.close(report);
  DiagnosticsOfRuns(report).add(sink, "");
  report.fired = fired_of(prepared.model, report.sources, outcome.fired);
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

void run_replications(const RunRequest& request, const Prepared& prepared, const RunWatcher& watcher,
                      RunReport& report) {
  const std::uint32_t count = *request.replications;
  JointProgress progress(watcher, report, count);
  const std::vector<experiment::Replication> replications =
      experiment::replicate(prepared.model, {prepared.build, prepared.options, count, request.threads}, progress);
  std::vector<engine::FireCount> fired;
  DiagnosticsOfRuns diagnostics(report);
  for (std::size_t i = 0; i < replications.size(); ++i) {
    const experiment::Replication& replication = replications[i];
    diagnostics.add(replication.sink, "in replication " + std::to_string(i + 1));
    if (!replication.has_run) {
      if (report.failures.empty()) add_failure(request, replication.failure, report);
      continue;
    }
    report.has_run = true;
    report.runs.push_back(report_of(prepared.model, replication.outcome, replication.figures, i + 1));
    fired.insert(fired.end(), replication.outcome.fired.begin(), replication.outcome.fired.end());
  }
  report.fired = fired_of(prepared.model, report.sources, fired);
  for (const experiment::JointFigure& figure : experiment::join(replications)) {
    report.statistics.push_back(statistic_of(prepared.model, figure));
  }
}

}  // namespace

RunReport run_model(const RunRequest& request, const FileSystem& files, const RunWatcher& watcher) {
  RunReport report;
  Prepared prepared;
  if (!read_model(request, files, report, prepared) || !choose_settings(request, report, prepared)) return report;
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
