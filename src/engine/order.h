// The order of the events of one step.
#pragma once

#include <vector>

#include "engine/context.h"

namespace hyla::engine {

/// Sorts by priority, kind, object and place; draws the order instead if the run asks for it; then lets the `select` of
/// models reorder the events of their parts.
void put_in_order(Run& run, std::vector<AgendaEntry>& entries);

}  // namespace hyla::engine
