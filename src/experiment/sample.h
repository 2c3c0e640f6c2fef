// Points in the unit cube: random, Latin hypercube, Sobol's sequence.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiment/plan.h"

namespace hyla::experiment {

/// One row for each point, one number strictly between 0 and 1 for each of the names. The numbers of a name depend on
/// the seed, the name and, for Sobol's sequence, its place among the names.
///
/// Latin hypercube: each of the `count` equal parts of every axis holds one point. Sobol: the sequence of Joe and Kuo
/// behind a random digital shift, which keeps its evenness; powers of two are its best lengths.
std::vector<std::vector<double>> sample_cube(Sampling sampling, std::uint64_t count,
                                             const std::vector<std::string>& names, std::uint64_t seed);

/// Most axes of Sobol's sequence.
std::size_t most_sobol_axes();

}  // namespace hyla::experiment
