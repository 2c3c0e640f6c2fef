// Where a term is linear: which of its operands it can be solved for by dividing.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/terms.h"

namespace hyla::engine {

/// By operand of a term: the factor with which it occurs, as a node; kNoNode if the term is not linear in it.
struct LinearForm {
  code::Graph graph;  ///< of the term, with the factors
  std::vector<code::NodeId> factors;
};

LinearForm linear_form(const Term& term);

/// By operand of an equation: 1 if its factor is made of constants and parameters that give a number other than zero.
std::vector<std::uint8_t> solvable_operands(World& world, const ScalarEquation& equation, const LinearForm& form);

}  // namespace hyla::engine
