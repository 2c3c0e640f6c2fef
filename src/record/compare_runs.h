// Two runs side by side: first their events, then, between events that are the same, their values. Says where the runs
// first part.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/compare_events.h"
#include "record/compare_values.h"

namespace hyla::record {

/// What is known of a run; either may be missing. Both outlive the comparison.
struct ComparedRun {
  const RunResult* result = nullptr;
  const Events* events = nullptr;
};

struct TubeChoice {
  std::string pattern;  ///< as for find_columns
  Tube tube;
};

struct CompareOptions {
  static constexpr double kTimePart = 1e-4;

  Tube tube;
  std::vector<TubeChoice> choices;                         ///< the last one that fits counts
  std::optional<double> time;                              ///< tolerance; else kTimePart of the length of A
  double until = std::numeric_limits<double>::infinity();  ///< what comes later is not compared
};

struct Comparison {
  double time_tolerance = 0;
  bool has_events = false;  ///< of both runs, so they were compared
  bool has_values = false;  ///< common variables
  ComparedEvents events;
  ComparedValues values;
  double a_end = 0, b_end = 0;  ///< last times that are known
  bool ends_apart = false;      ///< and they differ by more than the tolerance

  const EventDifference* first_event() const;
  /// The variable that leaves its tube first.
  const ComparedVariable* first_variable() const;
  std::size_t variables_apart() const;
  bool alike() const { return !ends_apart && first_event() == nullptr && first_variable() == nullptr; }
};

/// A failure if there is nothing to compare, or a pattern stands for nothing.
base::Result<Comparison> compare_runs(const ComparedRun& a, const ComparedRun& b, const CompareOptions& options);

}  // namespace hyla::record
