#include "statistics/time_weighted.h"

#include <algorithm>
#include <cmath>

namespace hyla::statistics {
namespace {

/// The first slice is 2^-6 of the first piece, rounded down to a power of two so that doubling stays exact.
constexpr int kFirstSliceBits = 6;
/// No slice is shorter, however short the first piece is.
constexpr int kLeastSliceExponent = -900;

double first_slice(double duration) {
  return std::ldexp(1.0, std::max(std::ilogb(duration) - kFirstSliceBits, kLeastSliceExponent));
}

}  // namespace

bool TimeWeighted::accepts(double time) const {
  return time <= kLargestTime && time >= -kLargestTime && (!started_ || time >= time_);
}

bool TimeWeighted::set(double time, double value) {
  if (!is_observable(value) || !accepts(time)) {
    return false;
  }
  if (started_) {
    hold(time - time_);
    changes_ += value == value_ ? 0 : 1;
  } else {
    start_ = time;
  }
  started_ = true;
  time_ = time;
  value_ = value;
  return true;
}

bool TimeWeighted::finish(double time) {
  if (!started_ || !accepts(time)) {
    return false;
  }
  hold(time - time_);
  time_ = time;
  return true;
}

void TimeWeighted::hold(double duration) {
  if (!(duration > 0)) {
    return;
  }
  if (!(course_.weight > 0)) {
    batches_ = Batches(first_slice(duration));
  }
  course_.add(value_, duration);
  histogram_.add(value_, duration);
  batches_.add(value_, duration);
}

Moments TimeWeighted::moments_at(double time) const {
  Moments moments = course_;
  if (started_ && accepts(time)) {
    moments.add(value_, time - time_);
  }
  if (started_ && !(moments.weight > 0)) {
    moments.mean = value_;
  }
  return moments;
}

TimeWeighted TimeWeighted::at(double time) const {
  TimeWeighted copy = *this;
  copy.finish(time);
  return copy;
}

double TimeWeighted::stddev() const { return started_ ? std::sqrt(course_.variance()) : kUnknown; }

double TimeWeighted::minimum() const { return started_ ? std::min(histogram_.minimum(), value_) : kUnknown; }

double TimeWeighted::maximum() const { return started_ ? std::max(histogram_.maximum(), value_) : kUnknown; }

double TimeWeighted::quantile(double p) const {
  return started_ && histogram_.empty() && !std::isnan(p) ? value_ : histogram_.quantile(p);
}

SteadyState TimeWeighted::steady_state(double confidence) const {
  return statistics::steady_state(batches_, course_, confidence);
}

Summary TimeWeighted::summary() const {
  const SteadyState steady = steady_state();
  Summary result;
  result.kind = SummaryKind::TimeWeighted;
  result.count = count();
  result.mean = mean();
  result.minimum = minimum();
  result.maximum = maximum();
  result.final_value = final_value();
  result.stddev = stddev();
  result.steady_mean = steady.mean;
  result.half_width = steady.half_width;
  result.warm_up = steady.warm_up;
  result.reliable = steady.reliable;
  result.batches = steady.batches;
  result.duration = duration();
  return result;
}

}  // namespace hyla::statistics
