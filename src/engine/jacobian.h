// The exact Jacobian of an island: symbolic partial derivatives of every equation, put together by the chain rule. The
// same for any other quantities of a cluster.
//
// The partial derivatives of a term are compiled like the term itself and evaluated for all equations that share it.
// The derivatives of computed quantities with respect to the states are then accumulated in the order of evaluation,
// sparse; through a loop they follow from the linear system of its partial derivatives (implicit function theorem).
#pragma once

#include <vector>

#include "engine/cluster.h"
#include "solve/system.h"

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
    std::uint32_t size = 0;
    std::vector<std::pair<std::uint32_t, At>> matrix;  ///< position in A, place of the entry's negative
    std::vector<std::uint32_t> own;                    ///< positions of the left sides of formulas: one more
    std::vector<std::uint32_t> right;                  ///< gradients that hold B, column by column; kNone for zero
    std::vector<std::uint32_t> unknowns;               ///< gradients that get X, column by column
    std::uint32_t columns = 0;
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

/// The plan of an island, made at the first call.
const JacobianPlan& jacobian_of(const Shape& shape, TermTapes& tapes, const Configuration& configuration,
                                IslandPlan& island);

std::unique_ptr<JacobianPlan> make_derivatives(const Shape& shape, TermTapes& tapes, const Configuration& configuration,
                                               const DerivativeTask& task);

/// Fills the entries of the pattern and the derivatives with respect to time from the `count` values of the cluster.
/// `work` keeps memory from call to call. False: a loop's system is singular.
bool evaluate_jacobian(const JacobianPlan& plan, const double* values, std::size_t count, std::vector<double>& work,
                       double* entries, double* df_dt);

}  // namespace hyla::engine
