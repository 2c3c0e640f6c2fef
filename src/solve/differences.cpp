#include "solve/differences.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hyla::solve {
namespace {

const double kSmall = std::sqrt(std::numeric_limits<double>::epsilon());

double step_at(double x) { return kSmall * std::max(1.0, std::abs(x)); }

bool are_finite(const double* begin, const double* end) {
  return std::all_of(begin, end, [](double x) { return std::isfinite(x); });
}

/// Quotients of differences from the values at one point.
class Differences {
 public:
  Differences(System& system, double t, const double* y)
      : system_(system), t_(t), point_(y, y + system.size()), base_(system.size()), moved_(system.size()) {}

  Evaluation begin() { return system_.evaluate(t_, point_.data(), base_.data()); }

  double slope(std::size_t variable) const { return base_[variable]; }

  Evaluation column(std::size_t column, double step, double* entries) {
    const double kept = point_[column];
    point_[column] += step;
    const Evaluation status = system_.evaluate(t_, point_.data(), moved_.data());
    point_[column] = kept;
    const Pattern& pattern = system_.pattern();
    const auto end = static_cast<std::size_t>(pattern.starts[column + 1]);
    for (auto at = static_cast<std::size_t>(pattern.starts[column]); at < end; ++at) {
      const auto row = static_cast<std::size_t>(pattern.rows[at]);
      entries[at] = (moved_[row] - base_[row]) / step;
    }
    return status;
  }

  Evaluation time(double* df_dt) {
    const double step = step_at(t_);
    const Evaluation status = system_.evaluate(t_ + step, point_.data(), moved_.data());
    for (std::size_t i = 0; i < base_.size(); ++i) df_dt[i] = (moved_[i] - base_[i]) / step;
    return status;
  }

 private:
  System& system_;
  double t_;
  std::vector<double> point_, base_, moved_;
};

}  // namespace

Evaluation difference_jacobian(System& system, double t, const double* y, double* entries, double* df_dt) {
  Differences differences(system, t, y);
  Evaluation status = differences.begin();
  for (std::size_t column = 0; column < system.size() && status == Evaluation::Good; ++column) {
    status = differences.column(column, step_at(y[column]), entries);
  }
  return status == Evaluation::Good ? differences.time(df_dt) : status;
}

Evaluation replace_infinite(System& system, double t, const double* y, double* entries, double* df_dt) {
  Differences differences(system, t, y);
  Evaluation status = differences.begin();
  const Pattern& pattern = system.pattern();
  for (std::size_t column = 0; column < system.size() && status == Evaluation::Good; ++column) {
    if (are_finite(entries + pattern.starts[column], entries + pattern.starts[column + 1])) continue;
    const double step = std::copysign(step_at(y[column]), differences.slope(column));
    status = differences.column(column, step, entries);
    if (status == Evaluation::Undefined) status = differences.column(column, -step, entries);
  }
  if (status != Evaluation::Good || are_finite(df_dt, df_dt + system.size())) return status;
  return differences.time(df_dt);
}

}  // namespace hyla::solve
