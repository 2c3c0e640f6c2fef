// The matrix M / (gamma h) - J of an implicit step, in the form that suits its pattern.
//
// Variables come in the order of the model's text, which can hide a narrow band: two arrays of cells, one behind the
// other. If the order of Cuthill and McKee (1969), reversed, makes the band narrower, the matrix is kept in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "solve/factorisation.h"

namespace hyla::solve {

class StepMatrix {
 public:
  /// For a system with this pattern of J. Costs little if it is the pattern of before.
  void analyse(const Pattern& pattern, const std::uint8_t* algebraic);
  /// The matrix with the entries of J and `shift` on the diagonal of differential variables. False: it is singular.
  bool factorise(const double* jacobian, double shift);
  void solve(double* b);
  /// Keeps, or takes up, what depends on the matrices so far: pivots are used again. After analyse().
  void transfer(base::Archive& archive) {
    if (factorisation_) factorisation_->transfer(archive);
  }

 private:
  bool known(const Pattern& pattern, const std::uint8_t* algebraic) const;
  void choose_order(const Pattern& all);
  std::size_t placed(std::size_t i) const { return order_.empty() ? i : order_[i]; }
  /// The pattern of J and the diagonal of M.
  Pattern with_diagonal(const Pattern& pattern) const;
  bool differential(std::size_t i) const { return algebraic_.empty() || algebraic_[i] == 0; }

  Pattern pattern_;
  std::vector<std::uint8_t> algebraic_;  // empty: no variable is
  std::unique_ptr<Factorisation> factorisation_;
  std::vector<std::uint32_t> order_;      // by variable: its place in the matrix; empty: its own
  std::vector<std::uint32_t> variables_;  // by place in the matrix, if there is an order
  std::vector<double> work_;              // a right side in that order
  std::vector<std::uint32_t> places_;     // of the entries of J
  std::vector<std::uint32_t> diagonal_;   // places of the diagonal of differential variables
};

}  // namespace hyla::solve
