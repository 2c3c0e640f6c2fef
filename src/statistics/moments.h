// Mean and spread of weighted values, in one pass and 32 bytes.
//
// The textbook formula, sum of squares minus square of the sum, loses all digits when the spread is small beside the
// mean. Instead the squares of deviations are kept, and two sets are joined by Chan's formula (Chan, Golub and LeVeque,
// Algorithms for computing the sample variance, 1983); joining with a single value is Welford's. The mean has a second
// number for the digits that rounding takes from it, else these errors add up over millions of values and spoil the
// squares. One division per call.
#pragma once

#include <limits>

namespace hyla::statistics {

/// Values of greater magnitude are refused by all collectors, as infinite ones and NaN are: below it no figure can
/// overflow.
inline constexpr double kLargestValue = 1e140;

inline bool is_observable(double value) { return value <= kLargestValue && value >= -kLargestValue; }

inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

struct Moments {
  double weight = 0;     // number of values, or time
  double mean = 0;       // 0 while there is no weight
  double squares = 0;    // weighted sum of squared deviations from the mean
  double mean_rest = 0;  // what has to be added to the mean for twice as many digits

  /// Joins another set. Sets of no weight change nothing.
  void merge(const Moments& other) {
    if (!(other.weight > 0)) {
      return;
    }
    const double total = weight + other.weight;
    const double share = other.weight / total;
    const double difference = (other.mean - mean) + (other.mean_rest - mean_rest);
    squares += other.squares + difference * difference * share * weight;
    weight = total;
    move_mean(difference * share + mean_rest);
  }

  void add(double value, double value_weight) { merge({value_weight, value, 0, 0}); }

  /// Of the values as they are, as for a course over time. 0 without weight.
  double variance() const { return weight > 0 ? squares / weight : 0; }

  /// An estimate for what the values were drawn from; the weight is their number. NaN below two values.
  double sample_variance() const { return weight >= 2 ? squares / (weight - 1) : kUnknown; }

  template <class Archive>
  void transfer(Archive& archive) {
    archive(weight, mean, squares, mean_rest);
  }

 private:
  /// Knuth's exact sum: the mean and its rest are together the old mean and the step.
  void move_mean(double step) {
    const double sum = mean + step;
    const double taken = sum - mean;
    mean_rest = (mean - (sum - taken)) + (step - taken);
    mean = sum;
  }
};

}  // namespace hyla::statistics
