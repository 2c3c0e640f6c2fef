// Functions of numbers that the standard library lacks or defines differently. Machine, graphs and compiled code share
// them, so that an expression has the same bits wherever it is computed.
#pragma once

#include <cmath>

namespace hyla::code {

/// a^b. The powers that models write most are products, each step rounded: exact to the last bit for squares, and an
/// order of magnitude faster than the general function.
inline double power(double a, double b) {
  if (b == 2) return a * a;
  if (b == 3) return a * a * a;
  if (b == 4) return (a * a) * (a * a);
  if (b == -1) return 1 / a;
  return std::pow(a, b);
}

/// a - b * floor(a / b): the sign is that of b. NaN if b is 0.
inline double floored_remainder(double a, double b) {
  const double rest = std::fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

/// 1, -1, or 0 for both zeros and NaN.
inline double sign_of(double a) { return a > 0 ? 1.0 : a < 0 ? -1.0 : 0.0; }

/// Derivative `order` of the logarithmic derivative of the gamma function: 0 gives digamma, 1 trigamma. NaN where it is
/// not defined: at 0, -1, -2, ..., and for orders that are not whole or above 40.
double polygamma(double order, double x);

}  // namespace hyla::code
