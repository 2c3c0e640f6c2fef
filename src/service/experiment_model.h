// `hyla experiment` in plain data: from a file and the name of an experiment to what it has found out.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "experiment/conduct.h"
#include "record/plot.h"
#include "service/run_model.h"

namespace hyla::service {

/// An experiment from the command line, in the words of the language.
struct AdHocExperiment {
  std::string of;  ///< the model; empty: the one that no other uses
  std::vector<std::string> vary, observe, require;
  std::string minimize, maximize;

  bool is_given() const { return !vary.empty() || !observe.empty() || !minimize.empty() || !maximize.empty(); }
};

struct ExperimentRequest {
  RunRequest run;    ///< what one run of it has too: file, settings, seed, stop time, solver, threads
  std::string name;  ///< empty, and nothing ad hoc: the experiments of the file are listed
  AdHocExperiment ad_hoc;
  std::optional<std::uint64_t> replications, samples, max_replications, max_points;
  std::string sampling, optimizer;
  std::string journal_file;           ///< where finished members are kept; empty: NAME.journal, gone when all is done
  bool resume = false;                ///< members of the journal are not run again
  std::uint64_t part = 0, parts = 0;  ///< of a job array, from 1; 0: it is none
  std::vector<std::string> merged_files;  ///< journals whose members are taken over; nothing is run
  std::string table_file;                 ///< of all members; empty: none
  std::string plot_file;                  ///< empty: none
};

struct ListedExperiment {
  std::string name, model, place;
};

struct ExperimentReport : ModelReport {
  std::vector<ListedExperiment> listed;  ///< if that was asked for
  bool has_run = false;                  ///< the rest means something
  bool is_quiet = false;                 ///< another process prints
  bool is_part = false;                  ///< of a job array: others have the other members
  bool was_interrupted = false;
  std::string name, model;
  std::uint64_t seed = 1;
  std::string time_unit;
  std::shared_ptr<const model::Model> checked_model;  ///< what the plan refers to
  experiment::Plan plan;
  experiment::Conclusion conclusion;
  CoverageReport coverage;  ///< of all runs; empty unless it was asked for
  std::uint64_t members = 0, reused = 0, failed = 0;
  double seconds = 0, processor_seconds = 0;
  unsigned threads = 1, processes = 1;
  std::string journal_file;  ///< that is left for `--resume`; empty: none

  /// Whether status 0 would be wrong though the experiment could be done.
  bool has_failed() const;
};

struct ExperimentProgress {
  std::uint64_t finished = 0, known = 0, failed = 0;
  double part = 0;             ///< of all that is known to come; 0 to 1
  bool is_open = false;        ///< more may come than is known
  std::optional<double> best;  ///< objective so far
};

struct ExperimentWatcher {
  std::function<bool(const ExperimentProgress& progress)> progress;  ///< false: end
};

ExperimentReport run_experiment(const ExperimentRequest& request, FileSystem& files, const ExperimentWatcher& watcher);

/// What `hyla experiment` prints at the end, or the list of experiments.
std::string experiment_text(const ExperimentReport& report);
std::string experiment_json(const ExperimentReport& report);
/// All members with their points and observations, as comma-separated values.
std::string experiment_csv(const ExperimentReport& report);
/// The same as a file: .csv, .h5 or .mat.
std::optional<base::Failure> write_experiment(const ExperimentReport& report, const std::string& path,
                                              FileSystem& files);
bool is_table_name(const std::string& path);
/// The script of a picture: the response over one or two varied parameters, or a histogram.
std::string experiment_plot(const ExperimentReport& report, record::PlotFormat format);

}  // namespace hyla::service
