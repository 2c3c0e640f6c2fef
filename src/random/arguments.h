// What is wrong with the arguments of a distribution, in words.
//
// Problem: a model computes its arguments while it runs, and nonsense must be reported at the draw that got it. Idea:
// one function, called before every draw, that answers with a fixed text. Cost: a few comparisons and no allocation.
#pragma once

#include <span>

namespace hyla::random {

enum class Distribution {
  Uniform,
  Normal,
  Exponential,
  Triangular,
  Erlang,
  Gamma,
  Beta,
  Weibull,
  Lognormal,
  Poisson,
  Bernoulli,
  Geometric,
  Binomial,
  Discrete,
};

/// What is wrong with `arguments`, or nullptr. Their number and order are those of the drawing function; for Discrete
/// they are the probabilities. The text names an argument as docs/language.md does, and lives for ever.
const char* argument_error(Distribution distribution, std::span<const double> arguments);

/// The same for `empirical`.
const char* empirical_argument_error(std::span<const double> x, std::span<const double> p);

}  // namespace hyla::random
