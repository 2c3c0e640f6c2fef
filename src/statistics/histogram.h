// A histogram that finds its range by itself.
//
// The number of bins is fixed; the width of a bin is a power of two, and bin edges are multiples of it. A value outside
// the range moves the range if all values still fit, and else doubles the width until they do, which joins bins
// pairwise. No weight is ever divided between bins, so counts are exact, and they depend on the values alone, not on
// their order; values nearer to zero than 1e-160 may count as zero. Between 31 and 64 bins cover the values, unless
// these differ by less than 1e-10 of their size.
//
// Cost: 512 bytes from the first value on; one multiplication per value, and 64 steps at each change of the range, of
// which there are at most some dozens per doubling of the range.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace hyla::statistics {

class Histogram {
 public:
  static constexpr std::size_t kBins = 64;

  /// Adds a value with is_observable() and a positive finite weight.
  void add(double value, double weight) {
    minimum_ = value < minimum_ ? value : minimum_;
    maximum_ = value > maximum_ ? value : maximum_;
    if (!covers(value)) [[unlikely]] {
      fit_range(value);
    }
    bins_[bin_of(value)] += weight;
  }

  bool empty() const { return bins_.empty(); }
  /// Infinite, of opposite signs, while empty.
  double minimum() const { return minimum_; }
  double maximum() const { return maximum_; }

  /// The weights; bin i reaches from low() + i * width() to just below the next. No bins while empty.
  std::span<const double> bins() const { return bins_; }
  double low() const { return first_ / per_width_; }
  double width() const { return 1 / per_width_; }
  double total() const;

  /// The value below which the share p of the weight lies, interpolated within its bin: off by less than a width. The
  /// minimum for p <= 0, the maximum for p >= 1, NaN while empty or if p is NaN.
  double quantile(double p) const;

  std::size_t memory() const { return bins_.capacity() * sizeof(double); }

  template <class Archive>
  void transfer(Archive& archive) {
    archive(bins_, per_width_, first_, minimum_, maximum_);
    archive.expect(bins_.empty() || bins_.size() == kBins);
  }

 private:
  bool covers(double value) const {
    const double place = value * per_width_;
    return place >= first_ && place < first_ + static_cast<double>(kBins);
  }
  /// Of a value that is covered. Multiplying by a power of two is exact, and so is this.
  std::size_t bin_of(double value) const {
    const double place = value * per_width_;
    const auto towards_zero = static_cast<std::int64_t>(place);
    const std::int64_t floor = towards_zero - (static_cast<double>(towards_zero) > place ? 1 : 0);
    return static_cast<std::size_t>(floor - static_cast<std::int64_t>(first_));
  }
  void fit_range(double value);
  void widen(double per_width, double first);

  std::vector<double> bins_;
  double per_width_ = 0;  // 1 / width
  double first_ = 1;      // low edge in widths; with the above, the first value falls outside
  double minimum_ = std::numeric_limits<double>::infinity();
  double maximum_ = -std::numeric_limits<double>::infinity();
};

}  // namespace hyla::statistics
