// Distributions of parameters, by the inverses of their distribution functions.
#pragma once

#include <string>
#include <vector>

#include "model/builtins.h"

namespace hyla::experiment {

struct Distribution {
  model::Builtin kind = model::Builtin::Uniform;
  std::vector<double>
      arguments;  ///< of `discrete` the probabilities; of `empirical` the values, then the probabilities
};

/// What is wrong with the arguments; empty: nothing.
std::string argument_error(const Distribution& distribution);

/// The value below which the distribution stays with probability p, 0 < p < 1. Its arguments are right.
double quantile(const Distribution& distribution, double p);

}  // namespace hyla::experiment
