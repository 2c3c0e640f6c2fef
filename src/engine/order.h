// The order of the events of one step.
#pragma once

#include <vector>

#include "engine/context.h"

namespace hyla::engine {

/// Numbers of scheduling start again after 2^32 events; compose_step() counts them from the oldest that there can be.
inline bool scheduled_before(const AgendaEntry& a, const AgendaEntry& b) { return a.number < b.number; }

/// Sorts by priority, kind, object and place; draws the order instead if the run asks for it; then lets the `select` of
/// models reorder the events of their parts.
void put_in_order(Run& run, std::vector<AgendaEntry>& entries);

}  // namespace hyla::engine
