#include "service/prepare_run.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "service/load_external.h"
#include "service/load_native.h"
#include "service/read_model.h"
#include "service/record_run.h"
#include "service/solver_options.h"
#include "service/start_values.h"
#include "service/summary.h"

namespace hyla::service {
namespace {

/// The compiler of native code, if it is wanted; false if it must be there and is not.
bool find_native(RunReport& report, PreparedRun& prepared) {
  engine::ContinuousOptions& options = prepared.options.continuous;
  if (options.jit == engine::Jit::Off) return true;
  std::string why_not;
  prepared.native = load_native_compiler(why_not);
  options.native = prepared.native.get();
  if (prepared.native || options.jit == engine::Jit::Auto) return true;
  report.failures.push_back("--jit on: " + why_not);
  return false;
}

void allow_external(const RunRequest& request, PreparedRun& prepared) {
  if (!request.allow_external) return;
  prepared.external = load_external_libraries(request.path, request.external_folders);
  prepared.build.external = prepared.external.get();
}

/// Start values from a file; its settings of parameters count before those of the request.
bool load_starts(const RunRequest& request, const FileSystem& files, RunReport& report, PreparedRun& prepared) {
  if (request.start_values_file.empty()) return true;
  const base::Result<StartValues> values = load_start_values(request.start_values_file, files);
  if (!values.ok()) {
    report.failures.push_back(values.message());
    return false;
  }
  prepared.start_model = values.value().model;
  prepared.build.starts = values.value().wishes;
  for (const ParameterSetting& setting : values.value().settings) {
    prepared.build.assignments.push_back({setting.path, setting.value});
  }
  return true;
}

/// What the model says about its run, with the values that its parameters have in this request.
engine::Settings settings_for(const RunRequest& request, const PreparedRun& prepared) {
  engine::Settings settings = engine::settings_of(*prepared.model, prepared.build.top, prepared.overlay);
  const bool varies = engine::settings_vary(*prepared.model, prepared.build.top, prepared.overlay);
  if (request.settings.empty() || !varies) return settings;
  diag::Sink sink;  // what is wrong is told when the world is built for the run
  engine::BuildFailure failure;
  const std::unique_ptr<engine::World> world = engine::build(*prepared.model, prepared.build, sink, failure);
  return world ? engine::settings_of(*world, prepared.overlay) : settings;
}

/// How equations are solved and how often values are recorded; false if that makes no sense.
bool choose_solver(const RunRequest& request, const engine::Settings& settings, RunReport& report,
                   PreparedRun& prepared) {
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
bool choose_model(const RunRequest& request, RunReport& report, PreparedRun& prepared) {
  if (!prepared.build.top) prepared.build.top = find_class(request.path, request.model, *prepared.model, report);
  if (!prepared.build.top) return false;
  for (const ParameterSetting& setting : request.settings) {
    prepared.build.assignments.push_back({setting.path, setting.value});
  }
  allow_external(request, prepared);
  const engine::Settings settings = settings_for(request, prepared);
  report.model = prepared.model->name(prepared.model->classes[prepared.build.top].name);
  if (!prepared.start_model.empty() && prepared.start_model != report.model) {
    report.failures.push_back(request.start_values_file + " holds start values of `" + prepared.start_model +
                              "`, not of `" + report.model + "`");
    return false;
  }
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
  prepared.options.coverage = request.coverage;
  report.require_decided = request.require_decided;
  if (request.queue_limit) prepared.options.queue_limit = *request.queue_limit;
  if (request.object_limit) prepared.options.object_limit = *request.object_limit;
  if (request.event_limit) prepared.options.event_limit = *request.event_limit;
  if (request.loop_limit) prepared.build.limits.loop_turns = prepared.options.loop_limit = *request.loop_limit;
  return true;
}

}  // namespace

bool choose_settings(const RunRequest& request, const FileSystem& files, RunReport& report, PreparedRun& prepared) {
  return load_starts(request, files, report, prepared) && choose_model(request, report, prepared);
}

bool prepare_run(const RunRequest& request, const FileSystem& files, RunReport& report, PreparedRun& prepared) {
  auto model = std::make_shared<model::Model>();
  const bool good = read_model(request.path, request.library_paths, files, report, *model);
  prepared.model = std::move(model);
  report.checked = report.diagnostics.size();
  return good && choose_settings(request, files, report, prepared);
}

}  // namespace hyla::service
