#include "solve/newton_matrix.h"

#include <algorithm>
#include <cmath>
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
};

NewtonMatrix::NewtonMatrix() = default;
NewtonMatrix::~NewtonMatrix() = default;

void NewtonMatrix::solve(double* b) const { present_->matrix.solve(b); }

void NewtonMatrix::choose(const Pattern& pattern) {
  std::unique_ptr<Known>& known = known_[&pattern];
  if (known == nullptr) known = std::make_unique<Known>(pattern);
  present_ = known.get();
}

bool NewtonMatrix::linearise(Residuals& residuals, const double* x, std::size_t& blamed) {
  double* const entries = present_->matrix.clear();
  const std::size_t count = present_->entries.size();
  if (residuals.jacobian(x, entries) != Evaluation::Good) return false;
  if (!std::all_of(entries, entries + count, [](double entry) { return std::isfinite(entry); })) return false;
  if (present_->is_factorised && std::equal(entries, entries + count, present_->entries.begin())) return true;
  std::copy_n(entries, count, present_->entries.begin());
  present_->is_factorised = present_->matrix.factorise();
  const SparseMatrix::Pivot weakest = present_->matrix.weakest_pivot();
  if (present_->is_factorised && weakest.size > kSingular) return true;
  present_->is_factorised = false;
  blamed = weakest.column;
  return false;
}

}  // namespace hyla::solve
