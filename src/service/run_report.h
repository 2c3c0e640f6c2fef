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
  bool is_condition = false;  ///< a `when`
};

/// Whose error was the largest in how many of the steps that were looked at.
struct LimitReport {
  std::string variable;
  std::uint64_t count = 0;
};

/// What an island took.
struct IslandReport {
  std::string variable;  ///< its first state
  std::uint64_t states = 0, steps = 0, rejected = 0, evaluations = 0;
  double seconds = 0;  ///< estimated
};

/// Who is to blame for the work of the solvers; the first few of each, largest first.
struct BlameReport {
  std::uint64_t looks = 0;  ///< steps that were looked at
  std::vector<LimitReport> limits;
  std::vector<IslandReport> islands;
  double seconds = 0;  ///< of all islands
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
  BlameReport blame;
};

/// From good to bad; what was never tested in one run may have been in another.
enum class Verdict : std::uint8_t { NeverTested, Held, Undecided, Violated };

/// What came of a requirement. Infinite: not measured.
struct RequirementReport {
  std::string object;     ///< `Plant.tank`, or all objects of a class that were made in the run
  std::string indices;    ///< of the families around it: `i = 2`
  std::string text;       ///< as the model says it; may be empty
  std::string condition;  ///< `require level < 1`
  std::string place;      ///< `tank.hyla:12`
  Verdict verdict = Verdict::NeverTested;
  std::uint64_t tests = 0, violations = 0;
  double violated_at = 0;  ///< for the first time; NaN: never
  std::string violated_by;
  double margin = 0, margin_at = 0;
  std::string unit;  ///< of the margin; empty for a bare number
  double spare = 0, spare_at = 0;
};

/// A state, transition or condition of a class: how often it was entered, has fired, or was true; was false.
struct CoverageItem {
  std::string name;   ///< `Tank.level.Full`
  std::string place;  ///< `tank.hyla:12`
  std::uint64_t yes = 0, no = 0;
};

struct CoverageReport {
  std::vector<CoverageItem> states, transitions, conditions;

  bool empty() const { return states.empty() && transitions.empty() && conditions.empty(); }
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
  std::vector<RequirementReport> requirements;
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
  CoverageReport coverage;                  ///< of all runs; empty unless it was asked for
  bool require_decided = false;             ///< a requirement that is undecided or never tested fails too
  std::vector<std::string> notes;           ///< what else should be known, a sentence each
  double seconds = 0;                       ///< of the clock on the wall, without reading and checking

  /// Whether status 0 would be wrong though the model could be run.
  bool model_failed() const;
  /// Because of a requirement that should have been decided.
  bool fails_undecided() const;
};

}  // namespace hyla::service
