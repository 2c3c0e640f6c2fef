// From built objects to clusters: which equations and conditions can vary with time, and who has to do with whom.
//
// Static: over all states together. A variable can vary if it is differentiated somewhere, occurs in an implicit
// equation, or has a formula that reads time or something that can vary. Formulas that cannot vary stay with the
// watches, unless they define each other in a circle. Objects that share what can vary, and conditions with what they
// read, form clusters.
#pragma once

#include "diag/diagnostic.h"
#include "engine/programs.h"
#include "engine/world.h"

namespace hyla::engine {

/// Fills World::clusters and marks the watches and links that belong to them. False: the sink tells why.
bool gather_clusters(World& world, Programs& programs, diag::Sink& sink);

}  // namespace hyla::engine
