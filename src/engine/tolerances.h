// The absolute tolerances of an island's states.
#pragma once

#include <vector>

#include "engine/cluster.h"
#include "engine/run.h"

namespace hyla::engine {

/// By state; made when first needed, and as long-lived as the plan.
inline const double* absolute_tolerances(const ContinuousOptions& options, IslandPlan& plan) {
  std::vector<double>& tolerances = plan.absolute_tolerances;
  if (tolerances.empty()) {
    for (const double nominal : plan.nominals) tolerances.push_back(options.absolute_tolerance * nominal);
  }
  return tolerances.data();
}

}  // namespace hyla::engine
