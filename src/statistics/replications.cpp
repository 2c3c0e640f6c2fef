#include "statistics/replications.h"

#include <algorithm>
#include <cmath>

#include "statistics/quantiles.h"

namespace hyla::statistics {

bool Replications::add(double value) {
  if (!is_observable(value)) {
    return false;
  }
  moments_.add(value, 1);
  minimum_ = std::min(minimum_, value);
  maximum_ = std::max(maximum_, value);
  last_ = value;
  return true;
}

double Replications::stddev() const { return std::sqrt(moments_.sample_variance()); }

double Replications::half_width(double confidence) const {
  return two_sided_t(confidence, moments_.weight - 1) * stddev() / std::sqrt(moments_.weight);
}

Summary Replications::summary() const {
  Summary result;
  result.kind = SummaryKind::Replications;
  result.count = count();
  result.mean = mean();
  result.minimum = minimum();
  result.maximum = maximum();
  result.final_value = final_value();
  result.stddev = stddev();
  result.steady_mean = mean();
  result.half_width = half_width();
  result.reliable = count() >= 2;
  result.batches = static_cast<std::size_t>(count());
  return result;
}

}  // namespace hyla::statistics
