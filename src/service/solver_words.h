// How equations are to be solved, in words.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"

namespace hyla::service {

/// What is empty leaves the choice to the model, and then to the defaults.
struct SolverWords {
  std::string solver;  ///< name of a method: `auto`, `rk45`, …
  std::string events;  ///< `isolate` (also `interpolant`) or `one_sided`, with `:GAMMA` behind it if wanted
  std::string zeno;    ///< `stop`, `slide` or `continue`
  std::string jit;     ///< `auto`, `on` or `off`
  std::optional<double> tolerance;  ///< relative; the absolute one is a thousandth of it
  std::optional<double> step_size;  ///< of methods with a fixed step
};

/// What is wrong with words from the command line: the failure names the option and the nearest valid word.
std::optional<base::Failure> check_solver_words(const SolverWords& words);

}  // namespace hyla::service
