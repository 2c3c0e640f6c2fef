// What a statistic has to say at the end of a run, in plain data, for whoever prints or stores it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "statistics/moments.h"

namespace hyla::statistics {

enum class SummaryKind : std::uint8_t { Tally, TimeWeighted, Replications };

/// Figures that are not known are NaN; those of no observation at all are.
struct Summary {
  SummaryKind kind = SummaryKind::Tally;
  std::uint64_t count = 0;  // observations, changes of the value, or replications
  double mean = kUnknown;   // of everything, warm-up included
  double minimum = kUnknown;
  double maximum = kUnknown;
  double final_value = kUnknown;
  double stddev = kUnknown;
  double steady_mean = kUnknown;  // after the warm-up: the middle of the interval; equals mean if warm_up is 0
  double half_width = kUnknown;   // of the 95 % confidence interval around steady_mean
  double warm_up = 0;             // observations, or time, left out at the beginning
  bool reliable = false;          // whether the interval deserves its 95 %
  std::size_t batches = 0;        // that the interval rests on
  double duration = 0;            // time observed; 0 for observations without time
};

}  // namespace hyla::statistics
