#include "engine/steady_motion.h"

#include <algorithm>
#include <cmath>

#include "engine/modes.h"
#include "solve/dense_lu.h"

namespace hyla::engine {
namespace {

constexpr int kMostSteps = 500;
constexpr int kMostRounds = 20;  ///< of deciding relations at one point
constexpr double kFirstMove = 0.1, kShortest = 1e-12, kFarthest = 1e12;
constexpr double kRest = 1e-10;  ///< of a Newton step, in sizes of the states

class Motion {
 public:
  Motion(Island& island, double time, const std::vector<double>& nominals, std::vector<double>& x)
      : island_(island),
        cluster_(island.cluster),
        time_(time),
        nominals_(nominals),
        size_(x.size()),
        x_(x),
        kept_(cluster_.values),
        f_(size_),
        matrix_(size_ * size_) {
    for (const GuardPlan::Guard& guard : cluster_.guards->guards) {
      if (guard.island == island.number && cluster_.shape->modes[guard.mode].equation != kNone)
        guards_.push_back(guard);
    }
  }
  ~Motion() { std::copy(kept_.begin(), kept_.end(), cluster_.values.begin()); }
  Motion(const Motion&) = delete;
  Motion& operator=(const Motion&) = delete;

  bool follow() {
    if (guards_.empty() || !evaluate(x_, f_)) return false;
    double h = kFirstMove / std::max(speed(f_), 1e-300);
    for (int count = 0; count < kMostSteps && speed(f_) > 0; ++count) {
      std::vector<double> step, next = x_, next_f(size_);
      if (!find_step(h, step)) return false;
      if (length(step) < kRest && h * speed(f_) > 1) return true;
      for (std::size_t i = 0; i < size_; ++i) next[i] += step[i];
      if (!evaluate(next, next_f) || turns(next_f)) {
        h /= 4;
        if (h * speed(f_) < kShortest) return false;
        continue;
      }
      h *= std::clamp(speed(f_) / std::max(speed(next_f), 1e-300), 2.0, 10.0);
      x_ = next;
      f_ = next_f;
      if (length(x_) > kFarthest) return false;
    }
    return speed(f_) == 0;
  }

 private:
  double scale(std::size_t i) const { return std::abs(x_[i]) + nominals_[i]; }

  /// In sizes of the states.
  double speed(const std::vector<double>& f) const {
    double largest = 0;
    for (std::size_t i = 0; i < size_; ++i) largest = std::max(largest, std::abs(f[i]) / scale(i));
    return largest;
  }
  double length(const std::vector<double>& step) const {
    double largest = 0;
    for (std::size_t i = 0; i < size_; ++i) largest = std::max(largest, std::abs(step[i]) / nominals_[i]);
    return largest;
  }

  /// A step so long that the motion would come back.
  bool turns(const std::vector<double>& next) const {
    double product = 0;
    for (std::size_t i = 0; i < size_; ++i) product += f_[i] / scale(i) * next[i] / scale(i);
    return product < 0 && speed(next) > 0.5 * speed(f_);
  }

  /// The derivatives at a point, with relations as they are there.
  bool evaluate(const std::vector<double>& x, std::vector<double>& f) {
    for (int round = 0; round < kMostRounds; ++round) {
      if (island_.system.evaluate(time_, x.data(), f.data()) != solve::Evaluation::Good) return false;
      if (!decide()) return true;
    }
    return false;
  }

  bool decide() {
    code::run(cluster_.guards->relations, cluster_.values.data());
    bool is_changed = false;
    for (const GuardPlan::Guard& guard : guards_) {
      const ShapeMode& mode = cluster_.shape->modes[guard.mode];
      const double value = by_value(mode.kind, cluster_.values[guard.g]);
      is_changed = is_changed || value != cluster_.values[mode.value];
      cluster_.values[mode.value] = value;
    }
    return is_changed;
  }

  /// (1 / h - J) step = f.
  bool find_step(double h, std::vector<double>& step) {
    const solve::Pattern& pattern = island_.system.pattern();
    std::vector<double> entries(pattern.entries()), drift(size_), scales(size_), memory(size_);
    if (island_.system.jacobian(time_, x_.data(), entries.data(), drift.data()) != solve::Evaluation::Good)
      return false;
    std::fill(matrix_.begin(), matrix_.end(), 0.0);
    for (std::size_t column = 0; column < size_; ++column) {
      for (auto k = pattern.starts[column]; k < pattern.starts[column + 1]; ++k) {
        const auto row = static_cast<std::size_t>(pattern.rows[static_cast<std::size_t>(k)]);
        matrix_[row * size_ + column] -= entries[static_cast<std::size_t>(k)];
      }
      matrix_[column * size_ + column] += 1 / h;
    }
    std::vector<std::uint32_t> pivots(size_);
    std::size_t blamed = 0;
    if (!solve::factorise(matrix_.data(), size_, pivots.data(), scales.data(), blamed)) return false;
    step = f_;
    solve::solve_factorised(matrix_.data(), size_, pivots.data(), step.data(), memory.data());
    return true;
  }

  Island& island_;
  Cluster& cluster_;
  double time_;
  const std::vector<double>& nominals_;
  std::size_t size_;
  std::vector<double>& x_;
  const std::vector<double> kept_;
  std::vector<double> f_, matrix_;
  std::vector<GuardPlan::Guard> guards_;  ///< of relations in the island's equations
};

}  // namespace

bool follow_to_rest(Island& island, double time, const std::vector<double>& nominals, std::vector<double>& x) {
  if (island.constraint || island.cluster.guards == nullptr) return false;
  return Motion(island, time, nominals, x).follow();
}

}  // namespace hyla::engine
