// Relations over the unknowns of a loop, as in `q * abs(q) = p`.
//
// During a step relations are held, so that the equations are smooth and go on smoothly beyond a crossing. Held
// equations can have solutions that contradict their own relations, and none at all where the crossing is: with q < 0
// held, -q^2 = p has a positive root as well, and for p > 0 there is nothing. So a solution that contradicts what is
// held, or that is not found, is compared with one for which the relations follow the unknowns.
#pragma once

#include <unordered_set>

#include "engine/cluster.h"

namespace hyla::engine {

class TermTapes;

/// Completes a loop that has its equations with the relations in them that depend on its unknowns. `later`: places that
/// are computed behind the loop. Scratch begins at `size`.
void add_relations(const Shape& shape, TermTapes& tapes, const EvaluationPart& part,
                   const std::unordered_set<At>& later, Loop& loop, Evaluation& evaluation, At& size);

/// Solves a loop with relations from `x`, which leaves with the solution; so do the values of all that follows from it.
/// Relations are as they were.
solve::Solved solve_related(const Loop& loop, solve::Residuals& held, double* values, double* x,
                            solve::NonlinearSolver& solver, const solve::NonlinearSettings& settings);

}  // namespace hyla::engine
