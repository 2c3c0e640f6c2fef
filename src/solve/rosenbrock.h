// A linearly implicit method for stiff systems and for algebraic variables of index 1.
//
// Rodas5P (Steinebach 2023) has order 5, also for index-1 equations, is stiffly accurate, and has an error estimate and
// an interpolant of order 4. It solves one linear system per stage, all with the same matrix (Hairer, Wanner II,
// section IV.7):
//
//     (M / (gamma h) - J) u_i = f(t + c_i h, y + sum_j a_ij u_j) + M sum_j C_ij / h u_j + h d_i df/dt
//
// The new state is the argument of the last stage plus the last u, which is the error estimate at the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "solve/one_step.h"
#include "solve/step_matrix.h"

namespace hyla::solve {

class Rosenbrock final : public OneStep {
 public:
  Method method() const override { return Method::Rosenbrock; }
  int degree() const override { return 4; }
  bool transfer(base::Archive& archive) override {
    OneStep::transfer(archive);
    archive(jacobian_, prepared_);
    archive.expect(has_present_pattern());
    matrix_.transfer(archive);
    return true;
  }

  /// Whether it was started since the pattern of its system has changed.
  bool has_present_pattern() const { return jacobian_.size() == system().pattern().entries(); }

  /// One step of the power method with the Jacobian at the begin of the last step: replaces v by J v and normalises it.
  /// Returns by how much v has grown, an estimate of the dominant eigenvalue's size.
  double iterate_spectral_radius(double* v);

 protected:
  std::size_t vectors() const override;
  int error_power() const override { return 5; }
  void begin_system(bool resized) override;
  Attempt prepare() override;
  const double* slope() const override { return memory(); }
  double* spare() override { return scratch(); }
  Attempt attempt(double h, double t) override;
  void advance(bool was_cut) override;
  void make_interpolant(double* r) const override;
  double error_of(std::size_t i) const override;

 private:
  /// What the stages of a step are made of. As a local variable it stays in registers across evaluations.
  struct Frame {
    const double* y;
    double* stages[8];  ///< u_1, u_2, ...
    double begin, h, end;
    System* system;
    const std::uint8_t* algebraic;
  };

  /// The whole attempt, after the matrix has been factorised, for a system of kSize variables; 0: any number.
  template <int kSize>
  Attempt attempt_sized(double h, double t);
  template <int kSize, int... rows>
  Evaluation solve_stages(const Frame& frame, std::integer_sequence<int, rows...> indices);
  template <int kSize, int row>
  Evaluation solve_stage(const Frame& frame, double* argument);
  template <int kSize>
  double error_norm() const;
  bool jacobian_is_number() const;

  double* time_derivative() const { return memory() + size(); }
  double* scratch() const { return memory() + 2 * size(); }
  double* stage(int j) const { return memory() + static_cast<std::size_t>(j + 3) * size(); }

  StepMatrix matrix_;
  const std::uint8_t* algebraic_ = nullptr;  // the system's
  std::vector<double> jacobian_;             // in the order of the system's pattern
  bool prepared_ = false;                    // the slope and the Jacobian are those of begin
};

}  // namespace hyla::solve
