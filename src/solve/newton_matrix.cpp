#include "solve/newton_matrix.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "solve/nonlinear.h"
#include "solve/sparse_matrix.h"

namespace hyla::solve {

namespace {

/// A pivot below this part of its row and column is rounding error.
constexpr double kSingular = 1e-14;

}  // namespace

struct NewtonMatrix::Known {
  explicit Known(const Pattern& pattern) : matrix(pattern), entries(pattern.entries()) {}
  SparseMatrix matrix;
  std::vector<double> entries;  ///< of the last factorisation
  bool is_factorised = false;
  bool has_own_pivots = false;  ///< they were chosen for these entries
  bool is_first = true;         ///< the next matrix is the first one of a search
};

NewtonMatrix::NewtonMatrix() = default;
NewtonMatrix::~NewtonMatrix() = default;

void NewtonMatrix::solve(double* b) const { present_->matrix.solve(b); }

void NewtonMatrix::begin(const Pattern& pattern) {
  std::unique_ptr<Known>& known = known_[&pattern];
  if (known == nullptr) known = std::make_unique<Known>(pattern);
  present_ = known.get();
  present_->is_first = true;
}

bool NewtonMatrix::linearise(Residuals& residuals, const double* x, std::size_t& blamed) {
  Known& known = *present_;
  double* const entries = known.matrix.clear();
  const std::size_t count = known.entries.size();
  if (residuals.jacobian(x, entries) != Evaluation::Good) return false;
  if (!std::all_of(entries, entries + count, [](double entry) { return std::isfinite(entry); })) return false;
  const bool is_usable = known.is_factorised && (!known.is_first || known.has_own_pivots);
  const bool is_first = std::exchange(known.is_first, false);
  if (is_usable && std::equal(entries, entries + count, known.entries.begin())) return true;
  std::copy_n(entries, count, known.entries.begin());
  known.has_own_pivots = is_first;
  known.is_factorised = is_first ? known.matrix.factorise_anew() : known.matrix.factorise();
  const SparseMatrix::Pivot weakest = known.matrix.weakest_pivot();
  if (known.is_factorised && weakest.size > kSingular) return true;
  known.is_factorised = false;
  blamed = weakest.column;
  return false;
}

}  // namespace hyla::solve
