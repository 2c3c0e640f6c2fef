// Logarithms of the probabilities of counts, without loss for great means.
//
// Problem: k log(m) - m - log(k!) is a small difference of great numbers; at a mean of 1e12 no digit of it is right.
// Idea: Stirling's formula turns it into small terms alone: C. Loader, "Fast and accurate computation of binomial
// probabilities" (2000). Cost: a few logarithms.
#pragma once

namespace hyla::random {

/// Logarithm of the probability that a Poisson number with this mean is k; k is a whole number of at least 0, mean > 0.
double log_poisson_probability(double k, double mean);

/// Logarithm of the probability of k successes among n; whole numbers 0 <= k <= n, 0 < p < 1.
double log_binomial_probability(double k, double n, double p);

}  // namespace hyla::random
