// What `hyla run` records of the values of a run: a file with trajectories, a plot.
//
// Both have rows of their own, so that the file does not depend on what is drawn.
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/world.h"
#include "service/plot_run.h"
#include "service/result_file.h"
#include "service/run_model.h"
#include "service/trajectory.h"

namespace hyla::service {

/// The distance of output times: that of the request, of the model, or a 500th of the run; 0 for none.
double output_interval(const RunRequest& request, double of_model, double start_time, double stop_time);

class RunRecord : public engine::Recorder {
 public:
  /// Opens what is asked for; false if that is not possible, with the reason in the report.
  bool open(const RunRequest& request, const engine::World& world, double interval, RunReport& report);
  /// Whether anything is recorded at all.
  bool is_wanted() const { return !trajectories_.empty(); }
  /// From time to time: hands on what waits to be written, so that people can look on. False if that is not possible.
  bool refresh();
  /// The run has ended: the rest is written.
  void close(RunReport& report);
  /// Where the events of the run go besides; null: nowhere.
  record::Output* events() { return file_.takes_events() ? &file_ : nullptr; }
  /// Draws the plot of what has been recorded, up to this time.
  void draw(double time, RunReport& report);

  double next_output() const override { return trajectories_.front()->next_output(); }
  std::span<const engine::RecordedPlace> places() const override { return places_; }
  void row(const engine::World& world, double time, engine::RowKind kind) override;
  void resume(const engine::World& world, double time) override;

 private:
  bool open_file(const RunRequest& request, const std::vector<RecordedColumn>& all, const OutputGrid& grid,
                 RunReport& report);
  void begin_file();
  void write_row(double time, std::span<const double> values);
  bool open_plot(const RunRequest& request, const engine::World& world, const std::vector<RecordedColumn>& all,
                 RunReport& report);
  void add(std::unique_ptr<Trajectory> trajectory);
  /// Of all trajectories.
  void gather_places();

  ResultFile file_;
  Trajectory* recorded_ = nullptr;  ///< what goes to the file
  record::ResultHeader header_;     ///< what is known of it before the run
  std::vector<std::size_t> kept_;   ///< by series of the file: the column; the others are aliases
  std::vector<double> kept_values_;
  const engine::World* world_ = nullptr;
  std::chrono::steady_clock::time_point last_flush_ = std::chrono::steady_clock::now();
  std::unique_ptr<RunPlot> plot_;
  std::string plot_path_;
  record::PlotFormat plot_format_{};
  std::vector<std::unique_ptr<Trajectory>> trajectories_;
  std::vector<engine::RecordedPlace> places_;
};

/// Whether a path leads to one of the files that were read, by whatever name.
bool is_source(const diag::Sources& sources, const std::string& path);

}  // namespace hyla::service
