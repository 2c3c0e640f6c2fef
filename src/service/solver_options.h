// From the words of the command line and of a model's `section Simulation` to the options of the engine.
#pragma once

#include "base/result.h"
#include "engine/build.h"
#include "engine/run.h"
#include "service/solver_words.h"

namespace hyla::service {

/// What the model says, overruled by the words; `interval` is the output interval.
base::Result<engine::ContinuousOptions> continuous_options(const engine::Settings& settings, const SolverWords& words,
                                                           double interval);

}  // namespace hyla::service
