// Distributions over the whole numbers: how many, and how many before.
//
// Poisson and binomial numbers with small means are found by adding up probabilities until they pass one uniform
// number. For greater means that is too long; there a transformed uniform number is accepted or rejected by the exact
// probability: W. Hörmann, "The transformed rejection method for generating Poisson random variables", Insurance:
// Mathematics and Economics 12 (1993), and "The generation of binomial random variates", Journal of Statistical
// Computation and Simulation 46 (1993). Its cost does not grow with the mean: 1.1 to 1.4 candidates, most accepted
// without a logarithm.
#include <cmath>

#include "random/distributions.h"
#include "random/probabilities.h"

namespace hyla::random {
namespace {

constexpr double kLeastRejectionMean = 10;  // below, the constants of the rejection methods are not proved

std::int64_t poisson_by_inversion(double u, double mean) {
  double probability = plain_exp(-mean);
  double sum = probability;
  std::int64_t k = 0;
  while (u > sum && probability > 0) {
    ++k;
    probability *= mean / static_cast<double>(k);
    sum += probability;
  }
  return k;
}

std::int64_t binomial_by_inversion(double u, double n, double p) {
  const double odds = p / (1 - p);
  double probability = plain_exp(n * plain_log1p(-p));
  double sum = probability;
  double k = 0;
  while (u > sum && k < n) {
    ++k;
    probability *= odds * ((n - k + 1) / k);
    sum += probability;
  }
  return static_cast<std::int64_t>(k);
}

std::int64_t poisson_by_rejection(Stream& stream, double mean) {
  const double b = 0.931 + 2.53 * std::sqrt(mean);
  const double a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  const double sure = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const double u = stream.next_53() - 0.5;
    const double v = stream.next();
    const double edge = 0.5 - std::fabs(u);
    const double k = std::floor((2 * a / edge + b) * u + mean + 0.43);
    if (edge >= 0.07 && v <= sure) return static_cast<std::int64_t>(k);
    if (k < 0 || (edge < 0.013 && v > edge)) continue;
    const double log_v = plain_log(v * inverse_alpha / (a / (edge * edge) + b));
    if (log_v <= log_poisson_probability(k, mean)) return static_cast<std::int64_t>(k);
  }
}

std::int64_t binomial_by_rejection(Stream& stream, double n, double p) {
  const double deviation = std::sqrt(n * p * (1 - p));
  const double b = 1.15 + 2.53 * deviation;
  const double a = -0.0873 + 0.0248 * b + 0.01 * p;
  const double centre = n * p + 0.5;
  const double alpha = (2.83 + 5.1 / b) * deviation;
  const double sure = 0.92 - 4.2 / b;
  const double log_at_mode = log_binomial_probability(std::floor((n + 1) * p), n, p);
  for (;;) {
    const double u = stream.next_53() - 0.5;
    const double v = stream.next();
    const double edge = 0.5 - std::fabs(u);
    const double k = std::floor((2 * a / edge + b) * u + centre);
    if (edge >= 0.07 && v <= sure) return static_cast<std::int64_t>(k);
    if (k < 0 || k > n) continue;
    const double log_v = plain_log(v * alpha / (a / (edge * edge) + b));
    if (log_v <= log_binomial_probability(k, n, p) - log_at_mode) return static_cast<std::int64_t>(k);
  }
}

}  // namespace

std::int64_t geometric(Stream& stream, double p) {
  const double u = stream.next();
  if (!(p < 1)) return 0;
  return static_cast<std::int64_t>(plain_log(1 - u) / plain_log1p(-p));
}

std::int64_t poisson(Stream& stream, double mean) {
  if (mean < kLeastRejectionMean) return poisson_by_inversion(stream.next(), mean);
  return poisson_by_rejection(stream, mean);
}

std::int64_t binomial(Stream& stream, double n, double p) {
  const bool mirrored = p > 0.5;
  const double rare = mirrored ? 1 - p : p;
  if (n * rare < kLeastRejectionMean) {
    const double u = stream.next();
    if (!mirrored) return binomial_by_inversion(u, n, rare);
    return static_cast<std::int64_t>(n) - binomial_by_inversion(1 - u, n, rare);
  }
  const std::int64_t k = binomial_by_rejection(stream, n, rare);
  return mirrored ? static_cast<std::int64_t>(n) - k : k;
}

}  // namespace hyla::random
