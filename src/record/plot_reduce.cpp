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

}  // namespace

CurvePieces reduce_curve(std::span<const double> times, std::span<const double> values, double begin, double end,
                         std::size_t columns) {
  CurvePieces pieces(1);
  Column column;
  const bool is_short = times.size() <= kFewRows * columns;
  const double scale = end > begin ? static_cast<double>(columns) / (end - begin) : 0;
  double place = -1;
  for (std::size_t i = 0; i < times.size(); ++i) {
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

std::vector<PlotSpell> reduce_spells(const std::vector<PlotSpell>& spells, double begin, double end,
                                     std::size_t columns) {
  const double width = (end - begin) / static_cast<double>(columns);
  if (spells.size() <= columns || !(width > 0)) return spells;
  std::vector<PlotSpell> result;
  std::size_t next = 0;  // the first spell that may reach into the column
  for (std::size_t i = 0; i < columns; ++i) {
    const double left = begin + static_cast<double>(i) * width;
    const double right = begin + static_cast<double>(i + 1) * width;
    while (next < spells.size() && spells[next].end <= left) ++next;
    double longest = 0;
    const PlotSpell* winner = nullptr;
    for (std::size_t k = next; k < spells.size() && spells[k].begin < right; ++k) {
      const double length = std::min(right, spells[k].end) - std::max(left, spells[k].begin);
      if (length <= longest) continue;
      longest = length;
      winner = &spells[k];
    }
    if (winner == nullptr) continue;
    const bool goes_on = !result.empty() && result.back().state == winner->state && result.back().end == left;
    if (goes_on) {
      result.back().end = right;
    } else {
      result.push_back({left, right, winner->state});
    }
  }
  return result;
}

}  // namespace hyla::record
