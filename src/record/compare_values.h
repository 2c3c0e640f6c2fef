// The variables of two runs side by side: whether the curves of one lie in tubes around those of the other.
//
// Anchors (compare_events.h) cut both runs into segments. A segment of one run is compared with its partner over the
// same part of its length, so that values behind an event are compared with values behind the event even if it came a
// little later. In a segment the run with fewer rows names the points; the other is interpolated between its rows.
//
// The tube around a point: all values that the other run has within the time tolerance, and the width of the tube above
// and below. A variable that has only whole numbers in both runs must have the same ones.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "record/compare_events.h"
#include "record/run_result.h"

namespace hyla::record {

/// Half the width of a tube: absolute + relative * the largest magnitude that the variable has in A.
struct Tube {
  double absolute = 1e-9;
  double relative = 1e-3;
};

struct ValueTolerances {
  double time = 0;
  double until = 0;  ///< what comes later is not compared
  Tube tube;
  std::vector<std::optional<Tube>> chosen;  ///< by column of A: another tube; empty: none
};

/// Two values at one point.
struct Deviation {
  double time = 0;  ///< in A
  double a = 0, b = 0;
  double distance = 0;  ///< of one value from what the other run has there; infinity if only one of them exists
};

struct ComparedVariable {
  std::string name, unit;
  bool is_whole = false;           ///< the same numbers are wanted
  double width = 0;                ///< half the width of the tube
  std::optional<Deviation> first;  ///< out of the tube
  Deviation largest;
  /// In widths of the tube; over 1 is outside.
  double excess() const;
};

struct ComparedValues {
  std::vector<ComparedVariable> variables;  ///< in the order of A
  std::vector<std::string> only_in_a, only_in_b;
  std::size_t points = 0;  ///< of time at which they were compared
};

ComparedValues compare_values(const RunResult& a, const RunResult& b, std::span<const Anchor> anchors,
                              const ValueTolerances& tolerances);

}  // namespace hyla::record
