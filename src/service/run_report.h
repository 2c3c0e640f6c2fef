// What is known after `hyla run`, in plain data: for a terminal, for other programs, for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "service/read_model.h"
#include "statistics/summary.h"

namespace hyla::service {

enum class RunEnding : std::uint8_t { StopTime, Exhausted, Terminated, Requirement, EventLimit, Interrupted, Failed };

/// A statistic of one object, or over replications.
struct StatisticReport {
  struct Histogram {
    double low = 0;            ///< where the first bin begins
    double width = 0;          ///< of a bin
    std::vector<double> bins;  ///< weights; none without observations
  };
  std::string object;  ///< `MM1.server`
  std::string name;
  std::string unit;  ///< empty for a bare number
  statistics::Summary figures;
  Histogram histogram;
};

/// What fired how often.
struct FiredReport {
  std::string what;   ///< class and reaction: `Server.work.Busy: after`
  std::string place;  ///< `mm1.hyla:42`
  std::uint64_t count = 0;
};

/// What solving the equations over time took.
struct ContinuousReport {
  std::uint64_t islands = 0;  ///< most at one time; 0: the model has no such equations, and the rest says nothing
  std::uint64_t configurations = 0;
  std::uint64_t steps = 0, rejected = 0;
  std::uint64_t evaluations = 0, jacobians = 0, factorisations = 0;
  std::uint64_t to_stiff = 0, to_nonstiff = 0;
  std::uint64_t crossings = 0;  ///< located
  std::uint64_t uncleared = 0;  ///< pieces of steps in which a crossing could not be excluded
  std::uint64_t loops = 0, iterations = 0;
  std::vector<std::string> methods;
  unsigned threads = 1;
};

/// One run from its start to its end.
struct SingleRun {
  std::uint64_t number = 1;  ///< of the replication
  RunEnding ending = RunEnding::Failed;
  double time = 0;     ///< the last good time
  std::string reason;  ///< of Terminated
  std::uint64_t events = 0, steps = 0, instants = 0, messages = 0, unhandled = 0, violations = 0;
  ContinuousReport continuous;
  std::vector<StatisticReport> statistics;
};

struct RunReport : ModelReport {
  std::size_t checked = 0;  ///< how many messages are of the check; the others came from the run, or its events file

  bool has_run = false;  ///< the rest means something
  std::string model;
  std::uint64_t seed = 1;
  double start_time = 0, stop_time = 0;
  std::string time_unit;
  std::vector<SingleRun> runs;              ///< one, or as many as replications were asked for, in their order
  std::vector<StatisticReport> statistics;  ///< over the replications, if they were asked for
  std::vector<FiredReport> fired;           ///< of all runs, most frequent first
  std::vector<std::string> notes;           ///< what else should be known, a sentence each
  double seconds = 0;                       ///< of the clock on the wall, without reading and checking

  /// Whether status 0 would be wrong though the model could be run.
  bool model_failed() const;
};

}  // namespace hyla::service
