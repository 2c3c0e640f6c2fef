#include "record/plot_reduce.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace hyla::record {
namespace {

constexpr std::size_t kFewRows = 2;  // for each column: nothing is left out

/// Rows of one column of the picture, of which four are kept.
class Column {
 public:
  void add(std::size_t row, double value, std::span<const double> values) {
    if (count_++ == 0) first_ = lowest_ = highest_ = row;
    last_ = row;
    if (value < values[lowest_]) lowest_ = row;
    if (value > values[highest_]) highest_ = row;
  }
  void put(std::span<const double> times, std::span<const double> values,
           std::vector<std::pair<double, double>>& piece) {
    if (count_ == 0) return;
    std::array<std::size_t, 4> rows = {first_, lowest_, highest_, last_};
    std::sort(rows.begin(), rows.end());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i == 0 || rows[i] != rows[i - 1]) piece.emplace_back(times[rows[i]], values[rows[i]]);
    }
    count_ = 0;
  }

 private:
  std::size_t count_ = 0, first_ = 0, last_ = 0, lowest_ = 0, highest_ = 0;
};

/// The rows between two times, and one more on either side.
std::pair<std::size_t, std::size_t> rows_between(std::span<const double> times, double begin, double end) {
  const auto first = std::lower_bound(times.begin(), times.end(), begin);
  const auto last = std::upper_bound(first, times.end(), end);
  const auto place = [&](auto it) { return static_cast<std::size_t>(it - times.begin()); };
  return {place(first) - (first == times.begin() ? 0 : 1), place(last) + (last == times.end() ? 0 : 1)};
}

using Point = std::pair<double, double>;

/// Points that are not at the same place in the picture, and the last of each piece.
CurvePieces thinned(std::span<const double> x, std::span<const double> y, std::size_t first, std::size_t last,
                    const PathFrame& frame) {
  constexpr double kFine = 0.3;  // of a point of the picture
  const double across = frame.width / (frame.right - frame.left), up = frame.height / (frame.top - frame.bottom);
  CurvePieces pieces(1);
  Point skipped;
  bool has_skipped = false;
  const auto end_piece = [&] {
    if (has_skipped) pieces.back().push_back(skipped);
    has_skipped = false;
  };
  for (std::size_t i = first; i < last; ++i) {
    if (!std::isfinite(x[i]) || !std::isfinite(y[i])) {
      end_piece();
      if (!pieces.back().empty()) pieces.emplace_back();
      continue;
    }
    skipped = {x[i], y[i]};
    has_skipped = !pieces.back().empty() && std::hypot((x[i] - pieces.back().back().first) * across,
                                                       (y[i] - pieces.back().back().second) * up) < kFine;
    if (!has_skipped) pieces.back().push_back(skipped);
  }
  end_piece();
  if (pieces.back().empty()) pieces.pop_back();
  return pieces;
}

/// Which points of the picture have a line on them.
class Coverage {
 public:
  explicit Coverage(const PathFrame& frame)
      : frame_(frame),
        columns_(static_cast<std::size_t>(frame.width) + 1),
        rows_(static_cast<std::size_t>(frame.height) + 1),
        is_covered_(columns_ * rows_) {}

  /// Draws a line; false if it was there already.
  bool draw(const Point& from, const Point& to) {
    if (!visit(from, to, [](bool) { return false; })) return false;
    visit(from, to, [&](std::vector<bool>::reference covered) {
      covered = true;
      return true;
    });
    return true;
  }

 private:
  /// Visits the points of a line while they are covered or the visitor goes on. False: all were covered.
  template <class Visit>
  bool visit(const Point& from, const Point& to, Visit go_on) {
    const double x = across(from.first), y = down(from.second);
    const double dx = across(to.first) - x, dy = down(to.second) - y;
    const double steps = std::ceil(std::max({std::abs(dx), std::abs(dy), 1.0}));
    for (double i = 0; i <= steps; ++i) {
      const auto column = static_cast<std::size_t>(std::clamp(x + dx * i / steps, 0.0, frame_.width));
      const auto row = static_cast<std::size_t>(std::clamp(y + dy * i / steps, 0.0, frame_.height));
      std::vector<bool>::reference covered = is_covered_[row * columns_ + column];
      if (!covered && !go_on(covered)) return true;
    }
    return false;
  }
  double across(double x) const { return (x - frame_.left) / (frame_.right - frame_.left) * frame_.width; }
  double down(double y) const { return (frame_.top - y) / (frame_.top - frame_.bottom) * frame_.height; }

  const PathFrame& frame_;
  std::size_t columns_, rows_;
  std::vector<bool> is_covered_;
};

/// The times that the states have in one column of the picture.
class Shares {
 public:
  void add(std::string_view state, double time) {
    const auto found = std::find_if(shares_.begin(), shares_.end(), [&](const auto& it) { return it.first == state; });
    if (found == shares_.end()) {
      shares_.emplace_back(state, time);
    } else {
      found->second += time;
    }
  }
  void put(double begin, double end, std::vector<StripBox>& boxes) const {
    double low = 0;
    for (const auto& [state, time] : shares_) {
      const double high = low + time / (end - begin);
      if (time > 0) boxes.push_back({begin, end, low, high, state});
      low = high;
    }
  }
  /// The order stays, so that a state keeps its place from column to column.
  void clear() {
    for (auto& [state, time] : shares_) time = 0;
  }

 private:
  std::vector<std::pair<std::string_view, double>> shares_;
};

}  // namespace

CurvePieces reduce_curve(std::span<const double> times, std::span<const double> values, double begin, double end,
                         std::size_t columns) {
  CurvePieces pieces(1);
  Column column;
  const auto [first, last] = rows_between(times, begin, end);
  const bool is_short = last - first <= kFewRows * columns;
  const double scale = end > begin ? static_cast<double>(columns) / (end - begin) : 0;
  double place = -1;
  for (std::size_t i = first; i < last; ++i) {
    const double here = is_short ? static_cast<double>(i) : std::floor((times[i] - begin) * scale);
    if (here != place || !std::isfinite(values[i])) column.put(times, values, pieces.back());
    place = here;
    if (std::isfinite(values[i])) {
      column.add(i, values[i], values);
    } else if (!pieces.back().empty()) {
      pieces.emplace_back();
    }
  }
  column.put(times, values, pieces.back());
  if (pieces.back().empty()) pieces.pop_back();
  return pieces;
}

CurvePieces reduce_path(std::span<const double> x, std::span<const double> y, std::size_t first, std::size_t last,
                        const PathFrame& frame) {
  constexpr std::size_t kFewPoints = 5000;
  CurvePieces all = thinned(x, y, first, last, frame);
  std::size_t count = 0;
  for (const auto& piece : all) count += piece.size();
  if (count <= kFewPoints) return all;
  Coverage coverage(frame);
  CurvePieces pieces;
  for (const auto& piece : all) {
    bool goes_on = false;
    for (std::size_t i = 1; i < piece.size(); ++i) {
      const bool is_seen = coverage.draw(piece[i - 1], piece[i]);
      if (is_seen && !goes_on) pieces.push_back({piece[i - 1]});
      if (is_seen) pieces.back().push_back(piece[i]);
      goes_on = is_seen;
    }
  }
  return pieces;
}

std::vector<StripBox> boxes_of(const std::vector<PlotSpell>& spells, double begin, double end, std::size_t columns) {
  constexpr std::size_t kMostInColumn = 3;
  std::vector<StripBox> boxes;
  const double width = (end - begin) / static_cast<double>(columns);
  if (!(width > 0)) return boxes;
  Shares shares;
  std::size_t next = 0;  // the first spell that may reach into the column
  for (std::size_t i = 0; i < columns; ++i) {
    const double left = begin + static_cast<double>(i) * width;
    const double right = begin + static_cast<double>(i + 1) * width;
    while (next < spells.size() && spells[next].end <= left) ++next;
    std::size_t last = next;
    while (last < spells.size() && spells[last].begin < right) ++last;
    shares.clear();
    const bool is_crowded = last - next > kMostInColumn;
    for (std::size_t k = next; k < last; ++k) {
      const StripBox box = {std::max(left, spells[k].begin), std::min(right, spells[k].end), 0, 1, spells[k].state};
      if (is_crowded) {
        shares.add(box.state, std::max(0.0, box.end - box.begin));
      } else if (!boxes.empty() && boxes.back().end == box.begin && boxes.back().state == box.state &&
                 boxes.back().high - boxes.back().low == 1) {
        boxes.back().end = box.end;
      } else if (box.end > box.begin) {
        boxes.push_back(box);
      }
    }
    if (is_crowded) shares.put(left, right, boxes);
  }
  return boxes;
}

}  // namespace hyla::record
