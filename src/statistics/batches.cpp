#include "statistics/batches.h"

#include <cmath>

namespace hyla::statistics {

void Batches::complete(double mean, double weight) {
  while (weight > batch_weight_ * static_cast<double>(kCapacity)) {
    double_weight();
  }
  while (open_weight_ + weight >= batch_weight_) {
    const double room = batch_weight_ - open_weight_;
    means_.push_back((open_sum_ + mean * room) / batch_weight_);
    weight = std::fmax(0.0, weight - room);
    open_sum_ = 0;
    open_weight_ = 0;
    if (means_.size() == kCapacity) {
      double_weight();
    }
  }
  open_sum_ += mean * weight;
  open_weight_ += weight;
}

/// Joins the means pairwise. A mean without a partner begins the open batch.
void Batches::double_weight() {
  const std::size_t pairs = means_.size() / 2;
  if (means_.size() % 2 != 0) {
    open_sum_ += means_.back() * batch_weight_;
    open_weight_ += batch_weight_;
  }
  for (std::size_t i = 0; i < pairs; ++i) {
    means_[i] = (means_[2 * i] + means_[2 * i + 1]) / 2;
  }
  means_.resize(pairs);
  batch_weight_ *= 2;
}

}  // namespace hyla::statistics
