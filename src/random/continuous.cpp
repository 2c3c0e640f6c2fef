// Distributions over the real numbers, and those that choose from a list.
#include <cmath>

#include "random/distributions.h"

namespace hyla::random {
namespace {

/// A polynomial of degree 7, the constant coefficient first.
double polynomial(const std::array<double, 8>& c, double x) {
  return ((((((c[7] * x + c[6]) * x + c[5]) * x + c[4]) * x + c[3]) * x + c[2]) * x + c[1]) * x + c[0];
}

// Coefficients of M. J. Wichura, "Algorithm AS 241: The percentage points of the normal distribution", Applied
// Statistics 37 (1988): numerator and denominator for the centre, the tails, and the far tails.
constexpr std::array<double, 8> kCentreA = {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
                                            1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
                                            3.3430575583588128105e4, 2.5090809287301226727e3};
constexpr std::array<double, 8> kCentreB = {1.0,
                                            4.2313330701600911252e1,
                                            6.8718700749205790830e2,
                                            5.3941960214247511077e3,
                                            2.1213794301586595867e4,
                                            3.9307895800092710610e4,
                                            2.8729085735721942674e4,
                                            5.2264952788528545610e3};
constexpr std::array<double, 8> kTailC = {
    1.42343711074968357734e0, 4.63033784615654529590e0,  5.76949722146069140550e0,  3.64784832476320460504e0,
    1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4};
constexpr std::array<double, 8> kTailD = {1.0,
                                          2.05319162663775882187e0,
                                          1.67638483018380384940e0,
                                          6.89767334985100004550e-1,
                                          1.48103976427480074590e-1,
                                          1.51986665636164571966e-2,
                                          5.47593808499534494600e-4,
                                          1.05075007164441684324e-9};
constexpr std::array<double, 8> kFarE = {
    6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,  2.96560571828504891230e-1,
    2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr std::array<double, 8> kFarF = {1.0,
                                         5.99832206555887937690e-1,
                                         1.36929880922735805310e-1,
                                         1.48753612908506148525e-2,
                                         7.86869131145613259100e-4,
                                         1.84631831751005468180e-5,
                                         1.42151175831644588870e-7,
                                         2.04426310338993978564e-15};

/// A gamma number of scale 1 for a shape of at least 1: G. Marsaglia, W. W. Tsang, "A simple method for generating
/// gamma variables", ACM Transactions on Mathematical Software 26 (2000). Accepts at least 95 of 100 candidates.
double standard_gamma(Stream& stream, double shape) {
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = normal_quantile(stream.next());
    const double root = 1 + c * x;
    const double v = root * root * root;
    const double u = stream.next();
    if (v <= 0) continue;
    const double square = x * x;
    if (u < 1 - 0.0331 * square * square) return d * v;
    if (plain_log(u) < 0.5 * square + d * (1 - v + plain_log(v))) return d * v;
  }
}

/// The logarithm of a gamma number of scale 1; does not underflow for small shapes.
double log_standard_gamma(Stream& stream, double shape) {
  if (shape >= 1) return plain_log(standard_gamma(stream, shape));
  const double log_gamma = plain_log(standard_gamma(stream, shape + 1));
  return log_gamma + plain_log(stream.next()) / shape;
}

}  // namespace

double normal_quantile(double p) {
  const double q = p - 0.5;
  if (std::fabs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * polynomial(kCentreA, r) / polynomial(kCentreB, r);
  }
  const double r = std::sqrt(-plain_log(q < 0 ? p : 1 - p));
  const double distance = r <= 5 ? polynomial(kTailC, r - 1.6) / polynomial(kTailD, r - 1.6)
                                 : polynomial(kFarE, r - 5) / polynomial(kFarF, r - 5);
  return q < 0 ? -distance : distance;
}

double normal(Stream& stream, double mu, double sigma) { return mu + sigma * normal_quantile(stream.next()); }

double lognormal(Stream& stream, double mu, double sigma) { return plain_exp(normal(stream, mu, sigma)); }

double triangular(Stream& stream, double a, double mode, double b) {
  const double u = stream.next();
  const double width = b - a;
  if (width == 0) return a;
  const double below = (mode - a) / width;  // the probability of a number below the mode
  if (u < below) return a + width * std::sqrt(u * below);
  return b - width * std::sqrt((1 - u) * ((b - mode) / width));
}

double weibull(Stream& stream, double shape, double scale) {
  return scale * plain_pow(exponential(stream, 1), 1 / shape);
}

double gamma(Stream& stream, double shape, double scale) {
  if (shape >= 1) return scale * standard_gamma(stream, shape);
  return scale * plain_exp(log_standard_gamma(stream, shape));
}

double erlang(Stream& stream, double k, double mean) {
  constexpr double kMostFactors = 16;  // the product stays above 1e-155
  if (k > kMostFactors) return gamma(stream, k, mean / k);
  double product = 1;
  for (int left = static_cast<int>(k); left > 0; --left) product *= 1 - stream.next();
  return -(mean / k) * plain_log(product);
}

double beta(Stream& stream, double a, double b) {
  if (a >= 1 && b >= 1) {
    const double x = standard_gamma(stream, a);
    const double y = standard_gamma(stream, b);
    return 1 / (1 + y / x);
  }
  const double x = log_standard_gamma(stream, a);
  const double y = log_standard_gamma(stream, b);
  return 1 / (1 + plain_exp(y - x));
}

std::int64_t discrete(Stream& stream, std::span<const double> p) {
  double rest = stream.next();
  std::size_t last_possible = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i] <= 0) continue;
    last_possible = i;
    if (rest <= p[i]) break;
    rest -= p[i];
  }
  return static_cast<std::int64_t>(last_possible) + 1;
}

double empirical(Stream& stream, std::span<const double> x, std::span<const double> p) {
  return x[static_cast<std::size_t>(discrete(stream, p)) - 1];
}

}  // namespace hyla::random
