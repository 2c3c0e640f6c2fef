#include "random/probabilities.h"

#include <array>
#include <cmath>

#include "random/elementary.h"

namespace hyla::random {
namespace {

constexpr double kHalfLogTwoPi = 0.9189385332046728;

/// log(k!) less Stirling's (k + 1/2) log(k) - k + log(2 pi) / 2, for whole k > 0.
double stirling_error(double k) {
  constexpr std::array<double, 16> kErrors = {
      0.08106146679532726,  0.0413406959554093,    0.02767792568499834,  0.020790672103765093,
      0.016644691189821193, 0.013876128823070748,  0.01189670994589177,  0.010411265261972096,
      0.009255462182712733, 0.00833056343336287,   0.007573675487951841, 0.00694284010720953,
      0.006408994188004207, 0.0059513701127588475, 0.005554733551962801, 0.0052076559196096404};
  if (k <= static_cast<double>(kErrors.size())) return kErrors[static_cast<std::size_t>(k) - 1];
  const double square = k * k;
  return (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - (1.0 / 1680) / square) / square) / square) / k;
}

/// k log(k / m) - k + m for k, m > 0: how far k is from m, at least 0.
double deviance(double k, double m) {
  const double difference = k - m;
  if (std::fabs(difference) >= 0.1 * (k + m)) return k * plain_log(k / m) - difference;
  // With v = (k - m) / (k + m) it is (k - m) v + 2 k (v^3 / 3 + v^5 / 5 + ...).
  const double v = difference / (k + m);
  const double square = v * v;
  double sum = difference * v;
  double term = 2 * k * v;
  for (int i = 3; i < 40; i += 2) {
    term *= square;
    const double next = sum + term / i;
    if (next == sum) break;
    sum = next;
  }
  return sum;
}

}  // namespace

double log_poisson_probability(double k, double mean) {
  if (k == 0) return -mean;
  return -stirling_error(k) - deviance(k, mean) - kHalfLogTwoPi - 0.5 * plain_log(k);
}

double log_binomial_probability(double k, double n, double p) {
  if (k == 0) return n * plain_log1p(-p);
  if (k == n) return n * plain_log(p);
  const double failures = n - k;
  return stirling_error(n) - stirling_error(k) - stirling_error(failures) - deviance(k, n * p) -
         deviance(failures, n * (1 - p)) - kHalfLogTwoPi - 0.5 * plain_log(k * (failures / n));
}

}  // namespace hyla::random
