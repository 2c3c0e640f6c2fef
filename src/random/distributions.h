// The distributions of the language, drawn from a Stream.
//
// Problem: the same seed must give the same numbers everywhere, which the standard library's distributions do not
// promise; and a run repeated with changed parameters should meet the same luck. Idea: our own methods over our own
// elementary functions. Where the inverse of the distribution function is cheap it is used: one draw gives one number,
// and a greater draw gives a greater number, so that runs stay aligned draw by draw. Elsewhere exact rejection methods.
// Cost: a uniform number 6 ns, an exponential one 13 ns, a normal one 17 ns, the others up to about 100 ns.
//
// Arguments must pass `argument_error` of random/arguments.h. Draws do not look at them again: with others a rejection
// may go on for ever.
#pragma once

#include <cstdint>
#include <span>

#include "random/elementary.h"
#include "random/stream.h"

namespace hyla::random {

// One draw for one number, by inversion.

inline double uniform(Stream& stream, double a, double b) { return a + (b - a) * stream.next(); }

inline double exponential(Stream& stream, double mean) { return -mean * plain_log(1 - stream.next()); }

inline bool bernoulli(Stream& stream, double p) { return stream.next() < p; }

double normal(Stream& stream, double mu, double sigma);
double triangular(Stream& stream, double a, double mode, double b);
double weibull(Stream& stream, double shape, double scale);

/// The exponential function of a normal number with this mean and standard deviation.
double lognormal(Stream& stream, double mu, double sigma);

/// Failures before the first success.
std::int64_t geometric(Stream& stream, double p);

/// The index, from 1, drawn with the probabilities p. Takes time linear in it.
std::int64_t discrete(Stream& stream, std::span<const double> p);

/// The value x[i] with probability p[i].
double empirical(Stream& stream, std::span<const double> x, std::span<const double> p);

// Several draws for one number, as many as it takes.

/// Sum of k exponential numbers with `mean` in all; k is a positive whole number. Exactly k draws up to 16.
double erlang(Stream& stream, double k, double mean);
double gamma(Stream& stream, double shape, double scale);
double beta(Stream& stream, double a, double b);

/// One draw for means below 10.
std::int64_t poisson(Stream& stream, double mean);

/// Successes among n, a whole number. One draw if fewer than 10 successes, or fewer than 10 failures, are expected.
std::int64_t binomial(Stream& stream, double n, double p);

/// The number that a standard normal one stays below with probability p, 0 < p < 1; correct to about 1e-15 of itself.
double normal_quantile(double p);

}  // namespace hyla::random
