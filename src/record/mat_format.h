// The bytes of MAT files of level 4: matrices behind each other, each a header, a name and its numbers column by
// column.
//
//     type | rows | columns | 0 | length of the name with its final 0 | name | numbers
//
// The first five are 32-bit numbers. The type is 1000 M + 100 O + 10 P + T: byte order M (0: little-endian), O = 0,
// kind of the numbers P, and T = 1 for texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hyla::record {

inline constexpr std::int32_t kMatDouble = 0;
inline constexpr std::int32_t kMatInteger = 20;  ///< of 32 bits
inline constexpr std::int32_t kMatText = 51;     ///< of bytes
inline constexpr std::size_t kMatHeader = 20;
inline constexpr std::size_t kMatColumns = 8;  ///< where the number of columns stands in the header
/// Rows and columns are 32-bit numbers with a sign.
inline constexpr std::uint64_t kMatMost = 0x7fff'ffff;

}  // namespace hyla::record
