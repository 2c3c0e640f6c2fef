// Shared libraries that an experiment may need.
#pragma once

#include <memory>
#include <string>

#include "experiment/crew.h"
#include "experiment/optimizer.h"

namespace hyla::service {

/// The methods of NLopt; null with the reason if they were not built.
std::unique_ptr<experiment::Optimizer> load_optimizer(std::string& why_not);

/// Whether this process was started by `mpirun` or a batch system that speaks MPI.
bool is_in_crew();
/// The processes that were started together; null with the reason.
std::unique_ptr<experiment::Crew> load_crew(std::string& why_not);

}  // namespace hyla::service
