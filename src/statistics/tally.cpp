#include "statistics/tally.h"

#include <cmath>

namespace hyla::statistics {

/// Moments of the block that is being filled, in two passes; the second finds what rounding took from the mean.
Moments Tally::open_block() const {
  if (block_size_ == 0) {
    return {};
  }
  Moments block;
  block.weight = static_cast<double>(block_size_);
  for (std::size_t i = 0; i < block_size_; ++i) {
    block.mean += block_[i];
  }
  block.mean /= block.weight;
  double deviations = 0;
  for (std::size_t i = 0; i < block_size_; ++i) {
    const double deviation = block_[i] - block.mean;
    deviations += deviation;
    block.squares += deviation * deviation;
  }
  block.mean_rest = deviations / block.weight;
  block.squares = std::fmax(0.0, block.squares - deviations * block.mean_rest);
  return block;
}

void Tally::close_block() {
  const double sum = block_[0] + block_[1] + block_[2] + block_[3] + block_[4];
  // Neumaier's summation: the digits that the sum cannot hold are summed apart.
  const double total = sum_ + sum;
  sum_rounding_ += std::fabs(sum_) >= std::fabs(sum) ? (sum_ - total) + sum : (sum - total) + sum_;
  sum_ = total;

  const Moments block = open_block();
  blocks_.merge(block);
  batches_.add(block.mean, block.weight);
  block_size_ = 0;
}

Moments Tally::moments() const {
  Moments all = blocks_;
  all.merge(open_block());
  return all;
}

double Tally::sum() const {
  double open = 0;
  for (std::size_t i = 0; i < block_size_; ++i) {
    open += block_[i];
  }
  return sum_ + (sum_rounding_ + open);
}

double Tally::mean() const { return count() > 0 ? sum() / static_cast<double>(count()) : kUnknown; }

double Tally::stddev() const { return std::sqrt(moments().sample_variance()); }

double Tally::minimum() const { return count() > 0 ? histogram_.minimum() : kUnknown; }

double Tally::maximum() const { return count() > 0 ? histogram_.maximum() : kUnknown; }

SteadyState Tally::steady_state(double confidence) const {
  Moments all = moments();
  all.mean = mean();
  return statistics::steady_state(batches_, all, confidence);
}

Summary Tally::summary() const {
  const SteadyState steady = steady_state();
  Summary result;
  result.kind = SummaryKind::Tally;
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
  return result;
}

}  // namespace hyla::statistics
