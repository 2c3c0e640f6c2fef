#include "statistics/histogram.h"

#include <algorithm>
#include <cmath>

namespace hyla::statistics {
namespace {

constexpr double kBinCount = static_cast<double>(Histogram::kBins);

/// Widths begin at 2^-40 of the first value: edges are then exact integers in widths, with digits to spare.
constexpr int kFirstBits = 40;
/// No width is smaller, so that the ratio of two widths never underflows.
constexpr int kLeastExponent = -200;

double first_per_width(double value) {
  const int exponent = value == 0 ? kLeastExponent : std::max(std::ilogb(value) - kFirstBits, kLeastExponent);
  return std::ldexp(1.0, -exponent);
}

}  // namespace

/// Makes the range cover the minimum and the maximum, which include `value` already.
void Histogram::fit_range(double value) {
  if (bins_.empty()) {
    bins_.resize(kBins);
    per_width_ = first_per_width(value);
    first_ = std::floor(value * per_width_);
    return;
  }
  double per_width = per_width_;
  while (std::floor(maximum_ * per_width) - std::floor(minimum_ * per_width) >= kBinCount) {
    per_width /= 2;
  }
  widen(per_width, std::floor(minimum_ * per_width));
}

/// Moves the weights to bins of another width, a multiple of the present one, and another low edge.
void Histogram::widen(double per_width, double first) {
  const double ratio = per_width / per_width_;
  std::vector<double> bins(kBins);
  for (std::size_t i = 0; i < kBins; ++i) {
    if (bins_[i] > 0) {
      const double place = std::floor((first_ + static_cast<double>(i)) * ratio) - first;
      // Below 0 only if the minimum is so near to zero that it vanished beside the width.
      bins[static_cast<std::size_t>(std::max(0.0, place))] += bins_[i];
    }
  }
  bins_ = std::move(bins);
  per_width_ = per_width;
  first_ = first;
}

double Histogram::total() const {
  double sum = 0;
  for (const double weight : bins_) {
    sum += weight;
  }
  return sum;
}

double Histogram::quantile(double p) const {
  if (bins_.empty() || std::isnan(p)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const double wanted = p * total();
  double below = 0;
  for (std::size_t i = 0; i < kBins && p < 1; ++i) {
    if (bins_[i] > 0 && below + bins_[i] >= wanted) {
      const double edge = first_ + static_cast<double>(i);
      const double low = std::max(minimum_, edge / per_width_);
      const double high = std::min(maximum_, (edge + 1) / per_width_);
      return std::max(minimum_, low + (high - low) * std::max(0.0, wanted - below) / bins_[i]);
    }
    below += bins_[i];
  }
  return maximum_;
}

}  // namespace hyla::statistics
