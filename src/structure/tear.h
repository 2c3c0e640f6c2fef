// Tearing: which unknowns of a loop to guess so that formulas give the others.
//
// With a set of unknowns known, an equation with exactly one unknown left gives it, if it is explicit for it. An
// equation that could give the same unknown has no other unknown left either, so nothing is lost by taking any of the
// two: what follows from the known ones does not depend on choices. Wanted is a small set of tears from which
// everything follows. The smallest is hard to find (Elmqvist and Otter 1994); small loops are searched through, others
// are torn one unknown at a time, always the one that promises most (Cellier and Kofman 2006), by two ideas of what
// that is.
#pragma once

#include "structure/structure.h"

namespace hyla::structure {

/// Loops of up to so many unknowns get the smallest set of tears there is.
inline constexpr std::size_t kSearchedLoop = 8;

/// Fills `inner`, `tears` and `residuals` of a loop whose equations and unknowns are there, the i-th of both matched
/// with each other. `place` has an entry for each unknown of the incidence: kNothing, before and after.
void tear(const Incidence& incidence, Block& block, std::vector<std::uint32_t>& place);

}  // namespace hyla::structure
