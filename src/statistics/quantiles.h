// Quantiles of the distributions that confidence intervals need.
//
// Boost.Math computes them to the last digits; its headers stay in quantiles.cpp, because
// they cost build time. A call takes about a microsecond.
#pragma once

namespace hyla::statistics {

/// The value that a variable with Student's t distribution of `degrees` degrees of freedom stays below with probability
/// p. NaN unless 0 < p < 1 and degrees > 0.
double student_t_quantile(double p, double degrees);

/// The same for the standard normal distribution. NaN unless 0 < p < 1.
double normal_quantile(double p);

/// What the standard error is multiplied with for a two-sided interval of this confidence, for example 0.95.
double two_sided_t(double confidence, double degrees);

}  // namespace hyla::statistics
