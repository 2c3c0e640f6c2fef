// Numbers modulo the prime 2^61 - 1: sums and products of any length without rounding.
//
// What is zero stays zero and what is not is taken for zero about once in 10^18 cases, so one value found with random
// numbers in the place of all that can have any value tells whether an expression vanishes whatever these are (Schwartz
// 1980, Zippel 1979).
#pragma once

#include <cmath>
#include <cstdint>

namespace hyla::structure {

class Residue {
 public:
  constexpr Residue() = default;
  /// Every finite number is a whole one times a power of two, and so has its residue.
  static Residue of(double number) {
    constexpr int kMantissa = 53;
    int exponent = 0;
    const double fraction = std::frexp(std::fabs(number), &exponent);
    const auto whole = static_cast<std::uint64_t>(std::ldexp(fraction, kMantissa));
    const int shift = ((exponent - kMantissa) % kBits + kBits) % kBits;  // 2^61 is 1
    const Residue size = Residue(whole) * Residue(std::uint64_t{1} << shift);
    return number < 0 ? Residue() - size : size;
  }
  /// Something that no other key gives, like a random number; never zero.
  static Residue any(std::uint64_t key) {
    key += 0x9E3779B97F4A7C15U;  // splitmix64
    key = (key ^ (key >> 30U)) * 0xBF58476D1CE4E5B9U;
    key = (key ^ (key >> 27U)) * 0x94D049BB133111EBU;
    return Residue((key ^ (key >> 31U)) % (kPrime - 1) + 1);
  }

  bool is_zero() const { return value_ == 0; }
  std::uint64_t value() const { return value_; }

  Residue operator+(Residue other) const { return Residue(value_ + other.value_); }
  Residue operator-(Residue other) const { return Residue(value_ + kPrime - other.value_); }
  Residue operator*(Residue other) const {
    const Wide product = Wide{value_} * other.value_;
    return Residue(static_cast<std::uint64_t>(product & kPrime) + static_cast<std::uint64_t>(product >> kBits));
  }
  /// By what is not zero.
  Residue operator/(Residue other) const {
    Residue power = other, inverse = Residue(1);  // to the power of p - 2
    for (std::uint64_t rest = kPrime - 2; rest != 0; rest >>= 1U) {
      if ((rest & 1U) != 0) inverse = inverse * power;
      power = power * power;
    }
    return *this * inverse;
  }
  friend bool operator==(Residue, Residue) = default;

 private:
  __extension__ using Wide = unsigned __int128;
  static constexpr int kBits = 61;
  static constexpr std::uint64_t kPrime = (std::uint64_t{1} << kBits) - 1;

  explicit constexpr Residue(std::uint64_t value) : value_(value % kPrime) {}

  std::uint64_t value_ = 0;
};

}  // namespace hyla::structure
