// A value that does not exist at a time, as a number among numbers.
#pragma once

#include <bit>
#include <cstdint>

namespace hyla::record {

/// Stands for a value that does not exist at a time: a NaN that no computation gives.
inline constexpr double kAbsent = std::bit_cast<double>(std::uint64_t{0x7ff8'4142'5345'4e54});
inline bool is_absent(double value) {
  return std::bit_cast<std::uint64_t>(value) == std::bit_cast<std::uint64_t>(kAbsent);
}

}  // namespace hyla::record
