// What is told when equations cannot be solved, or a step cannot be taken.
#pragma once

#include "engine/context.h"
#include "engine/island.h"

namespace hyla::engine {

/// Active equations that do not fit together.
void report_misfit(Run& run, const Cluster& cluster, const Misfit& misfit);
/// A loop without a solution.
void report_loop(Run& run, const Cluster& cluster, const Loop& loop, solve::Solved status);
/// An integrator that cannot go on.
void report_step(Run& run, Island& island, solve::StepStatus status);

/// Adds what an integrator did to the summary.
void add_work(ContinuousWork& work, const solve::Integrator& integrator);

}  // namespace hyla::engine
