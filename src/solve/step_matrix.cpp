#include "solve/step_matrix.h"

#include <algorithm>

namespace hyla::solve {

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
  const Pattern all = with_diagonal(pattern);
  factorisation_ = make_factorisation(all, best_kind(all));
  places_.clear();
  diagonal_.clear();
  for (std::size_t column = 0; column < pattern.size; ++column) {
    for (auto at = static_cast<std::size_t>(pattern.starts[column]);
         at < static_cast<std::size_t>(pattern.starts[column + 1]); ++at) {
      const auto row = static_cast<std::size_t>(pattern.rows[at]);
      places_.push_back(static_cast<std::uint32_t>(factorisation_->place(row, column)));
    }
    if (differential(column)) {
      diagonal_.push_back(static_cast<std::uint32_t>(factorisation_->place(column, column)));
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
