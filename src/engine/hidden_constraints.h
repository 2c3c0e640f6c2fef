// Constraints that no equation states by itself.
//
// Two capacitors side by side have v1 = a - b and v2 = a - b. Each of these can be matched with one of the potentials a
// and b, so by their structure alone nothing ties v1 and v2 together; but the difference of the two says v1 = v2, and a
// and b are not determined by both. Equations of which a sum of multiples contains none of the unknowns that they are
// to be solved for are found by structure::dependencies; one of them is stated as that sum instead, which says the same
// as long as the others hold. (The method of linear combinations of Tan, Nedialkov and Pryce 2017, for multiples that
// are made of numbers and parameters.)
#pragma once

#include <map>
#include <vector>

#include "engine/cluster.h"
#include "structure/structure.h"

namespace hyla::engine {

struct SignedEquations;
class TermTapes;

using RestatedEquations = std::map<std::uint32_t, ShapeEquation>;  ///< by row

/// A system of equations in order of computation.
struct OrderedEquations {
  const std::vector<std::uint32_t>& equations;  ///< by row: of the shape
  const std::vector<At>& unknowns;              ///< by column
  const structure::Incidence& incidence;
  const std::vector<structure::Block>& blocks;
};

/// Equations of loops that are to be stated differently; empty: none hides anything that is found here.
RestatedEquations restate_loops(const Shape& shape, TermTapes& tapes, const OrderedEquations& ordered);

/// The same for equations of higher index, as often differentiated as the offsets tell: both become those with nothing
/// hidden any more.
void restate_reduced(const Shape& shape, TermTapes& tapes, SignedEquations& all, structure::Offsets& offsets);

}  // namespace hyla::engine
