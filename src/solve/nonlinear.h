// Solves R(x) = 0 for the unknowns of a loop: Newton with exact Jacobian, then damped, then by homotopy from the last
// known solution.
//
//     plain      full steps, given up as soon as they grow; near the solution the last factorisation is used again
//     damped     steps shortened until the next one, by the same factorisation, is shorter too: natural monotonicity
//                (Deuflhard 2004), which does not depend on how the equations are scaled; where the matrix is too
//                close to singular for that, turned towards the steepest descent (Levenberg and Marquardt)
//     homotopy   the curve R(x) = (1 - s) R(x0) is followed from s = 0 to s = 1 by its arc length, so that it may turn
//
// Large systems are sparse (newton_matrix.h); descent and homotopy are left to small ones.
//
// Unknowns are counted in units of |x| + nominal, equations in units of their largest coefficient. A start at which the
// matrix is singular, or the equations undefined, is moved a little before that is called a failure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "solve/newton_matrix.h"
#include "solve/system.h"

namespace hyla::solve {

class Residuals {
 public:
  virtual ~Residuals() = default;
  virtual std::size_t size() const = 0;
  virtual Evaluation evaluate(const double* x, double* residuals) = 0;
  /// Of a large system: where the Jacobian can differ from zero. Null: everywhere.
  virtual const Pattern* pattern() const { return nullptr; }
  /// The entries of the pattern; without one all, row by row: jacobian[i * size + j] = dR_i / dx_j.
  virtual Evaluation jacobian(const double* x, double* jacobian) = 0;
  /// The Jacobian does not depend on x.
  virtual bool linear() const { return false; }
};

enum class Solved : std::uint8_t {
  Good,
  Singular,   ///< the equations depend on each other at this point
  Undefined,  ///< no number even close to the starting point
  NotFound,
};

struct NonlinearSettings {
  double tolerance = 1e-12;          ///< of a Newton step, relative to |x| + nominal
  const double* nominals = nullptr;  ///< by unknown; null: 1
  /// By unknown: all points lie between them, but for those of the homotopy. Null: no limits.
  const double *least = nullptr, *most = nullptr;
  int most_iterations = 50;
  bool is_local = false;  ///< neither descent nor homotopy
  /// A linear system that has lost more than this to rounding counts as singular; 0: one that has lost nearly all.
  double most_lost = 0;
};

struct NonlinearWork {
  std::uint64_t solutions = 0, iterations = 0, damped = 0, homotopies = 0;
};

class NonlinearSolver {
 public:
  /// `x` comes with the starting point and leaves with the solution, or with the last attempt. Allocates only when the
  /// size grows.
  Solved solve(Residuals& residuals, double* x, const NonlinearSettings& settings);

  const NonlinearWork& work() const { return work_; }
  /// Of the last failure: the unknown that looks worst, for messages. Of a singular matrix one that the equations do
  /// not determine, otherwise the one that the last step wanted to change most.
  std::size_t worst() const { return worst_; }

 private:
  enum class Outcome : std::uint8_t { Good, GiveUp, Singular };

  void make_space(std::size_t size);
  bool evaluate(const double* x, double* values);
  bool is_zero(const double* values) const;
  bool linearise(const double* x);
  double newton_step(const double* values, double* step);
  void set_point(const double* x, const double* step, double factor, double* result) const;
  void keep_inside(double* x) const;
  bool move_start();

  Solved solve_line(double* x);
  Solved solve_linear(double* x);
  bool is_good_refinement(double size, double next_size) const;
  Solved solve_from_start(double* x);
  /// Descent and homotopy; `outcome` is what came of damped steps.
  Solved solve_from_afar(double* x, Outcome outcome);
  /// `linearised`: values_ and the matrix are those at x.
  Outcome plain(double* x, bool linearised = false);
  Outcome damped(double* x);
  bool damp(double* x, double size, double& factor);
  Outcome descend(double* x);
  bool set_up_descent(const double* x);
  double descent_step(const double* x, double damping);

  // Homotopy.
  Outcome follow_curve(double* x);
  bool border(const double* x);
  bool find_tangent(const double* x, double direction);
  bool correct(double* x, double& s, const double* predicted, double predicted_s);

  NonlinearWork work_;
  std::size_t worst_ = 0;
  std::vector<double> memory_;
  std::vector<std::uint32_t> pivots_;
  NewtonMatrix sparse_;

  // Of the solution under way; the pointers lead into memory_.
  Residuals* residuals_ = nullptr;
  bool is_sparse_ = false;
  NonlinearSettings settings_;
  std::size_t size_ = 0;
  double *start_ = nullptr, *values_ = nullptr, *trial_ = nullptr, *trial_values_ = nullptr;
  double *step_ = nullptr, *next_step_ = nullptr, *scales_ = nullptr, *row_scales_ = nullptr, *scratch_ = nullptr;
  double *start_values_ = nullptr, *tangent_ = nullptr, *right_ = nullptr;  ///< of the homotopy
  double *matrix_ = nullptr, *normal_ = nullptr;                            ///< size_ + 1 squared
};

}  // namespace hyla::solve
