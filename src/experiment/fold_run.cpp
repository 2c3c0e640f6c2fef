#include "experiment/fold_run.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "statistics/time_weighted.h"

namespace hyla::experiment {
namespace {

using engine::Passage;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// --- extrema --------------------------------------------------------------------------------------

/// The least value of `sign` times the quantity.
class Extremum final : public RunFold {
 public:
  explicit Extremum(double sign) : sign_(sign) {}

  void settled(double /*time*/, double value) override { take(sign_ * value); }

  void passed(Passage& passage, std::size_t quantity) override {
    const std::size_t last = passage.times.size() - 1;
    take(sign_ * passage.value(quantity, 0));
    take(sign_ * passage.value(quantity, last));
    if (!passage.varies(quantity)) return;
    for (std::size_t k = 1; k < last; ++k) look_around(passage, quantity, k);
  }

  double result(double /*time*/) override { return std::isinf(best_) ? kUnknown : sign_ * best_; }

 private:
  void take(double value) { best_ = std::min(best_, value); }
  double at(Passage& passage, std::size_t quantity, double time) const {
    return sign_ * passage.value_at(quantity, time);
  }

  /// Searches where the parabola through three nodes has its least value between them, if that could be a record.
  void look_around(Passage& passage, std::size_t quantity, std::size_t k) {
    const double a = passage.times[k - 1], b = passage.times[k], c = passage.times[k + 1];
    const double fa = sign_ * passage.value(quantity, k - 1);
    const double fb = sign_ * passage.value(quantity, k);
    const double fc = sign_ * passage.value(quantity, k + 1);
    take(fb);
    const double left = (fb - fa) / (b - a), right = (fc - fb) / (c - b);
    const double bend = (right - left) / (c - a);
    if (!(bend > 0)) return;
    const double place = (a + b) / 2 - left / (2 * bend);
    if (!(place > a && place < c)) return;
    const double depth = fb - (left + bend * (b - a)) * (left + bend * (b - a)) / (4 * bend);
    const double margin = 0.1 * (std::max({fa, fb, fc}) - std::min({fa, fb, fc, depth}));
    if (depth - margin < best_) search(passage, quantity, a, c);
  }

  /// Golden section: the value is exact long before the place is.
  void search(Passage& passage, std::size_t quantity, double low, double high) {
    constexpr double kPart = 0.3819660112501051;
    const double wanted = 1e-9 * (high - low);
    double x = low + kPart * (high - low), y = high - kPart * (high - low);
    double fx = at(passage, quantity, x), fy = at(passage, quantity, y);
    while (high - low > wanted && std::isfinite(fx) && std::isfinite(fy)) {
      if (fx <= fy) {
        high = y;
        y = x;
        fy = fx;
        x = low + kPart * (high - low);
        if (!(x < y)) break;
        fx = at(passage, quantity, x);
      } else {
        low = x;
        x = y;
        fx = fy;
        y = high - kPart * (high - low);
        if (!(x < y)) break;
        fy = at(passage, quantity, y);
      }
      take(std::min(fx, fy));
      if (high - low < 1e-5 * (passage.end - passage.begin) && std::abs(fx - fy) <= 1e-15 * std::abs(fx)) break;
    }
  }

  double sign_;
  double best_ = kInfinity;
};

// --- over time ------------------------------------------------------------------------------------

/// Mean and standard deviation by the integrals of the quantity and its square around the first value.
class Integral final : public RunFold {
 public:
  explicit Integral(bool is_spread) : is_spread_(is_spread) {}

  void settled(double /*time*/, double value) override {
    if (std::isnan(shift_)) shift_ = value;
    last_ = value;
  }
  void passed(Passage& passage, std::size_t quantity) override {
    for (std::size_t k = 0; k < passage.times.size(); ++k) {
      const double value = passage.value(quantity, k) - shift_;
      sum_ += passage.weights[k] * value;
      squares_ += passage.weights[k] * value * value;
    }
    duration_ += passage.end - passage.begin;
  }
  double result(double /*time*/) override {
    if (duration_ == 0) return is_spread_ ? 0 : last_;
    const double mean = sum_ / duration_;
    return is_spread_ ? std::sqrt(std::max(0.0, squares_ / duration_ - mean * mean)) : shift_ + mean;
  }

 private:
  bool is_spread_;
  double shift_ = kUnknown, last_ = kUnknown;
  double sum_ = 0, squares_ = 0, duration_ = 0;
};

/// Quantiles by a histogram of pieces in which the quantity is taken as constant.
class TimeQuantile final : public RunFold {
 public:
  explicit TimeQuantile(double part) : part_(part) {}

  void settled(double time, double value) override { figures_.set(time, value); }
  void passed(Passage& passage, std::size_t quantity) override {
    if (!passage.varies(quantity)) return;
    constexpr int kPieces = 16;
    const double width = (passage.end - passage.begin) / kPieces;
    for (int k = 0; k < kPieces; ++k) {
      figures_.set(passage.begin + k * width, passage.value_at(quantity, passage.begin + (k + 0.5) * width));
    }
  }
  double result(double time) override {
    figures_.finish(time);
    return figures_.quantile(part_);
  }

 private:
  double part_;
  statistics::TimeWeighted figures_;
};

class FinalValue final : public RunFold {
 public:
  void settled(double /*time*/, double value) override { value_ = value; }
  void passed(Passage& passage, std::size_t quantity) override {
    value_ = passage.value(quantity, passage.times.size() - 1);
  }
  double result(double /*time*/) override { return value_; }

 private:
  double value_ = kUnknown;
};

// --- conditions -----------------------------------------------------------------------------------

class Truth final : public RunFold {
 public:
  explicit Truth(bool is_count) : is_count_(is_count) {}

  void settled(double time, double value) override { take(time, value != 0); }
  void passed(Passage& passage, std::size_t quantity) override {
    if (!passage.varies(quantity)) return;
    changes_.clear();
    passage.find_changes(quantity, changes_);
    for (const engine::TruthChange& change : changes_) take(change.time, change.holds);
  }
  double result(double /*time*/) override { return is_count_ ? count_ : first_; }

 private:
  void take(double time, bool holds) {
    if (holds && !holds_) {
      ++count_;
      first_ = std::min(first_, time);
    }
    holds_ = holds;
  }

  bool is_count_;
  bool holds_ = false;
  double count_ = 0, first_ = kInfinity;
  std::vector<engine::TruthChange> changes_;
};

/// Whether a condition holds all the time: 1 or 0.
class Always final : public RunFold {
 public:
  void settled(double /*time*/, double value) override { holds_ = holds_ && value != 0; }
  void passed(Passage& passage, std::size_t quantity) override {
    if (!holds_ || !passage.varies(quantity)) return;
    changes_.clear();
    passage.find_changes(quantity, changes_);
    for (const engine::TruthChange& change : changes_) holds_ = holds_ && change.holds;
  }
  double result(double /*time*/) override { return holds_ ? 1 : 0; }

 private:
  bool holds_ = true;
  std::vector<engine::TruthChange> changes_;
};

// --- data -----------------------------------------------------------------------------------------

/// The sum of squares of the differences to measured values. Where the quantity jumps, its value behind the jump
/// counts.
class DataMisfit final : public RunFold {
 public:
  explicit DataMisfit(const DataColumn& data) : data_(data), present_(data.values.size(), kUnknown) {}

  void settled(double time, double value) override {
    for (std::size_t i = next_; i < data_.times.size() && data_.times[i] <= time; ++i) {
      if (data_.times[i] == time) present_[i] = value;
    }
    if (next_ > 0 && data_.times[next_ - 1] == time) present_[next_ - 1] = value;
  }
  void passed(Passage& passage, std::size_t quantity) override {
    for (; next_ < data_.times.size() && data_.times[next_] <= passage.end; ++next_) {
      const double time = data_.times[next_];
      if (time < passage.begin) continue;
      if (time == passage.begin && !std::isnan(present_[next_])) continue;
      present_[next_] = passage.varies(quantity) ? passage.value_at(quantity, time) : passage.value(quantity, 0);
    }
  }
  double result(double /*time*/) override {
    double sum = 0;
    for (std::size_t i = 0; i < present_.size(); ++i) {
      sum += (present_[i] - data_.values[i]) * (present_[i] - data_.values[i]);
    }
    return sum;  // no number if the run ended before the data
  }

 private:
  const DataColumn& data_;
  std::vector<double> present_;
  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<RunFold> make_fold(const FoldRequest& request) {
  using model::Builtin;
  switch (request.builtin) {
    case Builtin::Max:
      return std::make_unique<Extremum>(-1);
    case Builtin::Min:
      return std::make_unique<Extremum>(1);
    case Builtin::Mean:
      return std::make_unique<Integral>(false);
    case Builtin::StandardDeviation:
      return std::make_unique<Integral>(true);
    case Builtin::Quantile:
      return std::make_unique<TimeQuantile>(request.part);
    case Builtin::Count:
      return std::make_unique<Truth>(true);
    case Builtin::TimeOf:
      return std::make_unique<Truth>(false);
    case Builtin::All:
      return std::make_unique<Always>();
    case Builtin::Misfit:
      HYLA_CHECK(request.data != nullptr, "data of a misfit");
      return std::make_unique<DataMisfit>(*request.data);
    default:
      return std::make_unique<FinalValue>();
  }
}

}  // namespace hyla::experiment
