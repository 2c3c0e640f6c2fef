// The bytes of MAT files of level 4: matrices behind each other, each a header, a name and its numbers column by
// column.
//
//     type | rows | columns | 0 | length of the name with its final 0 | name | numbers
//
// The first five are 32-bit numbers. The type is 1000 M + 100 O + 10 P + T: byte order M (0: little-endian), O = 0,
// kind of the numbers P, and T = 1 for texts.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hyla::record {

inline constexpr std::int32_t kMatDouble = 0;
inline constexpr std::int32_t kMatInteger = 20;  ///< of 32 bits
inline constexpr std::int32_t kMatText = 51;     ///< of bytes
inline constexpr std::size_t kMatHeader = 20;
inline constexpr std::size_t kMatColumns = 8;  ///< where the number of columns stands in the header
/// Rows and columns are 32-bit numbers with a sign.
inline constexpr std::uint64_t kMatMost = 0x7fff'ffff;

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie in memory");

template <class T>
void append_mat_numbers(std::string& bytes, std::span<const T> numbers) {
  bytes.append(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes());
}

void append_mat_header(std::string& bytes, std::int32_t type, std::size_t rows, std::size_t columns,
                       std::string_view name);
/// Each text is a column, filled up with blanks.
void append_mat_columns(std::string& bytes, std::string_view name, const std::vector<std::string>& texts);
/// Each text is a row, filled up with blanks, which is how programs show them.
void append_mat_rows(std::string& bytes, std::string_view name, const std::vector<std::string>& texts);
void append_mat_text(std::string& bytes, std::string_view name, const std::string& text);
void append_mat_scalar(std::string& bytes, std::string_view name, double value);
/// A matrix that lies row by row.
void append_mat_matrix(std::string& bytes, std::string_view name, std::size_t rows, std::size_t columns,
                       std::span<const double> numbers);

}  // namespace hyla::record
