// The matrix M / (gamma h) - J of an implicit step, in the form that suits its pattern.
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
  void solve(double* b) const { factorisation_->solve(b); }

 private:
  bool known(const Pattern& pattern, const std::uint8_t* algebraic) const;
  /// The pattern of J and the diagonal of M.
  Pattern with_diagonal(const Pattern& pattern) const;
  bool differential(std::size_t i) const { return algebraic_.empty() || algebraic_[i] == 0; }

  Pattern pattern_;
  std::vector<std::uint8_t> algebraic_;  // empty: no variable is
  std::unique_ptr<Factorisation> factorisation_;
  std::vector<std::uint32_t> places_;    // of the entries of J
  std::vector<std::uint32_t> diagonal_;  // places of the diagonal of differential variables
};

}  // namespace hyla::solve
