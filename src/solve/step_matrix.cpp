#include "solve/step_matrix.h"

#include <algorithm>

namespace hyla::solve {
namespace {

constexpr std::size_t kFewVariables = 32;  ///< are not worth another order

std::size_t width_of(const Pattern& pattern, const std::vector<std::uint32_t>& order) {
  std::size_t width = 0;
  for (std::size_t column = 0; column < pattern.size; ++column) {
    for (auto at = pattern.starts[column]; at < pattern.starts[column + 1]; ++at) {
      const auto row = static_cast<std::size_t>(pattern.rows[static_cast<std::size_t>(at)]);
      const std::size_t a = order.empty() ? row : order[row], b = order.empty() ? column : order[column];
      width = std::max(width, a > b ? a - b : b - a);
    }
  }
  return width;
}

/// Variables one after the other from a corner, neighbours with few neighbours first; then all of it backwards.
std::vector<std::uint32_t> reverse_cuthill_mckee(const Pattern& pattern) {
  std::vector<std::vector<std::uint32_t>> neighbours(pattern.size);
  for (std::uint32_t column = 0; column < pattern.size; ++column) {
    for (auto at = pattern.starts[column]; at < pattern.starts[column + 1]; ++at) {
      const auto row = static_cast<std::uint32_t>(pattern.rows[static_cast<std::size_t>(at)]);
      if (row == column) continue;
      neighbours[column].push_back(row);
      neighbours[row].push_back(column);
    }
  }
  for (std::vector<std::uint32_t>& list : neighbours) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  const auto fewer = [&](std::uint32_t a, std::uint32_t b) {
    return neighbours[a].size() != neighbours[b].size() ? neighbours[a].size() < neighbours[b].size() : a < b;
  };
  std::vector<std::uint32_t> starts(pattern.size), sequence;
  for (std::uint32_t i = 0; i < starts.size(); ++i) starts[i] = i;
  std::sort(starts.begin(), starts.end(), fewer);
  std::vector<bool> seen(pattern.size);
  for (const std::uint32_t start : starts) {
    if (seen[start]) continue;
    seen[start] = true;
    sequence.push_back(start);
    for (std::size_t next = sequence.size() - 1; next < sequence.size(); ++next) {
      const auto first = static_cast<std::ptrdiff_t>(sequence.size());
      for (const std::uint32_t other : neighbours[sequence[next]]) {
        if (seen[other]) continue;
        seen[other] = true;
        sequence.push_back(other);
      }
      std::sort(sequence.begin() + first, sequence.end(), fewer);
    }
  }
  std::vector<std::uint32_t> order(pattern.size);
  for (std::uint32_t i = 0; i < sequence.size(); ++i) {
    order[sequence[i]] = static_cast<std::uint32_t>(sequence.size()) - 1 - i;
  }
  return order;
}

Pattern in_order(const Pattern& pattern, const std::vector<std::uint32_t>& order) {
  std::vector<std::vector<std::int32_t>> columns(pattern.size);
  for (std::size_t column = 0; column < pattern.size; ++column) {
    for (auto at = pattern.starts[column]; at < pattern.starts[column + 1]; ++at) {
      const auto row = static_cast<std::size_t>(pattern.rows[static_cast<std::size_t>(at)]);
      columns[order[column]].push_back(static_cast<std::int32_t>(order[row]));
    }
  }
  Pattern result{.size = pattern.size, .starts = {0}, .rows = {}};
  for (std::vector<std::int32_t>& column : columns) {
    std::sort(column.begin(), column.end());
    result.rows.insert(result.rows.end(), column.begin(), column.end());
    result.starts.push_back(static_cast<std::int32_t>(result.rows.size()));
  }
  return result;
}

}  // namespace

void StepMatrix::choose_order(const Pattern& all) {
  order_.clear();
  if (all.size < kFewVariables) return;
  std::vector<std::uint32_t> order = reverse_cuthill_mckee(all);
  if (width_of(all, order) < width_of(all, {})) order_ = std::move(order);
  work_.resize(order_.size());
  variables_.resize(order_.size());
  for (std::uint32_t i = 0; i < order_.size(); ++i) variables_[order_[i]] = i;
}

void StepMatrix::solve(double* b) {
  if (order_.empty()) return factorisation_->solve(b);
  factorisation_->solve_in_order(b, variables_.data(), variables_.size(), work_.data());
}

bool StepMatrix::known(const Pattern& pattern, const std::uint8_t* algebraic) const {
  if (factorisation_ == nullptr || pattern.size != pattern_.size || pattern.starts != pattern_.starts ||
      pattern.rows != pattern_.rows) {
    return false;
  }
  if (algebraic == nullptr) return algebraic_.empty();
  return !algebraic_.empty() && std::equal(algebraic_.begin(), algebraic_.end(), algebraic);
}

void StepMatrix::analyse(const Pattern& pattern, const std::uint8_t* algebraic) {
  if (known(pattern, algebraic)) return;
  pattern_ = pattern;
  algebraic_.assign(algebraic, algebraic == nullptr ? nullptr : algebraic + pattern.size);
  Pattern all = with_diagonal(pattern);
  choose_order(all);
  if (!order_.empty()) all = in_order(all, order_);
  factorisation_ = make_factorisation(all, best_kind(all));
  places_.clear();
  diagonal_.clear();
  for (std::size_t column = 0; column < pattern.size; ++column) {
    for (auto at = static_cast<std::size_t>(pattern.starts[column]);
         at < static_cast<std::size_t>(pattern.starts[column + 1]); ++at) {
      const auto row = static_cast<std::size_t>(pattern.rows[at]);
      places_.push_back(static_cast<std::uint32_t>(factorisation_->place(placed(row), placed(column))));
    }
    if (differential(column)) {
      diagonal_.push_back(static_cast<std::uint32_t>(factorisation_->place(placed(column), placed(column))));
    }
  }
}

Pattern StepMatrix::with_diagonal(const Pattern& pattern) const {
  Pattern all{.size = pattern.size, .starts = {0}, .rows = {}};
  for (std::size_t column = 0; column < pattern.size; ++column) {
    const auto begin = pattern.rows.begin() + pattern.starts[column];
    const auto end = pattern.rows.begin() + pattern.starts[column + 1];
    const auto diagonal = static_cast<std::int32_t>(column);
    const auto after = std::lower_bound(begin, end, diagonal);
    all.rows.insert(all.rows.end(), begin, after);
    if (differential(column) && (after == end || *after != diagonal)) all.rows.push_back(diagonal);
    all.rows.insert(all.rows.end(), after, end);
    all.starts.push_back(static_cast<std::int32_t>(all.rows.size()));
  }
  return all;
}

bool StepMatrix::factorise(const double* jacobian, double shift) {
  double* values = factorisation_->clear();
  for (std::size_t at = 0; at < places_.size(); ++at) values[places_[at]] = -jacobian[at];
  for (const std::uint32_t at : diagonal_) values[at] += shift;
  return factorisation_->factorise();
}

}  // namespace hyla::solve
