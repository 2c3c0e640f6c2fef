// How far the condition of a requirement is from changing, at events.
#pragma once

#include "engine/context.h"

namespace hyla::engine {

/// Positive: the condition holds, and its relations would have to change by so much. Infinite if it has no relations
/// over numbers; NaN if it cannot be computed.
double margin_now(Run& run, Object& object, Index watch);

/// Of a condition over `time` and discrete quantities: what is needed to know its margin up to the next event.
std::vector<double> sides_now(Run& run, Object& object, Index watch);
/// How many numbers that are.
std::size_t sides_of(const PlanWatch& plan);
double margin_at(const PlanWatch& plan, const std::vector<double>& sides, double time);

}  // namespace hyla::engine
