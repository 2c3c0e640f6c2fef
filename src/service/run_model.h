// `hyla run` in plain data: from a path to what the run has found out. Reading, checking, building and running are
// wired here; what the run tells while it goes on goes to a RunWatcher, so that only the caller prints.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "service/files.h"
#include "service/parameters.h"
#include "service/run_report.h"
#include "service/solver_words.h"

namespace hyla::service {

struct RunRequest {
  std::string path;
  std::string model;  ///< empty: the one that no other uses
  std::vector<std::string> library_paths;
  bool allow_external = false;                ///< functions of shared libraries may be called
  std::vector<std::string> external_folders;  ///< where they are looked for, beside the folder of the file
  std::vector<ParameterSetting> settings;     ///< later ones win
  std::optional<double> stop_time;
  std::optional<std::uint64_t> seed;
  bool random_order = false;
  bool keep_going = false;
  bool require_decided = false;  ///< a requirement that is undecided or never tested fails too
  bool coverage = false;         ///< count states, transitions and conditions that are reached
  std::optional<std::uint64_t> queue_limit;
  std::optional<std::uint64_t> object_limit;  ///< made by actions, at one time
  std::optional<std::uint64_t> event_limit;   ///< ends the run in order
  std::optional<std::uint64_t> loop_limit;    ///< turns of loops in one event
  std::optional<std::uint32_t> replications;  ///< then events_file and trace stay empty
  unsigned threads = 1;
  std::string events_file;        ///< empty: none
  std::string start_values_file;  ///< empty: none

  std::string output_file;                    ///< of trajectories; `-` is the standard output; empty: none
  std::vector<std::string> output_variables;  ///< patterns; none: see recorded_columns.h
  std::optional<double> output_interval;
  std::string plot_file;  ///< empty: none

  std::optional<double> checkpoint_time;  ///< when the run is kept in `checkpoint_file`
  std::string checkpoint_file;
  std::string resume_file;  ///< a checkpoint from which the run goes on; empty: it starts
  SolverWords solver;
};

struct RunProgress {
  double part = 0;  ///< of the way from start to stop, over all replications; 0 to 1
  double time = 0;  ///< model time passed, over all replications
  std::uint64_t events = 0;
  std::uint64_t finished = 0;  ///< replications
};

/// Called from the thread of run_model, except `progress` with replications, which comes from one thread at a time.
struct RunWatcher {
  std::function<void(std::string_view line)> trace;  ///< each occurrence on a line; none: no trace
  std::function<void(std::string_view text)> print;  ///< what actions print; not with a trace, which has it, nor with
                                                     ///< replications
  std::function<bool(const RunProgress& progress)> progress;  ///< false: end in order
};

RunReport run_model(const RunRequest& request, const FileSystem& files, const RunWatcher& watcher);

}  // namespace hyla::service
