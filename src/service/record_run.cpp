#include "service/record_run.h"

#include <cmath>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

namespace hyla::service {

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
  if (request.output_file.empty()) return true;
  base::Result<std::vector<RecordedColumn>> columns = choose_columns(all_columns(world), request.output_variables);
  if (!columns.ok()) {
    report.failures.push_back("--output-variable: " + columns.message());
    return false;
  }
  trajectory_ = std::make_unique<Trajectory>(std::move(columns).value(),
                                             OutputGrid(report.start_time, report.stop_time, interval));
  return open_file(request, report);
}

bool RunRecord::open_file(const RunRequest& request, RunReport& report) {
  const bool is_standard = request.output_file == "-";
  if (!is_standard && is_source(report.sources, request.output_file)) {
    report.failures.push_back("cannot write to `" + request.output_file + "`: it is a file of the model");
    return false;
  }
  if (const auto failure = is_standard ? file_.open_standard_output() : file_.open(request.output_file)) {
    report.failures.push_back(failure->message);
    return false;
  }
  std::vector<std::string> names;
  for (const RecordedColumn& column : trajectory_->columns()) names.push_back(column.name);
  writer_ = std::make_unique<record::CsvWriter>(file_, names);
  trajectory_->add_reader([this](double time, std::span<const double> values) { writer_->row(time, values); });
  return true;
}

void RunRecord::close(RunReport& report) {
  if (!trajectory_) return;
  trajectory_->finish();
  if (!writer_) return;
  writer_->flush();
  if (const auto failure = file_.close()) report.failures.push_back(failure->message);
}

}  // namespace hyla::service
