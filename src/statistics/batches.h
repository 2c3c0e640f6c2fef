// Means of consecutive batches of a run whose length nobody knows beforehand.
//
// A confidence interval from one run needs means over long pieces of it; the search for the end of the warm-up needs
// short pieces. Keeping all observations would serve both and cost unbounded memory. Here a batch begins short, and
// whenever 1024 means are there they are joined pairwise and the length of a batch doubles. At any time there are so
// between 512 and 1024 means, once the run was long enough, and at most 8 KB.
//
// A batch has a weight: 5 observations, or a piece of time, in both cases times a power of two.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace hyla::statistics {

class Batches {
 public:
  static constexpr std::size_t kCapacity = 1024;

  /// Batches of this weight to begin with; positive and finite.
  explicit Batches(double batch_weight) : batch_weight_(batch_weight) {}

  /// Continues the run by a piece of this weight and this mean. It may complete no batch, one, or many. The weight is
  /// finite and not negative. Amortised cost is constant; a piece of any weight costs at most some 1000 steps more than
  /// the doublings that it causes.
  void add(double mean, double weight) {
    if (open_weight_ + weight < batch_weight_) {
      open_sum_ += mean * weight;
      open_weight_ += weight;
    } else {
      complete(mean, weight);
    }
  }

  /// Means of the complete batches, in order of time.
  std::span<const double> means() const { return means_; }
  /// The weight of each of them.
  double batch_weight() const { return batch_weight_; }

  std::size_t memory() const { return means_.capacity() * sizeof(double); }

  template <class Archive>
  void transfer(Archive& archive) {
    archive(means_, batch_weight_, open_sum_, open_weight_);
    archive.expect(batch_weight_ > 0 && means_.size() <= kCapacity);
  }

 private:
  void complete(double mean, double weight);
  void double_weight();

  std::vector<double> means_;
  double batch_weight_;
  double open_sum_ = 0;  // of the batch that is not complete yet
  double open_weight_ = 0;
};

}  // namespace hyla::statistics
