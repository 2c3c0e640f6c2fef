// Statistics over independent runs: one value per replication, for example the mean of each run.
//
// Replications with different seeds are independent, so Student's t interval holds as it stands: exactly for normal
// values, and nearly for means of runs. This is the method to trust where one run gives no reliable interval. The order
// of the values changes nothing but the last digits; callers add them in the order of their numbers.
#pragma once

#include <cstdint>
#include <limits>

#include "statistics/moments.h"
#include "statistics/summary.h"

namespace hyla::statistics {

class Replications {
 public:
  /// False, and nothing changes, if the value is NaN, infinite or beyond kLargestValue.
  bool add(double value);

  std::uint64_t count() const { return static_cast<std::uint64_t>(moments_.weight); }
  // NaN without values; stddev() and half_width() below two.
  double mean() const { return count() > 0 ? moments_.mean : kUnknown; }
  double stddev() const;
  double minimum() const { return count() > 0 ? minimum_ : kUnknown; }
  double maximum() const { return count() > 0 ? maximum_ : kUnknown; }
  double final_value() const { return last_; }
  /// Half of the two-sided interval that covers the expected value with this probability.
  double half_width(double confidence = 0.95) const;

  Summary summary() const;

 private:
  Moments moments_;
  double minimum_ = std::numeric_limits<double>::infinity();
  double maximum_ = -std::numeric_limits<double>::infinity();
  double last_ = kUnknown;
};

}  // namespace hyla::statistics
