#include "solve/elimination.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hyla::solve {
namespace {

/// A row of which so little is left, of a largest entry of 1, says nothing that others do not say.
constexpr double kNothingLeft = 1e-11;
/// What remains of a difference by rounding.
constexpr double kRounding = 8 * std::numeric_limits<double>::epsilon();
/// Columns change places if that improves the choice by more than this factor.
constexpr double kWorthwhile = 1.2;
constexpr int kMostPasses = 100;

const Elimination::Entry* find(const Elimination::Row& row, std::uint32_t column) {
  const auto found =
      std::lower_bound(row.begin(), row.end(), column,
                       [](const Elimination::Entry& entry, std::uint32_t c) { return entry.column < c; });
  return found != row.end() && found->column == column ? &*found : nullptr;
}

}  // namespace

Elimination::Elimination(std::vector<Row> rows, std::vector<double> weights)
    : rows_(std::move(rows)), weights_(std::move(weights)), pivots_(rows_.size(), kNone), holders_(weights_.size()) {
  for (std::uint32_t i = 0; i < rows_.size(); ++i) {
    Row& row = rows_[i];
    std::sort(row.begin(), row.end(), [](const Entry& a, const Entry& b) { return a.column < b.column; });
    double largest = 0;
    for (const Entry& entry : row) largest = std::max(largest, std::abs(entry.value));
    if (!(largest > 0) || !std::isfinite(largest)) row.clear();
    for (Entry& entry : row) {
      entry.value /= largest;
      holders_[entry.column].push_back(i);
    }
  }
}

bool Elimination::choose() { return solve_all(nullptr) && improve(); }
bool Elimination::take(const std::vector<std::uint8_t>& columns) { return solve_all(&columns); }

const Elimination::Entry* Elimination::best_of(std::size_t row, const std::vector<std::uint8_t>* allowed) const {
  const Entry* best = nullptr;
  double size = 0;
  for (const Entry& entry : rows_[row]) {
    if (std::abs(entry.value) < kNothingLeft || (allowed != nullptr && (*allowed)[entry.column] == 0)) continue;
    const double own = std::abs(entry.value) * weights_[entry.column];
    if (own <= size) continue;
    size = own;
    best = &entry;
  }
  return best;
}

/// Rows with a small pivot wait until others have been solved: what is left of them then is clearer.
bool Elimination::solve_all(const std::vector<std::uint8_t>* allowed) {
  std::vector<std::uint32_t> open, order;
  for (std::uint32_t i = 0; i < rows_.size(); ++i) open.push_back(i);
  for (double threshold = 0.1; !open.empty() && threshold >= kNothingLeft; threshold /= 10) {
    for (bool again = true; again && !open.empty();) {
      again = false;
      std::vector<std::uint32_t> waiting;
      for (const std::uint32_t i : open) {
        const Entry* best = best_of(i, allowed);
        if (best == nullptr || std::abs(best->value) < threshold) {
          waiting.push_back(i);
          continue;
        }
        const std::uint32_t column = best->column;
        eliminate(i, column, true);
        order.push_back(i);
        again = true;
      }
      open = std::move(waiting);
    }
  }
  substitute_back(order);
  left_over_ = std::move(open);
  return left_over_.empty();
}

/// Rows solved early still contain columns that were chosen later.
void Elimination::substitute_back(const std::vector<std::uint32_t>& order) {
  std::vector<std::uint32_t> row_of(weights_.size(), kNone);
  for (auto number = order.rbegin(); number != order.rend(); ++number) {
    const Row before = rows_[*number];
    for (const Entry& entry : before) {
      const std::uint32_t later = row_of[entry.column];
      if (later != kNone) subtract(*number, rows_[later], entry.value, entry.column);
    }
    row_of[pivots_[*number]] = *number;
  }
}

void Elimination::eliminate(std::uint32_t number, std::uint32_t column, bool only_open) {
  Row& row = rows_[number];
  const double pivot = find(row, column)->value;
  for (Entry& entry : row) entry.value = entry.column == column ? 1 : entry.value / pivot;
  pivots_[number] = column;
  const std::vector<std::uint32_t> holders = std::move(holders_[column]);
  holders_[column] = {number};
  for (const std::uint32_t other : holders) {
    if (other == number) continue;
    if (only_open && pivots_[other] != kNone) {
      holders_[column].push_back(other);
      continue;
    }
    const Entry* entry = find(rows_[other], column);
    if (entry != nullptr) subtract(other, row, entry->value, column);
  }
}

void Elimination::subtract(std::uint32_t from, const Row& row, double factor, std::uint32_t column) {
  merged_.clear();
  Row& target = rows_[from];
  std::size_t i = 0, k = 0;
  while (i < target.size() || k < row.size()) {
    if (k == row.size() || (i < target.size() && target[i].column < row[k].column)) {
      merged_.push_back(target[i++]);
      continue;
    }
    const bool both = i < target.size() && target[i].column == row[k].column;
    const double before = both ? target[i].value : 0, taken = factor * row[k].value, after = before - taken;
    const bool is_rest = std::abs(after) <= kRounding * (std::abs(before) + std::abs(taken));
    if (row[k].column != column && !is_rest) {
      merged_.push_back({row[k].column, after});
      if (!both) holders_[row[k].column].push_back(from);
    }
    ++k;
    if (both) ++i;
  }
  target = merged_;
}

bool Elimination::improve() {
  bool again = true;
  for (int pass = 0; pass < kMostPasses && again; ++pass) {
    again = false;
    for (std::uint32_t i = 0; i < rows_.size(); ++i) {
      const Entry* best = best_of(i, nullptr);
      const double own = weights_[pivots_[i]];
      if (std::abs(best->value) * weights_[best->column] <= kWorthwhile * own) continue;
      eliminate(i, best->column, false);
      again = true;
    }
  }
  return true;
}

std::vector<std::uint8_t> Elimination::chosen() const {
  std::vector<std::uint8_t> result(weights_.size(), 0);
  for (const std::uint32_t column : pivots_) {
    if (column != kNone) result[column] = 1;
  }
  return result;
}

double Elimination::worst() const {
  double result = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (pivots_[i] == kNone) continue;
    for (const Entry& entry : rows_[i]) {
      if (entry.column == pivots_[i]) continue;
      result = std::max(result, std::abs(entry.value) * weights_[entry.column] / weights_[pivots_[i]]);
    }
  }
  return result;
}

}  // namespace hyla::solve
