#include "structure/dependencies.h"

#include <algorithm>
#include <queue>
#include <utility>

#include "structure/structure.h"

namespace hyla::structure {
namespace {

using Entry = ResidueMatrix::Entry;
using Row = std::vector<Entry>;

class Eliminator {
 public:
  explicit Eliminator(ResidueMatrix matrix)
      : rows_(std::move(matrix.rows)), is_done_(rows_.size(), 0), holders_(matrix.columns), counts_(matrix.columns, 0) {
    for (std::uint32_t i = 0; i < rows_.size(); ++i) {
      Row& row = rows_[i];
      row.erase(std::remove_if(row.begin(), row.end(), [](const Entry& entry) { return entry.value.is_zero(); }),
                row.end());
      std::sort(row.begin(), row.end(), [](const Entry& a, const Entry& b) { return a.column < b.column; });
      for (const Entry& entry : row) {
        holders_[entry.column].push_back(i);
        ++counts_[entry.column];
      }
      by_length_.emplace(row.size(), i);
    }
    for (std::uint32_t column = 0; column < counts_.size(); ++column) {
      if (counts_[column] == 1) single_.push_back(column);
    }
  }

  std::vector<Dependency> find() {
    for (;;) {
      take_singles();
      const std::uint32_t row = shortest();
      if (row == kNothing) break;
      if (rows_[row].empty()) {
        is_done_[row] = 1;
        dependent_.push_back(row);
      } else {
        eliminate(row, rarest(rows_[row]));
      }
    }
    std::sort(dependent_.begin(), dependent_.end());
    std::vector<Dependency> result;
    for (const std::uint32_t row : dependent_) result.push_back(explain(row));
    return result;
  }

 private:
  struct Step {
    std::uint32_t target = 0, source = 0;
    Residue factor;  ///< the target became the target minus this times the source
  };

  /// A column in one row alone: no sum with this row can vanish.
  void take_singles() {
    while (!single_.empty()) {
      const std::uint32_t column = single_.back();
      single_.pop_back();
      if (counts_[column] != 1) continue;
      for (const std::uint32_t row : holders_[column]) {
        if (is_done_[row] == 0 && find_in(row, column) != nullptr) finish(row);
      }
    }
  }

  std::uint32_t shortest() {
    while (!by_length_.empty()) {
      const auto [length, row] = by_length_.top();
      by_length_.pop();
      if (is_done_[row] == 0 && rows_[row].size() == length) return row;
    }
    return kNothing;
  }

  std::uint32_t rarest(const Row& row) const {
    const auto best = std::min_element(
        row.begin(), row.end(), [&](const Entry& a, const Entry& b) { return counts_[a.column] < counts_[b.column]; });
    return best->column;
  }

  const Entry* find_in(std::uint32_t row, std::uint32_t column) const {
    const auto found = std::lower_bound(rows_[row].begin(), rows_[row].end(), column,
                                        [](const Entry& entry, std::uint32_t c) { return entry.column < c; });
    return found != rows_[row].end() && found->column == column ? &*found : nullptr;
  }

  void finish(std::uint32_t row) {
    is_done_[row] = 1;
    for (const Entry& entry : rows_[row]) drop(entry.column);
  }

  void drop(std::uint32_t column) {
    if (--counts_[column] == 1) single_.push_back(column);
  }

  void eliminate(std::uint32_t row, std::uint32_t column) {
    const Residue inverse = Residue::of(1) / find_in(row, column)->value;
    finish(row);
    const std::vector<std::uint32_t> holders = std::move(holders_[column]);
    holders_[column].clear();
    for (const std::uint32_t other : holders) {
      const Entry* entry = is_done_[other] == 0 ? find_in(other, column) : nullptr;
      if (entry != nullptr) subtract(other, row, entry->value * inverse);
    }
  }

  void subtract(std::uint32_t target, std::uint32_t source, Residue factor) {
    steps_.push_back({target, source, factor});
    merged_.clear();
    const Row &own = rows_[target], &other = rows_[source];
    std::size_t i = 0, k = 0;
    while (i < own.size() || k < other.size()) {
      if (k == other.size() || (i < own.size() && own[i].column < other[k].column)) {
        merged_.push_back(own[i++]);
        continue;
      }
      const std::uint32_t column = other[k].column;
      const bool both = i < own.size() && own[i].column == column;
      const Residue after = (both ? own[i].value : Residue()) - factor * other[k].value;
      if (!after.is_zero()) merged_.push_back({column, after});
      if (!both) {
        holders_[column].push_back(target);
        ++counts_[column];
      } else if (after.is_zero()) {
        drop(column);
      }
      i += both ? 1 : 0;
      ++k;
    }
    rows_[target] = merged_;
    by_length_.emplace(merged_.size(), target);
  }

  /// What a row that has vanished consists of: the steps backwards.
  Dependency explain(std::uint32_t row) const {
    std::vector<Residue> shares(rows_.size());
    shares[row] = Residue::of(1);
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
      if (shares[step->target].is_zero()) continue;
      shares[step->source] = shares[step->source] - step->factor * shares[step->target];
    }
    Dependency result{row, {}};
    for (std::uint32_t i = 0; i < shares.size(); ++i) {
      if (i != row && !shares[i].is_zero()) result.others.push_back(i);
    }
    return result;
  }

  using Length = std::pair<std::size_t, std::uint32_t>;  ///< of a row, when it was noted
  std::vector<Row> rows_;
  std::vector<std::uint8_t> is_done_;
  std::vector<std::vector<std::uint32_t>> holders_;  ///< by column: rows that may contain it
  std::vector<std::uint32_t> counts_;                ///< by column: rows that contain it and are not done
  std::vector<std::uint32_t> single_;                ///< columns that were in one row, when it was noted
  std::priority_queue<Length, std::vector<Length>, std::greater<>> by_length_;
  std::vector<Step> steps_;
  std::vector<std::uint32_t> dependent_;
  Row merged_;
};

}  // namespace

std::vector<Dependency> dependencies(ResidueMatrix matrix) { return Eliminator(std::move(matrix)).find(); }

}  // namespace hyla::structure
