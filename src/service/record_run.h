// What `hyla run` records of the values of a run: a file with trajectories, and what a plot needs.
#pragma once

#include <memory>
#include <string>

#include "engine/world.h"
#include "record/csv_writer.h"
#include "service/output_file.h"
#include "service/run_model.h"
#include "service/trajectory.h"

namespace hyla::service {

/// Where a run takes rows when nobody says how many: so many intervals from start to stop.
inline constexpr double kUsualIntervals = 500;

/// The distance of output times; 0 for none.
double output_interval(const RunRequest& request, double of_model, double start_time, double stop_time);

class RunRecord {
 public:
  /// Opens what is asked for; false if that is not possible, with the reason in the report.
  bool open(const RunRequest& request, const engine::World& world, double interval, RunReport& report);
  /// Null if nothing is recorded.
  engine::Recorder* recorder() { return trajectory_.get(); }
  bool failed() const { return writer_ && writer_->failed(); }
  /// The run has ended: the rest is written.
  void close(RunReport& report);

 private:
  bool open_file(const RunRequest& request, RunReport& report);

  OutputFile file_;
  std::unique_ptr<record::CsvWriter> writer_;
  std::unique_ptr<Trajectory> trajectory_;
};

/// Whether a path leads to one of the files that were read, by whatever name.
bool is_source(const diag::Sources& sources, const std::string& path);

}  // namespace hyla::service
