// The observer of a run for `hyla run`: turns occurrences into lines of a trace and of the event log, and hands on
// progress.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "engine/observer.h"
#include "record/event_log.h"
#include "service/log_entries.h"
#include "service/run_model.h"
#include "service/run_names.h"

namespace hyla::service {

class RunObserver : public engine::Observer {
 public:
  /// All outlive the observer; `log` may be null. `span` is the model time from start to stop.
  RunObserver(const engine::World& world, const diag::Sources& sources, const RunWatcher& watcher,
              record::EventLog* log, double start_time, double span);

  void occurred(const engine::World& world, const engine::Occurrence& occurrence) override;
  bool progress(const engine::World& world, double time, std::uint64_t events) override;
  void printed(const engine::World& world, double time, code::ObjectRef object, std::string_view text) override;
  bool wants_occurrences() const override { return watcher_.trace || log_ != nullptr; }

  /// The last occurrence in the log; 0: none.
  engine::Sequence last_sequence() const { return last_sequence_; }
  /// The run was taken up again behind this occurrence.
  void go_on_behind(engine::Sequence sequence) {
    if (last_sequence_ == 0) last_sequence_ = sequence;
  }
  /// The run has ended: the last line of the log says how.
  void finish(const engine::World& world, std::string_view ending, double time);

 private:
  using Clock = std::chrono::steady_clock;

  void log(const engine::World& world, const engine::Occurrence& occurrence);

  const RunWatcher& watcher_;
  record::EventLog* log_;
  RunNames names_;
  LogEntries entries_;
  double start_time_, span_;
  std::string line_;  ///< kept for its memory
  engine::Sequence last_sequence_ = 0;
  Clock::time_point last_flush_ = Clock::now();
};

/// How much of the way is behind a run; 1 if there is no way.
double part_of(double time, double start_time, double span);

}  // namespace hyla::service
