#include "random/arguments.h"

#include <cmath>

#include "base/check.h"

namespace hyla::random {
namespace {

constexpr double kGreatestCount = 1e15;  // counts stay whole numbers as doubles, with room for the tails
constexpr double kSumTolerance = 1e-9;

// Comparisons with something that is not a number do not hold, so each of these refuses it.
bool not_negative(double x) { return x >= 0 && std::isfinite(x); }
bool positive(double x) { return x > 0 && std::isfinite(x); }
bool probability(double x) { return x >= 0 && x <= 1; }
bool whole(double x) { return std::floor(x) == x; }

const char* uniform_error(double a, double b) {
  if (!std::isfinite(a) || !std::isfinite(b)) return "`a` and `b` must be finite numbers";
  if (a > b) return "`a` must not be greater than `b`";
  return std::isfinite(b - a) ? nullptr : "`b - a` must be a finite number";
}

const char* triangular_error(double a, double mode, double b) {
  if (const char* error = uniform_error(a, b)) return error;
  return a <= mode && mode <= b ? nullptr : "`mode` must not be less than `a` or greater than `b`";
}

const char* normal_error(double mu, double sigma) {
  if (!std::isfinite(mu)) return "`mu` must be a finite number";
  return not_negative(sigma) ? nullptr : "`sigma` must be a finite number of at least 0";
}

const char* mean_error(double mean) {
  return not_negative(mean) ? nullptr : "`mean` must be a finite number of at least 0";
}

const char* erlang_error(double k, double mean) {
  if (!(k >= 1 && k <= kGreatestCount && whole(k))) return "`k` must be a whole number from 1 to 1e15";
  return mean_error(mean);
}

const char* shape_error(double shape, double scale) {
  if (!positive(shape)) return "`shape` must be a finite number greater than 0";
  return not_negative(scale) ? nullptr : "`scale` must be a finite number of at least 0";
}

const char* probability_error(double p) { return probability(p) ? nullptr : "`p` must be from 0 to 1"; }

const char* binomial_error(double n, double p) {
  if (!(n >= 0 && n <= kGreatestCount && whole(n))) return "`n` must be a whole number from 0 to 1e15";
  return probability_error(p);
}

const char* discrete_error(std::span<const double> p) {
  if (p.empty()) return "`p` must have at least one element";
  double sum = 0;
  for (const double x : p) {
    if (!probability(x)) return "each element of `p` must be from 0 to 1";
    sum += x;
  }
  return std::fabs(sum - 1) <= kSumTolerance ? nullptr : "the elements of `p` must sum to 1";
}

std::size_t argument_count(Distribution distribution) {
  switch (distribution) {
    case Distribution::Exponential:
    case Distribution::Poisson:
    case Distribution::Bernoulli:
    case Distribution::Geometric:
      return 1;
    case Distribution::Triangular:
      return 3;
    default:
      return 2;
  }
}

}  // namespace

const char* argument_error(Distribution distribution, std::span<const double> arguments) {
  if (distribution == Distribution::Discrete) return discrete_error(arguments);
  HYLA_CHECK(arguments.size() == argument_count(distribution), "the number of arguments is the checker's business");
  const double first = arguments[0];
  switch (distribution) {
    case Distribution::Uniform:
      return uniform_error(first, arguments[1]);
    case Distribution::Normal:
    case Distribution::Lognormal:
      return normal_error(first, arguments[1]);
    case Distribution::Exponential:
      return mean_error(first);
    case Distribution::Triangular:
      return triangular_error(first, arguments[1], arguments[2]);
    case Distribution::Erlang:
      return erlang_error(first, arguments[1]);
    case Distribution::Gamma:
    case Distribution::Weibull:
      return shape_error(first, arguments[1]);
    case Distribution::Beta:
      return positive(first) && positive(arguments[1]) ? nullptr : "`a` and `b` must be finite numbers greater than 0";
    case Distribution::Poisson:
      return first >= 0 && first <= kGreatestCount ? nullptr : "`mean` must be from 0 to 1e15";
    case Distribution::Bernoulli:
      return probability_error(first);
    case Distribution::Geometric:
      return first >= 1e-15 && first <= 1 ? nullptr : "`p` must be from 1e-15 to 1";
    case Distribution::Binomial:
      return binomial_error(first, arguments[1]);
    case Distribution::Discrete:
      break;
  }
  return nullptr;
}

const char* empirical_argument_error(std::span<const double> x, std::span<const double> p) {
  if (x.size() != p.size()) return "`x` and `p` must have the same size";
  return discrete_error(p);
}

}  // namespace hyla::random
