// What is told when the values of a start cannot be found because too much or too little is given.
#pragma once

#include "engine/context.h"
#include "engine/initial_plan.h"
#include "engine/island.h"

namespace hyla::engine {

void report_start_misfit(Run& run, const Cluster& cluster, const StartPlan& plan);

}  // namespace hyla::engine
