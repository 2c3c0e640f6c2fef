// Explicit Runge-Kutta pairs with an interpolant.
//
// A tableau says how the stages follow from each other:
//
//     k_1 = f(t, y),  k_i = f(t + c_i h, y + h sum_j a_ij k_j)
//
// The last row of a is that of the new state, so that the last stage is the first of the next step. Zeros of the
// tableau cost nothing: sums are written out when the template is compiled, for the sizes 1 to 3 without loops.
#pragma once

#include <cstddef>
#include <utility>

#include "solve/explicit_tableaus.h"
#include "solve/one_step.h"

namespace hyla::solve {

template <class Tableau>
class ExplicitPair : public OneStep {
 public:
  Method method() const override { return Tableau::kMethod; }
  int degree() const override { return Tableau::kDegree; }
  bool transfer(base::Archive& archive) override {
    OneStep::transfer(archive);
    archive(tried_, first_known_);
    transfer_order(archive, memory(), first_, last_);
    return true;
  }

 protected:
  std::size_t vectors() const override { return kAllStages; }
  int error_power() const override { return Tableau::kErrorPower; }
  void begin_system(bool resized) override;
  Attempt prepare() override;
  const double* slope() const override { return first_; }
  double* spare() override { return last_; }
  Attempt attempt(double h, double t) override;
  void advance(bool was_cut) override;
  void make_interpolant(double* r) const override;
  double error_of(std::size_t i) const override;

  /// Step size times the size of the dominant eigenvalue, from the last step's two evaluations at its end (Hairer,
  /// Wanner II, section IV.2). Above about 3 the step is limited by stability.
  double stiffness() const;

 private:
  static constexpr int kStages = Tableau::kStages;
  static constexpr int kAllStages = kStages + Tableau::kExtraStages;

  /// What the stages of a step are made of. As a local variable it stays in registers across evaluations.
  struct Frame {
    const double* y;
    double* stages[kAllStages];  ///< k_1, k_2, ...
    double begin, h, end;
    System* system;
  };
  Frame frame(std::size_t n, double h, double t) const;

  /// The whole attempt for a system of kSize variables; 0: any number.
  template <int kSize>
  Attempt attempt_sized(double h, double t);
  template <int kSize, int... rows>
  Evaluation evaluate_stages(const Frame& frame, double* z, std::integer_sequence<int, rows...> indices) const;
  template <int kSize, int row>
  Evaluation evaluate_stage(const Frame& frame, double* z) const;
  template <int kSize>
  double error_norm(const Frame& frame) const;
  template <int... extra>
  bool evaluate_extra_stages(double* z, std::integer_sequence<int, extra...> rows) const;
  template <int kSize>
  void make_hermite(double* r) const;
  template <int kSize, int... rows>
  void make_higher_terms(double* r, std::integer_sequence<int, rows...> indices) const;

  double *first_ = nullptr, *last_ = nullptr;  // k_1 and the last one: they change places from step to step
  double tried_ = 0;                           ///< size of the last attempt
  bool first_known_ = false;
};

extern template class ExplicitPair<Tsitouras5>;
extern template class ExplicitPair<DormandPrince8>;
using Rk45 = ExplicitPair<Tsitouras5>;
using Rk8 = ExplicitPair<DormandPrince8>;

}  // namespace hyla::solve
