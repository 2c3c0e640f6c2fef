#include "solve/sparse_matrix.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace hyla::solve {

namespace {

/// Reciprocal growth of the pivots below which old pivots are given up.
constexpr double kLeastGrowth = 1e-6;

}  // namespace

SparseMatrix::SparseMatrix(const Pattern& pattern) : pattern_(pattern), values_(pattern.entries()) {
  klu_defaults(&common_);
  symbolic_ = klu_analyze(static_cast<int>(pattern_.size), pattern_.starts.data(), pattern_.rows.data(), &common_);
}

SparseMatrix::~SparseMatrix() {
  klu_free_numeric(&numeric_, &common_);
  klu_free_symbolic(&symbolic_, &common_);
}

std::size_t SparseMatrix::place(std::size_t row, std::size_t column) const {
  const auto begin = pattern_.rows.begin() + pattern_.starts[column];
  const auto end = pattern_.rows.begin() + pattern_.starts[column + 1];
  const auto found = std::lower_bound(begin, end, static_cast<std::int32_t>(row));
  HYLA_CHECK(found != end && *found == static_cast<std::int32_t>(row), "the entry is in the pattern");
  return static_cast<std::size_t>(found - pattern_.rows.begin());
}

double* SparseMatrix::clear() {
  std::fill(values_.begin(), values_.end(), 0.0);
  return values_.data();
}

bool SparseMatrix::factorise() {
  if (symbolic_ == nullptr) return false;  // No choice of pivots can make a matrix of this pattern regular.
  if (numeric_ != nullptr && factorise_with_old_pivots()) return true;
  return factorise_anew();
}

bool SparseMatrix::factorise_anew() {
  if (symbolic_ == nullptr) return false;
  pivoted_ = values_;
  choose_pivots();
  return numeric_ != nullptr && common_.status == KLU_OK;
}

void SparseMatrix::choose_pivots() {
  klu_free_numeric(&numeric_, &common_);
  numeric_ = klu_factor(pattern_.starts.data(), pattern_.rows.data(), pivoted_.data(), symbolic_, &common_);
}

void SparseMatrix::transfer(base::Archive& archive) {
  archive(pivoted_);
  archive.expect(pivoted_.empty() || pivoted_.size() == values_.size());
  if (!archive.is_writing() && !archive.failed() && !pivoted_.empty() && symbolic_ != nullptr) choose_pivots();
}

bool SparseMatrix::factorise_with_old_pivots() {
  int* starts = pattern_.starts.data();
  int* rows = pattern_.rows.data();
  return klu_refactor(starts, rows, values_.data(), symbolic_, numeric_, &common_) != 0 && common_.status == KLU_OK &&
         klu_rgrowth(starts, rows, values_.data(), symbolic_, numeric_, &common_) != 0 &&
         common_.rgrowth >= kLeastGrowth;
}

SparseMatrix::Pivot SparseMatrix::weakest_pivot() const {
  if (symbolic_ == nullptr || numeric_ == nullptr || common_.status != KLU_OK) {
    const bool is_known = common_.status == KLU_SINGULAR && common_.singular_col >= 0;
    return {is_known ? static_cast<std::size_t>(common_.singular_col) : 0, 0};
  }
  std::vector<double> units(pattern_.size, 1.0);
  for (std::size_t k = 0; k < pattern_.size && numeric_->Rs != nullptr; ++k) {
    units[static_cast<std::size_t>(numeric_->Pnum[k])] = numeric_->Rs[k];
  }
  const auto* pivots = static_cast<const double*>(numeric_->Udiag);
  Pivot weakest{0, std::numeric_limits<double>::infinity()};
  for (std::size_t k = 0; k < pattern_.size; ++k) {
    const auto column = static_cast<std::size_t>(symbolic_->Q[k]);
    double largest = 0;
    for (auto i = static_cast<std::size_t>(pattern_.starts[column]);
         i < static_cast<std::size_t>(pattern_.starts[column + 1]); ++i) {
      largest = std::max(largest, std::fabs(values_[i]) / units[static_cast<std::size_t>(pattern_.rows[i])]);
    }
    const double size = std::fabs(pivots[k]) / largest;
    if (!(size >= weakest.size)) weakest = {column, size};
  }
  return weakest;
}

void SparseMatrix::solve(double* b) const {
  klu_solve(symbolic_, numeric_, static_cast<int>(pattern_.size), 1, b, &common_);
}

}  // namespace hyla::solve
