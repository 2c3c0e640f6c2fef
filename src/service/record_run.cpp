#include "service/record_run.h"

#include <cmath>
#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>
#include <unordered_set>
#include <utility>

#include "engine/aliases.h"
#include "record/absent.h"
#include "service/gnuplot.h"
#include "service/plot_view.h"

namespace hyla::service {
namespace {

constexpr double kUsualIntervals = 500;
/// A file that is being watched by people is never older than this.
constexpr std::chrono::milliseconds kFlushInterval(500);

/// Variables of objects that come during a run: each is a dataset of its own.
constexpr std::size_t kMostLateColumns = 10000;

record::ResultColumn result_column(const RecordedColumn& column, std::size_t series) {
  return {column.name, column.unit, "", series, false};
}

/// Which columns are the same as earlier ones; without aliases each is its own.
std::vector<engine::Alias> aliases_of(const engine::World& world, const std::vector<RecordedColumn>& columns,
                                      bool are_wanted) {
  std::vector<engine::Alias> aliases(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) aliases[i].of = i;
  if (!are_wanted) return aliases;
  std::vector<engine::RecordedPlace> places;
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].state != engine::kNone || !columns[i].is_real || !columns[i].place.object) continue;
    places.push_back(columns[i].place);
    numbers.push_back(i);
  }
  const std::vector<engine::Alias> found = engine::find_aliases(world, places);
  for (std::size_t i = 0; i < found.size(); ++i) aliases[numbers[i]] = {numbers[found[i].of], found[i].is_negated};
  return aliases;
}

/// All files but those of the standard library, each below its name if there are several.
std::string text_of(const diag::Sources& sources) {
  std::vector<diag::FileId> files;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (!sources.path(diag::FileId(i)).starts_with("lib/")) files.emplace_back(i);
  }
  std::string text;
  for (const diag::FileId file : files) {
    if (files.size() > 1) text += "// --- " + sources.path(file) + "\n";
    text += sources.text(file);
  }
  return text;
}

record::ResultHeader header_of(const RunReport& report, double interval) {
  record::ResultHeader header;
  header.model = report.model;
  header.model_text = text_of(report.sources);
  header.version = program_version();
  header.time_unit = report.time_unit;
  header.seed = report.seed;
  header.start_time = report.start_time;
  header.stop_time = report.stop_time;
  const double rows = (report.stop_time - report.start_time) / interval;
  if (std::isfinite(rows)) header.expected_rows = static_cast<std::uint64_t>(rows) + 1;
  return header;
}

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
    world_ = &world;
    header_ = header_of(report, interval);
    return open_file(request, all, grid, report);
  }
  return true;
}

void RunRecord::add(std::unique_ptr<Trajectory> trajectory) {
  trajectories_.push_back(std::move(trajectory));
  gather_places();
}

void RunRecord::gather_places() {
  std::size_t count = 0;
  for (const std::unique_ptr<Trajectory>& trajectory : trajectories_) count += trajectory->places().size();
  if (count == places_.size()) return;
  places_.clear();
  for (const std::unique_ptr<Trajectory>& trajectory : trajectories_) {
    places_.insert(places_.end(), trajectory->places().begin(), trajectory->places().end());
  }
}

bool RunRecord::open_file(const RunRequest& request, const std::vector<RecordedColumn>& all, const OutputGrid& grid,
                          RunReport& report) {
  base::Result<std::vector<RecordedColumn>> columns =
      choose_columns(all, request.output_variables, columns_of_empty_places(*world_));
  if (!columns.ok()) return refuse(report, "--output-variable: " + columns.message());
  const std::string& path = request.output_file;
  if (path != "-" && is_source(report.sources, path)) {
    return refuse(report, "cannot write to `" + path + "`: it is a file of the model");
  }
  if (const auto failure = file_.open(path)) return refuse(report, failure->message);
  auto trajectory =
      std::make_unique<Trajectory>(std::move(columns).value(), grid,
                                   [this](double time, std::span<const double> values) { write_row(time, values); });
  Trajectory::Growth growth;
  growth.wants = [patterns = request.output_variables](const RecordedColumn& column) {
    return service::is_wanted(column, patterns);
  };
  growth.most = trajectory->columns().size() + kMostLateColumns;
  if (file_.takes_columns()) {
    growth.added = [this](const RecordedColumn& column) {
      if (!file_.has_begun()) return;
      file_.add_column(result_column(column, kept_.size()));
      kept_.push_back(recorded_->columns().size() - 1);
    };
  }
  trajectory->set_growth(std::move(growth));
  recorded_ = trajectory.get();
  add(std::move(trajectory));
  return true;
}

/// Parameters have got their values, some of them by the start.
void RunRecord::begin_file() {
  std::unordered_set<std::string_view> recorded;
  for (const RecordedColumn& column : recorded_->columns()) recorded.insert(column.name);
  for (const RecordedColumn& column : all_columns(*world_)) {
    if (!is_fixed(column) || recorded.contains(column.name)) continue;
    const double value = value_of(*world_, column);
    if (!record::is_absent(value)) header_.parameters.push_back({column.name, column.unit, "", value});
  }
  const std::vector<RecordedColumn>& columns = recorded_->columns();
  const std::vector<engine::Alias> aliases = aliases_of(*world_, columns, file_.takes_aliases());
  std::vector<std::size_t> series(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const bool is_alias = aliases[i].of != i;
    series[i] = is_alias ? series[aliases[i].of] : kept_.size();
    if (!is_alias) kept_.push_back(i);
    header_.columns.push_back(result_column(columns[i], series[i]));
    header_.columns.back().is_negated = aliases[i].is_negated;
  }
  file_.begin(std::move(header_));
}

void RunRecord::write_row(double time, std::span<const double> values) {
  if (!file_.has_begun()) begin_file();
  if (kept_.size() == values.size()) return file_.row(time, values);
  kept_values_.clear();
  for (const std::size_t column : kept_) kept_values_.push_back(values[column]);
  file_.row(time, kept_values_);
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
  gather_places();
}

void RunRecord::resume(const engine::World& world, double time) {
  for (const std::unique_ptr<Trajectory>& trajectory : trajectories_) trajectory->resume(world, time);
  gather_places();
}

bool RunRecord::refresh() {
  if (!file_.is_open()) return true;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_flush_ >= kFlushInterval) {
    last_flush_ = now;
    file_.refresh();
  }
  return !file_.failed();
}

void RunRecord::close(RunReport& report) {
  for (const std::unique_ptr<Trajectory>& trajectory : trajectories_) trajectory->finish();
  if (!file_.is_open()) return;
  if (!file_.has_begun()) begin_file();
  if (const auto failure = file_.close()) report.failures.push_back(failure->message);
  if (const std::size_t count = recorded_->left_out(); count > 0) {
    report.notes.push_back(std::to_string(count) + (count == 1 ? " variable" : " variables") +
                           " of objects that were made during the run could not be recorded: " +
                           (file_.takes_columns() ? "there are more than " + std::to_string(kMostLateColumns)
                                                  : std::string("only HDF5 files (`.h5`) can take them")));
  }
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
