#include "service/record_run.h"

#include <cmath>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>

#include "service/gnuplot.h"
#include "service/plot_view.h"

namespace hyla::service {
namespace {

constexpr double kUsualIntervals = 500;
/// A file that is being watched by people is never older than this.
constexpr std::chrono::milliseconds kFlushInterval(500);

bool refuse(RunReport& report, std::string reason) {
  report.failures.push_back(std::move(reason));
  return false;
}

}  // namespace

bool is_source(const diag::Sources& sources, const std::string& path) {
  for (std::size_t i = 0; i < sources.size(); ++i) {
    std::error_code error;
    if (std::filesystem::equivalent(sources.path(diag::FileId(i)), path, error)) return true;
  }
  return false;
}

double output_interval(const RunRequest& request, double of_model, double start_time, double stop_time) {
  if (request.output_interval) return *request.output_interval;
  if (of_model > 0) return of_model;
  const double interval = (stop_time - start_time) / kUsualIntervals;
  return std::isfinite(interval) ? interval : 0;
}

bool RunRecord::open(const RunRequest& request, const engine::World& world, double interval, RunReport& report) {
  if (request.output_file.empty() && request.plot_file.empty()) return true;
  const std::vector<RecordedColumn> all = all_columns(world);
  const OutputGrid grid(report.start_time, report.stop_time, interval);
  if (!request.plot_file.empty()) {
    if (!open_plot(request, world, all, report)) return false;
    add(std::make_unique<Trajectory>(
        plot_->columns(), grid, [this](double time, std::span<const double> values) { plot_->add_row(time, values); }));
    trajectories_.back()->set_settled(
        [this](const engine::World& now, double time) { plot_->look_at_charts(now, time); });
  }
  if (!request.output_file.empty()) {
    base::Result<std::vector<RecordedColumn>> columns = choose_columns(all, request.output_variables);
    if (!columns.ok()) return refuse(report, "--output-variable: " + columns.message());
    if (!open_file(request.output_file, columns.value(), report)) return false;
    add(std::make_unique<Trajectory>(
        std::move(columns).value(), grid,
        [this](double time, std::span<const double> values) { writer_->row(time, values); }));
  }
  return true;
}

void RunRecord::add(std::unique_ptr<Trajectory> trajectory) {
  places_.insert(places_.end(), trajectory->places().begin(), trajectory->places().end());
  trajectories_.push_back(std::move(trajectory));
}

bool RunRecord::open_file(const std::string& path, const std::vector<RecordedColumn>& columns, RunReport& report) {
  const bool is_standard = path == "-";
  if (!is_standard && is_source(report.sources, path)) {
    return refuse(report, "cannot write to `" + path + "`: it is a file of the model");
  }
  if (const auto failure = is_standard ? file_.open_standard_output() : file_.open(path)) {
    return refuse(report, failure->message);
  }
  std::vector<std::string> names;
  for (const RecordedColumn& column : columns) names.push_back(column.name);
  writer_ = std::make_unique<record::CsvWriter>(file_, names);
  return true;
}

bool RunRecord::open_plot(const RunRequest& request, const engine::World& world, const std::vector<RecordedColumn>& all,
                          RunReport& report) {
  plot_path_ = request.plot_file;
  if (const auto failure = check_picture("--plot", plot_path_, plot_format_)) return refuse(report, failure->message);
  if (is_source(report.sources, plot_path_)) {
    return refuse(report, "cannot draw `" + plot_path_ + "`: it is a file of the model");
  }
  PlotView view = view_of(world, report.sources, all);
  if (view.is_empty()) {
    return refuse(report, "there is nothing to plot: the model has neither variables nor charts that could be drawn");
  }
  plot_ = std::make_unique<RunPlot>(std::move(view), all);
  return true;
}

void RunRecord::row(const engine::World& world, double time, engine::RowKind kind) {
  for (const std::unique_ptr<Trajectory>& trajectory : trajectories_) trajectory->row(world, time, kind);
}

void RunRecord::resume(const engine::World& world, double time) {
  for (const std::unique_ptr<Trajectory>& trajectory : trajectories_) trajectory->resume(world, time);
}

bool RunRecord::refresh() {
  if (!writer_) return true;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_flush_ >= kFlushInterval) {
    last_flush_ = now;
    writer_->flush();
  }
  return !writer_->failed();
}

void RunRecord::close(RunReport& report) {
  for (const std::unique_ptr<Trajectory>& trajectory : trajectories_) trajectory->finish();
  if (!writer_) return;
  writer_->flush();
  if (const auto failure = file_.close()) report.failures.push_back(failure->message);
}

void RunRecord::draw(double time, RunReport& report) {
  if (!plot_) return;
  const record::Plot plot =
      plot_->finish(report.model, report.time_unit, report.start_time, time, report.runs.front().statistics);
  if (const auto failure = run_gnuplot(record::gnuplot_script(plot, plot_format_), plot_path_)) {
    report.failures.push_back(failure->message);
  }
}

}  // namespace hyla::service
