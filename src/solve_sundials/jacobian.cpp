#include "solve_sundials/jacobian.h"

#include <algorithm>

#include <sunlinsol/sunlinsol_band.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_band.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include "base/check.h"

namespace hyla::solve_sundials {

using solve::MatrixKind;

namespace {

struct Width {
  std::int64_t below = 0, above = 0;
};

Width width_of(const solve::Pattern& pattern) {
  Width width;
  for (std::size_t column = 0; column < pattern.size; ++column) {
    for (auto k = pattern.starts[column]; k < pattern.starts[column + 1]; ++k) {
      const std::int64_t distance = pattern.rows[static_cast<std::size_t>(k)] - static_cast<std::int64_t>(column);
      width.below = std::max(width.below, distance);
      width.above = std::max(width.above, -distance);
    }
  }
  return width;
}

}  // namespace

void JacobianMatrix::prepare(const solve::Pattern& pattern, N_Vector model, const Context& context) {
  kind_ = solve::best_kind(pattern);
  size_ = pattern.size;
  const auto size = static_cast<sunindextype>(size_);
  const Width width = width_of(pattern);
  below_ = width.below;
  above_ = width.above;
  entries_.assign(pattern.entries(), 0);
  rows_ = pattern.rows;
  solver_.reset();
  switch (kind_) {
    case MatrixKind::Dense:
      matrix_.reset(SUNDenseMatrix(size, size, context.get()));
      place_entries(pattern);
      solver_.reset(SUNLinSol_Dense(model, matrix_.get(), context.get()));
      break;
    case MatrixKind::Banded:
      matrix_.reset(SUNBandMatrix(size, above_, below_, context.get()));
      place_entries(pattern);
      solver_.reset(SUNLinSol_Band(model, matrix_.get(), context.get()));
      break;
    case MatrixKind::Sparse:
      place_sparse(pattern);
      matrix_.reset(SUNSparseMatrix(size, size, starts_.back(), CSC_MAT, context.get()));
      solver_.reset(SUNLinSol_KLU(model, matrix_.get(), context.get()));
      break;
  }
  HYLA_CHECK(matrix_ != nullptr && solver_ != nullptr, "SUNDIALS makes a matrix and its solver");
}

/// Dense and band matrices are columns of equal length: row i of column j is at j * stride + offset + i, for a band
/// minus j.
void JacobianMatrix::place_entries(const solve::Pattern& pattern) {
  const bool band = kind_ == MatrixKind::Banded;
  const std::size_t stride = band ? static_cast<std::size_t>(SM_LDIM_B(matrix_.get())) : size_;
  const std::size_t offset = band ? static_cast<std::size_t>(SM_SUBAND_B(matrix_.get())) : 0;
  const auto position = [&](std::size_t row, std::size_t column) {
    return column * stride + offset + row - (band ? column : 0);
  };
  positions_.clear();
  diagonal_.clear();
  for (std::size_t column = 0; column < size_; ++column) {
    diagonal_.push_back(position(column, column));
    for (auto k = pattern.starts[column]; k < pattern.starts[column + 1]; ++k) {
      positions_.push_back(position(static_cast<std::size_t>(pattern.rows[static_cast<std::size_t>(k)]), column));
    }
  }
}

/// SUNDIALS adds multiples of the identity; a diagonal with gaps would make it build a new matrix each time.
void JacobianMatrix::place_sparse(const solve::Pattern& pattern) {
  positions_.clear();
  diagonal_.clear();
  starts_.assign(1, 0);
  sparse_rows_.clear();
  for (std::size_t column = 0; column < size_; ++column) {
    const auto own = static_cast<std::int32_t>(column);
    bool placed = false;
    const auto place_diagonal = [&] {
      placed = true;
      diagonal_.push_back(sparse_rows_.size());
    };
    for (auto k = pattern.starts[column]; k < pattern.starts[column + 1]; ++k) {
      const std::int32_t row = pattern.rows[static_cast<std::size_t>(k)];
      if (row > own && !placed) {
        place_diagonal();
        sparse_rows_.push_back(own);
      }
      if (row == own) place_diagonal();
      positions_.push_back(sparse_rows_.size());
      sparse_rows_.push_back(row);
    }
    if (!placed) {
      place_diagonal();
      sparse_rows_.push_back(own);
    }
    starts_.push_back(static_cast<sunindextype>(sparse_rows_.size()));
  }
}

/// Sets all entries to zero and returns their memory. SUNDIALS clears patterns too, so they are written each time.
double* JacobianMatrix::clear(SUNMatrix matrix) const {
  SUNMatZero(matrix);
  switch (kind_) {
    case MatrixKind::Dense:
      return SM_DATA_D(matrix);
    case MatrixKind::Banded:
      return SM_DATA_B(matrix);
    case MatrixKind::Sparse:
      break;
  }
  std::copy(starts_.begin(), starts_.end(), SM_INDEXPTRS_S(matrix));
  std::copy(sparse_rows_.begin(), sparse_rows_.end(), SM_INDEXVALS_S(matrix));
  return SM_DATA_S(matrix);
}

void JacobianMatrix::fill(SUNMatrix matrix, double factor) const {
  double* data = clear(matrix);
  for (std::size_t k = 0; k < entries_.size(); ++k) data[positions_[k]] = factor * entries_[k];
}

void JacobianMatrix::fill_rows(SUNMatrix matrix, const double* factors, const double* diagonal) const {
  double* data = clear(matrix);
  for (std::size_t k = 0; k < entries_.size(); ++k) data[positions_[k]] = factors[rows_[k]] * entries_[k];
  for (std::size_t i = 0; i < size_; ++i) data[diagonal_[i]] += diagonal[i];
}

}  // namespace hyla::solve_sundials
