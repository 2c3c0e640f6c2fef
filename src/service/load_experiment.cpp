#include "service/load_experiment.h"

#include <cstdlib>

#include "service/find_module.h"

namespace hyla::service {

std::unique_ptr<experiment::Optimizer> load_optimizer(std::string& why_not) {
  void* const entry = load_module("libhyla_optimize.so", experiment::kOptimizerEntry, why_not);
  if (entry == nullptr) {
    why_not = "no optimisation: " + why_not + "; it is built where NLopt is (Debian package libnlopt-dev)";
    return nullptr;
  }
  return std::unique_ptr<experiment::Optimizer>(reinterpret_cast<experiment::OptimizerEntry>(entry)());
}

bool is_in_crew() {
  const char* const size = std::getenv("OMPI_COMM_WORLD_SIZE");
  if (size != nullptr) return std::atoi(size) > 1;
  return std::getenv("PMIX_RANK") != nullptr;  // started by a batch system itself
}

std::unique_ptr<experiment::Crew> load_crew(std::string& why_not) {
  void* const entry = load_module("libhyla_cluster.so", experiment::kCrewEntry, why_not);
  if (entry == nullptr) {
    why_not = "no cluster: " + why_not + "; it is built where OpenMPI is (Debian package libopenmpi-dev)";
    return nullptr;
  }
  return std::unique_ptr<experiment::Crew>(reinterpret_cast<experiment::CrewEntry>(entry)(why_not));
}

}  // namespace hyla::service
