#include "code/numbers.h"

#include <array>

namespace hyla::code {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr int kMostOrder = 40;
/// From here on the asymptotic series is exact to the last bits, for small orders.
constexpr double kLarge = 16;

double factorial(int n) {
  double result = 1;
  for (int i = 2; i <= n; ++i) result *= i;
  return result;
}

/// Bernoulli numbers B2, B4, ...
constexpr std::array<double, 14> kBernoulli = {1.0 / 6,       -1.0 / 30,           1.0 / 42,       -1.0 / 30,
                                               5.0 / 66,      -691.0 / 2730,       7.0 / 6,        -3617.0 / 510,
                                               43867.0 / 798, -174611.0 / 330,     854513.0 / 138, -236364091.0 / 2730,
                                               8553103.0 / 6, -23749461029.0 / 870};

/// For large x: Abramowitz and Stegun (1964), 6.3.18 and 6.4.11, without the sign (-1)^(n+1) of orders above 0.
double asymptotic(int n, double x) {
  double sum =
      n == 0 ? std::log(x) - 0.5 / x : factorial(n - 1) / std::pow(x, n) + factorial(n) / (2 * std::pow(x, n + 1));
  // The factor (2k + n - 1)! / (2k)! / x^(2k + n) of term k follows from that of term k - 1.
  double factor = n == 0 ? 0.5 / (x * x) : factorial(n + 1) / 2 / std::pow(x, n + 2);
  for (std::size_t k = 1; k <= kBernoulli.size(); ++k) {
    const double term = kBernoulli[k - 1] * factor;
    sum += n == 0 ? -term : term;
    const double j = 2 * static_cast<double>(k);
    factor *= (j + n) * (j + n + 1) / ((j + 1) * (j + 2)) / (x * x);
  }
  return sum;
}

/// For positive x: shifted upwards until the series holds.
double of_positive(int n, double x) {
  const double sign = n % 2 == 0 ? -1 : 1;
  double shift = 0;
  const double large = kLarge + n;
  for (; x < large; x += 1) shift += 1 / std::pow(x, n + 1);
  const double tail = asymptotic(n, x);
  return n == 0 ? tail - shift : sign * (tail + factorial(n) * shift);
}

/// Derivative n of pi * cot(pi x), from the Taylor series of y' = -pi (1 + y^2).
double cotangent_derivative(int n, double x) {
  std::array<double, kMostOrder + 1> y{};
  const double fraction = x - std::round(x);
  y[0] = 1 / std::tan(kPi * fraction);
  for (int k = 1; k <= n; ++k) {
    double square = k == 1 ? 1 : 0;
    for (int i = 0; i < k; ++i) square += y[static_cast<std::size_t>(i)] * y[static_cast<std::size_t>(k - 1 - i)];
    y[static_cast<std::size_t>(k)] = -kPi * square / k;
  }
  return kPi * y[static_cast<std::size_t>(n)] * factorial(n);
}

}  // namespace

double polygamma(double order, double x) {
  if (!(order >= 0 && order <= kMostOrder) || order != std::floor(order) || std::isnan(x)) return std::nan("");
  const int n = static_cast<int>(order);
  if (x > 0) return std::isinf(x) ? (n == 0 ? x : 0.0) : of_positive(n, x);
  if (x == std::floor(x)) return std::nan("");
  // Reflection: psi_n(1 - x) * (-1)^n - psi_n(x) is derivative n of pi cot(pi x).
  return (n % 2 == 0 ? 1 : -1) * of_positive(n, 1 - x) - cotangent_derivative(n, x);
}

}  // namespace hyla::code
