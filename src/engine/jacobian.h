// The exact Jacobian of an island: symbolic partial derivatives of every equation, put together by the chain rule. The
// same for any other quantities of a cluster.
//
// The partial derivatives of a term are compiled like the term itself and evaluated for all equations that share it.
// The derivatives of computed quantities with respect to the states are then accumulated in the order of evaluation,
// sparse; through a loop they follow from the linear system of its partial derivatives (implicit function theorem).
#pragma once

#include <memory>
#include <vector>

#include "engine/cluster.h"
#include "solve/factorisation.h"

namespace hyla::engine {

struct JacobianPlan {
  /// gradients[to] += values[partial] * gradients[from]; `from` kNone stands for 1.
  struct Product {
    std::uint32_t to = 0;
    At partial = kNowhere;
    std::uint32_t from = kNone;
  };
  /// The derivatives of the unknowns of a loop: A X = B, one column of X and B for each state that they depend on.
  struct LoopSystem {
    /// What one gradient gives or gets.
    struct Place {
      std::uint32_t row = 0, gradient = 0;
    };
    struct Column {
      std::vector<Place> right, unknowns;  ///< of B: those that are not zero; of X: those that somebody needs
    };
    std::uint32_t size = 0;
    solve::Pattern pattern;  ///< of A
    solve::MatrixKind kind = solve::MatrixKind::Dense;
    std::vector<std::pair<std::size_t, At>> matrix;  ///< entry of A, place of its negative
    std::vector<std::size_t> own;                    ///< entries of the left sides of formulas: one more
    std::vector<Column> columns;
  };
  struct Step {
    bool is_loop = false;
    std::uint32_t begin = 0, end = 0;  ///< products; of a loop: `begin` is its number
  };

  Evaluation partials;
  std::vector<std::unique_ptr<code::Tape>> tapes;  ///< of its batches
  std::vector<Product> products;
  std::vector<LoopSystem> loops;
  std::vector<Step> steps;
  std::uint32_t gradient_count = 0;
  std::uint32_t size = 0;  ///< of the array of values with the places of the partial derivatives
  std::uint32_t rows = 0;
  solve::Pattern pattern;  ///< its size is the number of columns
  // Places from `size` on are those of the gradients.
  std::vector<std::uint32_t> entries;                         ///< place of each entry of the pattern
  std::vector<std::pair<std::uint32_t, std::uint32_t>> time;  ///< row, place of its derivative with respect to time
};

/// What is differentiated with respect to what, as places, and the equations on the way.
struct DerivativeTask {
  std::vector<const std::vector<EvaluationPart>*> parts;  ///< in the order of evaluation
  std::vector<At> columns;                                ///< nothing in `parts` computes them
  std::vector<At> rows;
};

class TermTapes;

/// Memory that is kept from call to call.
struct JacobianWork {
  std::vector<double> values, column;
  /// Of the loops of the plan of the last call.
  std::vector<std::unique_ptr<solve::Factorisation>> loops;
  const JacobianPlan* plan = nullptr;
};

/// The plan of an island, made at the first call.
const JacobianPlan& jacobian_of(TermTapes& tapes, IslandPlan& island);

std::unique_ptr<JacobianPlan> make_derivatives(const Shape& shape, TermTapes& tapes, const Configuration& configuration,
                                               const DerivativeTask& task);

/// Fills the entries of the pattern and the derivatives with respect to time from the `count` values of the cluster.
/// False: a loop's system is singular.
bool evaluate_jacobian(const JacobianPlan& plan, const double* values, std::size_t count, JacobianWork& work,
                       double* entries, double* df_dt);

}  // namespace hyla::engine
