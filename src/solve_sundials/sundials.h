// Integrators of SUNDIALS (Hindmarsh et al. 2005): CVODE, ARKODE and IDA in the role that the project's own methods
// fill.
#pragma once

#include <memory>

#include "solve/integrator.h"

namespace hyla::solve_sundials {

/// Null for the project's own methods.
std::unique_ptr<solve::Integrator> make_sundials_integrator(solve::Method method);

}  // namespace hyla::solve_sundials
