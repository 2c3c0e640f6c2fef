#include "record/compare_values.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

namespace hyla::record {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// --- Segments
// ------------------------------------------------------------------------------------------------------------------

/// Rows of a run between two anchors, and those between which may be interpolated.
struct Stretch {
  double begin = 0, end = 0;
  std::size_t first = 0, last = 0;  ///< rows in it: first <= row < last
  std::size_t support_first = 0, support_last = 0;

  std::size_t rows() const { return last - first; }
  double length() const { return end - begin; }
};

struct Segment {
  Stretch a, b;
};

/// At both ends rows with the very time of an event belong to it: the last of them tells the values behind the event,
/// the first those before it. If there is none then nothing that was recorded has changed there.
Stretch stretch_of(const std::vector<double>& times, double begin, double end, bool is_first, bool is_last) {
  Stretch stretch{begin, end, 0, times.size(), 0, times.size()};
  if (is_first) {
    stretch.first = static_cast<std::size_t>(std::lower_bound(times.begin(), times.end(), begin) - times.begin());
  } else {
    const auto behind = std::upper_bound(times.begin(), times.end(), begin);
    const bool is_there = behind != times.begin() && *(behind - 1) == begin;
    const auto next = static_cast<std::size_t>(behind - times.begin());
    stretch.first = is_there ? next - 1 : next;
    stretch.support_first = is_there || next == 0 ? stretch.first : next - 1;
  }
  if (is_last) {
    stretch.last = static_cast<std::size_t>(std::upper_bound(times.begin(), times.end(), end) - times.begin());
  } else {
    const auto from = std::lower_bound(times.begin(), times.end(), end);
    const bool is_there = from != times.end() && *from == end;
    const auto next = static_cast<std::size_t>(from - times.begin());
    stretch.last = is_there ? next + 1 : next;
    stretch.support_last = is_there || next == times.size() ? stretch.last : next + 1;
  }
  stretch.last = std::max(stretch.first, stretch.last);
  stretch.support_last = std::max(stretch.support_first, stretch.support_last);
  return stretch;
}

std::vector<Segment> segments_of(const RunResult& a, const RunResult& b, std::span<const Anchor> anchors,
                                 double until) {
  std::vector<Segment> segments;
  double a_begin = std::max(a.time.front(), b.time.front()), b_begin = a_begin;
  bool is_first = true;
  const auto add = [&](double a_end, double b_end, bool is_last) {
    segments.push_back(
        {stretch_of(a.time, a_begin, a_end, is_first, is_last), stretch_of(b.time, b_begin, b_end, is_first, is_last)});
  };
  for (const Anchor& anchor : anchors) {
    if (anchor.a_begin > until || anchor.b_begin > until) break;
    if (anchor.a_end < a_begin || anchor.b_end < b_begin) continue;
    add(anchor.a_begin, anchor.b_begin, false);
    a_begin = anchor.a_end;
    b_begin = anchor.b_end;
    is_first = false;
  }
  const double end = std::min({a.time.back(), b.time.back(), until});
  if (end >= a_begin && end >= b_begin) add(end, end, true);
  return segments;
}

// --- One curve
// ------------------------------------------------------------------------------------------------------------------

struct Curve {
  const std::vector<double>& times;
  std::vector<double> values;
};

/// What a curve has around a point.
struct Band {
  double low = kInfinity, high = -kInfinity;
  double middle = std::numeric_limits<double>::quiet_NaN();  ///< at the point itself

  void add(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

/// The cubic through four rows (Lagrange).
double cubic(const double* t, const double* v, double at) {
  double sum = 0;
  for (int i = 0; i < 4; ++i) {
    double weight = 1;
    for (int j = 0; j < 4; ++j) {
      if (j != i) weight *= (at - t[j]) / (t[i] - t[j]);
    }
    sum += weight * v[i];
  }
  return sum;
}

double linear(const Curve& curve, std::size_t right, double at) {
  const double t0 = curve.times[right - 1], t1 = curve.times[right];
  const double v0 = curve.values[right - 1], v1 = curve.values[right];
  if (!(t1 > t0)) return v1;
  const double part = (at - t0) / (t1 - t0);
  if (part <= 0 || v0 == v1) return v0;
  return part >= 1 ? v1 : v0 + part * (v1 - v0);
}

/// Whether four rows around an interval tell how the curve bends there: no jump is among them.
bool bends(const Curve& curve, const Stretch& stretch, std::size_t right) {
  if (right < stretch.support_first + 2 || right + 2 > stretch.support_last) return false;
  for (std::size_t i = right - 2; i <= right; ++i) {
    if (!(curve.times[i + 1] > curve.times[i]) || !std::isfinite(curve.values[i])) return false;
  }
  return std::isfinite(curve.values[right + 1]);
}

/// Values without a place in the order of numbers are the same if both are of one kind.
bool is_same(double one, double other) {
  if (is_absent(one) || is_absent(other)) return is_absent(one) && is_absent(other);
  return one == other || (std::isnan(one) && std::isnan(other));
}

class Surroundings {
 public:
  /// The rows of a curve in its segment that lie around a time.
  Surroundings(const Curve& curve, const Stretch& stretch, double at, double window) : curve_(curve) {
    const auto rows = curve.times.begin();
    const auto support_begin = rows + static_cast<std::ptrdiff_t>(stretch.support_first);
    const auto support_end = rows + static_cast<std::ptrdiff_t>(stretch.support_last);
    const auto index = [&](auto place) { return static_cast<std::size_t>(place - rows); };
    first_ = index(std::lower_bound(support_begin, support_end, at - window));
    last_ = index(std::upper_bound(support_begin, support_end, at + window));
    if (first_ > stretch.support_first) --first_;
    if (last_ < stretch.support_last) ++last_;
    find_band(stretch, at, window);
  }
  const Band& band() const { return band_; }
  /// To the nearest value of a row; 0 also for the same kind of what is no number.
  double distance_to_rows(double value) const {
    double nearest = kInfinity;
    for (std::size_t i = first_; i < last_; ++i) {
      if (is_same(curve_.values[i], value)) return 0;
      const double distance = std::abs(curve_.values[i] - value);
      if (distance < nearest) nearest = distance;
    }
    return nearest;
  }

 private:
  void find_band(const Stretch& stretch, double at, double window) {
    if (first_ == last_) return;
    const std::vector<double>& times = curve_.times;
    for (std::size_t i = first_; i < last_; ++i) {
      if (std::abs(times[i] - at) <= window) band_.add(curve_.values[i]);
    }
    band_.middle = value_at(stretch, at);
    for (const double edge : {at - window, at + window}) {
      if (window > 0 && edge > times[first_] && edge < times[last_ - 1]) value_at(stretch, edge);
    }
  }
  double value_at(const Stretch& stretch, double at) {
    const std::vector<double>& times = curve_.times;
    const auto begin = times.begin() + static_cast<std::ptrdiff_t>(first_);
    const auto end = times.begin() + static_cast<std::ptrdiff_t>(last_);
    auto right = static_cast<std::size_t>(std::lower_bound(begin, end, at) - times.begin());
    if (right == last_) right = last_ - 1;
    if (right == first_) {
      band_.add(curve_.values[first_]);
      return curve_.values[first_];
    }
    const double value = linear(curve_, right, at);
    band_.add(value);
    if (times[right] != at && bends(curve_, stretch, right)) {
      band_.add(cubic(&times[right - 2], &curve_.values[right - 2], at));
    }
    return value;
  }

  const Curve& curve_;
  std::size_t first_ = 0, last_ = 0;
  Band band_;
};

// --- One variable
// ------------------------------------------------------------------------------------------------------------------

bool is_whole(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(),
                     [](double value) { return !std::isfinite(value) || value == std::trunc(value); });
}

double largest_magnitude(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  return largest;
}

/// Whether one of the rows at exactly this time, of which an event has several, has the value.
bool has_value(const Curve& curve, std::size_t row, std::size_t last, double time, double value) {
  for (; row < last && curve.times[row] == time; ++row) {
    if (is_same(value, curve.values[row])) return true;
  }
  return false;
}

class VariableComparison {
 public:
  VariableComparison(Curve a, Curve b, const Tube* chosen, const ValueTolerances& tolerances, ComparedVariable& result)
      : a_(std::move(a)), b_(std::move(b)), tolerances_(tolerances), result_(result) {
    const Tube& tube = chosen == nullptr ? tolerances.tube : *chosen;
    result_.is_whole = chosen == nullptr && is_whole(a_.values) && is_whole(b_.values);
    const double scaled = tube.relative > 0 ? tube.relative * largest_magnitude(a_.values) : 0;
    result_.width = result_.is_whole ? 0 : tube.absolute + scaled;
  }

  void compare(const Segment& segment) {
    const bool points_are_of_a = segment.a.rows() <= segment.b.rows() ? segment.a.rows() > 1 : segment.b.rows() <= 1;
    const Stretch& own = points_are_of_a ? segment.a : segment.b;
    const Stretch& other = points_are_of_a ? segment.b : segment.a;
    const Curve& curve = points_are_of_a ? a_ : b_;
    const Curve& other_curve = points_are_of_a ? b_ : a_;
    const double stretching = own.length() > 0 ? other.length() / own.length() : 0;
    std::size_t same = other.first;
    for (std::size_t row = own.first; row < own.last; ++row) {
      const double time = curve.times[row];
      const double partner = time == own.end ? other.end : other.begin + (time - own.begin) * stretching;
      const double value = curve.values[row];
      while (same < other.last && other_curve.times[same] < partner) ++same;
      if (has_value(other_curve, same, other.last, partner, value)) continue;
      // What lies in a narrow band lies in the wide one, which may have thousands of rows.
      if (distance_of(value, {other_curve, other, partner, tolerances_.time / kNarrow}) == 0) continue;
      const Surroundings around(other_curve, other, partner, tolerances_.time);
      const double distance = distance_of(value, around);
      if (distance == 0) continue;
      note(points_are_of_a ? Deviation{time, value, around.band().middle, distance}
                           : Deviation{partner, around.band().middle, value, distance});
    }
  }

 private:
  static constexpr double kNarrow = 64;

  double distance_of(double value, const Surroundings& around) const {
    const Band& band = around.band();
    if (result_.is_whole || !std::isfinite(value)) return around.distance_to_rows(value);
    if (band.low > band.high) return kInfinity;
    return std::max({0.0, band.low - value, value - band.high});
  }
  void note(const Deviation& deviation) {
    if (deviation.distance > result_.largest.distance) result_.largest = deviation;
    if (deviation.distance > result_.width && (!result_.first || deviation.time < result_.first->time)) {
      result_.first = deviation;
    }
  }

  Curve a_, b_;
  const ValueTolerances& tolerances_;
  ComparedVariable& result_;
};

std::size_t points_in(const std::vector<Segment>& segments) {
  std::size_t points = 0;
  for (const Segment& segment : segments) {
    const auto [fewer, more] = std::minmax({segment.a.rows(), segment.b.rows()});
    points += fewer > 1 ? fewer : more;
  }
  return points;
}

}  // namespace

double ComparedVariable::excess() const {
  if (largest.distance == 0) return 0;
  return width > 0 ? largest.distance / width : kInfinity;
}

ComparedValues compare_values(const RunResult& a, const RunResult& b, std::span<const Anchor> anchors,
                              const ValueTolerances& tolerances) {
  ComparedValues result;
  std::unordered_map<std::string_view, const ResultColumn*> of_b;
  for (const ResultColumn& column : b.columns) of_b.emplace(column.name, &column);
  const bool has_rows = !a.time.empty() && !b.time.empty();
  const std::vector<Segment> segments =
      has_rows ? segments_of(a, b, anchors, tolerances.until) : std::vector<Segment>();
  for (std::size_t i = 0; i < a.columns.size(); ++i) {
    const ResultColumn& column = a.columns[i];
    const auto partner = of_b.find(column.name);
    if (partner == of_b.end()) {
      result.only_in_a.push_back(column.name);
      continue;
    }
    ComparedVariable& variable = result.variables.emplace_back();
    variable.name = column.name;
    variable.unit = column.unit.empty() ? partner->second->unit : column.unit;
    const bool is_chosen = !tolerances.chosen.empty() && tolerances.chosen[i];
    const Tube* chosen = is_chosen ? &*tolerances.chosen[i] : nullptr;
    VariableComparison comparison({a.time, a.values(column)}, {b.time, b.values(*partner->second)}, chosen, tolerances,
                                  variable);
    for (const Segment& segment : segments) comparison.compare(segment);
    of_b.erase(partner);
  }
  for (const ResultColumn& column : b.columns) {
    if (of_b.contains(column.name)) result.only_in_b.push_back(column.name);
  }
  result.points = points_in(segments);
  return result;
}

}  // namespace hyla::record
