// Statistics of a value that holds for some time: `accumulate queue = box.size;` of the language.
//
// The value is a course over time that is constant between two calls of set(). Each piece of the course enters moments,
// histogram and batches with its length as the weight. Batches are slices of time; the first lasts a 64th of the first
// piece or a little less, and their length doubles as the run goes on.
//
// A value that is replaced at the same instant lasted no time, and no figure but count() knows of it.
//
// Cost: 11 ns per change, more when pieces are longer than slices; memory as for a tally.
#pragma once

#include <cstddef>
#include <cstdint>

#include "statistics/batches.h"
#include "statistics/histogram.h"
#include "statistics/moments.h"
#include "statistics/steady_state.h"
#include "statistics/summary.h"

namespace hyla::statistics {

class TimeWeighted {
 public:
  /// Times of greater magnitude are refused.
  static constexpr double kLargestTime = 1e18;

  /// From `time` on the value is `value`; the first call begins the observation. False, and nothing changes, if the
  /// value is NaN, infinite or beyond kLargestValue, or the time lies before that of an earlier call or is none.
  bool set(double time, double value);

  /// The present value has held until `time`. The observation may go on afterwards. False, and nothing changes, before
  /// the first set() and for times that set() would refuse.
  bool finish(double time);

  // Figures up to the time of the last call. Those of the course are NaN before the first set(); as long as no time has
  // passed, the mean is the value and the standard deviation 0.
  std::uint64_t count() const { return changes_; }  // calls of set() that changed the value, the first not included
  double duration() const { return time_ - start_; }
  double mean() const { return started_ ? moments_at(time_).mean : kUnknown; }
  double stddev() const;
  double minimum() const;
  double maximum() const;
  double final_value() const { return value_; }

  /// Duration, mean and squares up to a later time, as if finish() had been called; up to the last call's time if
  /// `time` lies before it. Cheap.
  Moments moments_at(double time) const;
  /// The whole, up to a later time: a copy, if finish() accepts the time. About a microsecond.
  TimeWeighted at(double time) const;

  const Histogram& histogram() const { return histogram_; }
  double quantile(double p) const;

  /// The interval for the long-run mean; NaN below 8 slices of time. About 20 microseconds.
  SteadyState steady_state(double confidence = 0.95) const;
  Summary summary() const;

  /// Bytes held, the object itself included.
  std::size_t memory() const { return sizeof(*this) + histogram_.memory() + batches_.memory(); }

  template <class Archive>
  void transfer(Archive& archive) {
    archive(histogram_, batches_, course_, start_, time_, value_, changes_, started_);
  }

 private:
  bool accepts(double time) const;
  void hold(double duration);

  Histogram histogram_;
  Batches batches_{1};
  Moments course_;
  double start_ = 0;  // time of the first call
  double time_ = 0;   // and of the last
  double value_ = kUnknown;
  std::uint64_t changes_ = 0;
  bool started_ = false;
};

}  // namespace hyla::statistics
