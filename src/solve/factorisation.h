// Square matrices that are factorised once and then solved with several times: dense, banded or sparse.
//
// Whoever fills the matrix asks once for the places of its entries, then writes into values() and factorises, again and
// again. Entries outside the pattern are zero and stay so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/archive.h"
#include "solve/system.h"

namespace hyla::solve {

class Factorisation {
 public:
  virtual ~Factorisation() = default;

  /// Where in values() the entry is. It must be in the pattern.
  virtual std::size_t place(std::size_t row, std::size_t column) const = 0;
  /// All zero, for the entries of the next matrix.
  virtual double* clear() = 0;
  /// False: the matrix is singular, or has entries that are no numbers. Destroys the values.
  virtual bool factorise() = 0;
  /// Replaces b by the solution of A x = b.
  virtual void solve(double* b) const = 0;
  /// Keeps, or takes up, what later factorisations depend on beside their values.
  virtual void transfer(base::Archive& /*archive*/) {}
  /// The same with the elements of b in another order: b[variables[k]] belongs to row k. `work` has as many places.
  virtual void solve_in_order(double* b, const std::uint32_t* variables, std::size_t size, double* work) const;
};

enum class MatrixKind : std::uint8_t { Dense, Banded, Sparse };

/// The kind that needs the least work for the pattern.
MatrixKind best_kind(const Pattern& pattern);
std::unique_ptr<Factorisation> make_factorisation(const Pattern& pattern, MatrixKind kind);

}  // namespace hyla::solve
