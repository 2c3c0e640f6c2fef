#include "experiment/distribution.h"

#include <cmath>
#include <span>

#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/poisson.hpp>

#include "random/arguments.h"
#include "random/distributions.h"

namespace hyla::experiment {
namespace {

using model::Builtin;

random::Distribution known_as(Builtin kind) {
  using Kind = random::Distribution;
  switch (kind) {
    case Builtin::Normal:
      return Kind::Normal;
    case Builtin::Exponential:
      return Kind::Exponential;
    case Builtin::Triangular:
      return Kind::Triangular;
    case Builtin::Erlang:
      return Kind::Erlang;
    case Builtin::Gamma:
      return Kind::Gamma;
    case Builtin::Beta:
      return Kind::Beta;
    case Builtin::Weibull:
      return Kind::Weibull;
    case Builtin::Lognormal:
      return Kind::Lognormal;
    case Builtin::Poisson:
      return Kind::Poisson;
    case Builtin::Bernoulli:
      return Kind::Bernoulli;
    case Builtin::Geometric:
      return Kind::Geometric;
    case Builtin::Binomial:
      return Kind::Binomial;
    case Builtin::DiscreteDistribution:
      return Kind::Discrete;
    default:
      return Kind::Uniform;
  }
}

double triangular(double low, double mode, double high, double p) {
  const double turn = (mode - low) / (high - low);
  return p < turn ? low + std::sqrt(p * (high - low) * (mode - low))
                  : high - std::sqrt((1 - p) * (high - low) * (high - mode));
}

/// The place, from 0, of the first probability with which the sum passes p.
std::size_t place_of(std::span<const double> probabilities, double p) {
  double sum = 0;
  for (std::size_t i = 0; i + 1 < probabilities.size(); ++i) {
    sum += probabilities[i];
    if (p < sum) return i;
  }
  return probabilities.size() - 1;
}

/// A whole number whose distribution function passes p first. Boost rounds outwards unless asked otherwise.
template <class Counts>
double whole_quantile(const Counts& counts, double p) {
  double value = std::floor(boost::math::quantile(counts, p));
  while (value > 0 && boost::math::cdf(counts, value - 1) >= p) --value;
  while (boost::math::cdf(counts, value) < p) ++value;
  return value;
}

}  // namespace

std::string argument_error(const Distribution& distribution) {
  const std::vector<double>& arguments = distribution.arguments;
  const char* error = nullptr;
  if (distribution.kind == Builtin::Empirical) {
    const std::size_t half = arguments.size() / 2;
    error = random::empirical_argument_error(std::span(arguments).first(half), std::span(arguments).subspan(half));
  } else {
    error = random::argument_error(known_as(distribution.kind), arguments);
  }
  return error == nullptr ? "" : error;
}

double quantile(const Distribution& distribution, double p) {
  const std::vector<double>& a = distribution.arguments;
  switch (distribution.kind) {
    case Builtin::Normal:
      return a[0] + a[1] * random::normal_quantile(p);
    case Builtin::Exponential:
      return -a[0] * std::log1p(-p);
    case Builtin::Triangular:
      return triangular(a[0], a[1], a[2], p);
    case Builtin::Erlang:
      return boost::math::quantile(boost::math::gamma_distribution<>(a[0], a[1] / a[0]), p);
    case Builtin::Gamma:
      return boost::math::quantile(boost::math::gamma_distribution<>(a[0], a[1]), p);
    case Builtin::Beta:
      return boost::math::quantile(boost::math::beta_distribution<>(a[0], a[1]), p);
    case Builtin::Weibull:
      return a[1] * std::pow(-std::log1p(-p), 1 / a[0]);
    case Builtin::Lognormal:
      return std::exp(a[0] + a[1] * random::normal_quantile(p));
    case Builtin::Poisson:
      return a[0] > 0 ? whole_quantile(boost::math::poisson_distribution<>(a[0]), p) : 0;
    case Builtin::Bernoulli:
      return p < a[0] ? 1 : 0;
    case Builtin::Geometric:
      return a[0] < 1 ? std::floor(std::log1p(-p) / std::log1p(-a[0])) : 0;
    case Builtin::Binomial:
      return whole_quantile(boost::math::binomial_distribution<>(a[0], a[1]), p);
    case Builtin::DiscreteDistribution:
      return static_cast<double>(place_of(a, p)) + 1;
    case Builtin::Empirical:
      return a[place_of(std::span(a).subspan(a.size() / 2), p)];
    default:
      return a[0] + (a[1] - a[0]) * p;
  }
}

}  // namespace hyla::experiment
