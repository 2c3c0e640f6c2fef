// The elementary functions of the distributions, made of IEEE additions, multiplications, divisions and table look-ups
// alone.
//
// Problem: exp and log of the C library differ in the last bit between libraries and processors, and one bit is enough
// to send two runs different ways. Idea: our own, with the operations in a fixed order; the library's CMakeLists.txt
// forbids the compiler to fuse them. Cost: as fast as the C library's (docs/adr/0015), errors below 1 unit in the last
// place.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <limits>

namespace hyla::random {

/// 2^(j/32) rounded, and the part by which the true value is greater.
struct ExpEntry {
  double value;
  double excess;
};

// clang-format off
inline constexpr std::array<ExpEntry, 32> kExpTable = {{
    {0x1.0000000000000p+0, 0}, {0x1.059b0d3158574p+0, 0x1.cd2523567f613p-55},
    {0x1.0b5586cf9890fp+0, 0x1.79aa65d837b6dp-54}, {0x1.11301d0125b51p+0, -0x1.556522a2fbd0ep-54},
    {0x1.172b83c7d517bp+0, -0x1.01b15eaa59348p-55}, {0x1.1d4873168b9aap+0, 0x1.aecf73e3a2f60p-54},
    {0x1.2387a6e756238p+0, 0x1.68efde3a8a894p-54}, {0x1.29e9df51fdee1p+0, 0x1.2f7e16d09ab31p-55},
    {0x1.306fe0a31b715p+0, 0x1.34d754db0abb6p-55}, {0x1.371a7373aa9cbp+0, -0x1.24aedcc4b5068p-54},
    {0x1.3dea64c123422p+0, 0x1.59f48a72a4c6dp-55}, {0x1.44e086061892dp+0, 0x1.363ed60c2ac11p-59},
    {0x1.4bfdad5362a27p+0, 0x1.690cebb7aafb0p-56}, {0x1.5342b569d4f82p+0, -0x1.8dec6bd0f385fp-56},
    {0x1.5ab07dd485429p+0, 0x1.063e1e21c5409p-54}, {0x1.6247eb03a5585p+0, -0x1.c33c53bef4da8p-55},
    {0x1.6a09e667f3bcdp+0, -0x1.3b3efbf5e2228p-54}, {0x1.71f75e8ec5f74p+0, -0x1.81f647e5a3ecfp-56},
    {0x1.7a11473eb0187p+0, -0x1.b32dcb94da51dp-56}, {0x1.82589994cce13p+0, -0x1.369b6f13b3734p-54},
    {0x1.8ace5422aa0dbp+0, 0x1.db72fc1f0eab4p-55}, {0x1.93737b0cdc5e5p+0, -0x1.da9b88b6c1e29p-58},
    {0x1.9c49182a3f090p+0, 0x1.1affc2b91ce27p-56}, {0x1.a5503b23e255dp+0, -0x1.1bbd1d3bcbb15p-54},
    {0x1.ae89f995ad3adp+0, 0x1.c1a7792cb3387p-55}, {0x1.b7f76f2fb5e47p+0, -0x1.8d6f438ad9334p-57},
    {0x1.c199bdd85529cp+0, 0x1.36eae30af0cb3p-56}, {0x1.cb720dcef9069p+0, 0x1.76b2c6c921968p-57},
    {0x1.d5818dcfba487p+0, 0x1.4a385a63d07a7p-56}, {0x1.dfc97337b9b5fp+0, -0x1.2d52107b43e1fp-55},
    {0x1.ea4afa2a490dap+0, -0x1.ff7128fd391f0p-55}, {0x1.f50765b6e4540p+0, 0x1.a64a931d185eep-55},
}};
// clang-format on

/// 2^exponent for an exponent from -1022 to 1023.
inline double power_of_two(std::int64_t exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

/// e^x. With x = (32 n + j) ln2/32 + r and |r| below 0.011 it is 2^n 2^(j/32) e^r, and e^r needs 6 terms of its series.
inline double plain_exp(double x) {
  if (!(x < 709.8)) return x * std::numeric_limits<double>::infinity();  // not a number stays so
  if (x < -745.2) return 0;
  constexpr double kInverse = 0x1.71547652b82fep+5;  // 32 / ln 2
  constexpr double kHigh = 0x1.62e42ff000000p-6;     // 32 bits of ln 2 / 32, so that small multiples are exact
  constexpr double kLow = -0x1.718432a1b0e26p-40;    // the rest of it
  constexpr double kRounder = 0x1.8p52;              // numbers of this size have no fraction
  const double rounded = x * kInverse + kRounder;
  const double count = rounded - kRounder;
  const auto whole = static_cast<std::int64_t>(count);
  const double r = (x - count * kHigh) - count * kLow;
  const double r2 = r * r;
  const double tail = (0.5 + r * (1.0 / 6)) + r2 * ((1.0 / 24 + r * (1.0 / 120)) + r2 * (1.0 / 720));
  const ExpEntry& entry = kExpTable[static_cast<std::size_t>(whole & 31)];
  const double value = entry.value + entry.value * (r + (entry.excess + r2 * tail));
  const std::int64_t exponent = whole >> 5;
  if (exponent > -1022 && exponent < 1023) [[likely]]
    return value * power_of_two(exponent);
  const std::int64_t half = exponent / 2;
  return value * power_of_two(half) * power_of_two(exponent - half);
}

/// Natural logarithm of x; minus infinity for 0, not a number below 0.
///
/// With x = 2^n (1 + f) and 1 + f between sqrt(1/2) and sqrt(2) it is n ln2 + log(1 + f). With s = f / (2 + f) the
/// second part is 2 artanh(s) = 2 s + s R(s^2); the coefficients of R are a near-minimax fit, off by less than 0.05
/// units in the last place of the result. It is put together from f, which is exact, and small corrections.
inline double plain_log(double x) {
  constexpr std::uint64_t kLeastNormal = 0x0010000000000000;
  constexpr std::uint64_t kInfinity = 0x7FF0000000000000;
  constexpr std::uint64_t kSqrtHalf = 0x3FE6A09E667F3BCD;
  auto bits = std::bit_cast<std::uint64_t>(x);
  std::int64_t n = 0;
  if (bits - kLeastNormal >= kInfinity - kLeastNormal) [[unlikely]] {
    if (x == 0) return -std::numeric_limits<double>::infinity();
    if (!(x > 0)) return std::numeric_limits<double>::quiet_NaN();
    if (bits == kInfinity) return x;
    bits = std::bit_cast<std::uint64_t>(x * 0x1p54);
    n = -54;
  }
  const std::uint64_t offset = bits - kSqrtHalf;
  const std::int64_t exponent = static_cast<std::int64_t>(offset) >> 52;
  n += exponent;
  const double f = std::bit_cast<double>(bits - (static_cast<std::uint64_t>(exponent) << 52)) - 1;
  const double s = f / (2 + f);
  const double z = s * s;
  const double w = z * z;
  const double even = w * (0x1.99999999952e2p-2 + w * (0x1.c71c62e5800a1p-3 + w * 0x1.39fe606542ddep-3));
  const double odd =
      z * (0x1.5555555555558p-1 + w * (0x1.2492492df148dp-2 + w * (0x1.7462b4ab2ef6bp-3 + w * 0x1.2b584aae78a57p-3)));
  const double half_square = 0.5 * f * f;
  constexpr double kLn2High = 0x1.62e42ff000000p-1;  // 32 bits, so that n of them are exact
  constexpr double kLn2Low = -0x1.718432a1b0e26p-35;
  const auto count = static_cast<double>(n);
  return count * kLn2High - ((half_square - (s * (half_square + (odd + even)) + count * kLn2Low)) - f);
}

/// log(1 + x) without loss for small x; x above -1.
inline double plain_log1p(double x) {
  const double sum = 1 + x;
  if (sum == 1) return x;
  // The error of the sum changes the logarithm and the factor alike (W. Kahan).
  return plain_log(sum) * (x / (sum - 1));
}

/// x^y for x of at least 0. The relative error is about |y log x| units in the last place: enough for random numbers.
inline double plain_pow(double x, double y) { return plain_exp(y * plain_log(x)); }

}  // namespace hyla::random
