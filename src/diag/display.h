// Text on a terminal: how many columns it takes, and rows of cells that parts of a message are painted into.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hyla::diag {

enum class Paint : std::uint8_t { Plain, Strong, Gutter, Error, Warning, Label, Hint };

/// Columns of one character: 0 for combining marks, 2 for wide East Asian characters and pictures, otherwise 1.
std::size_t display_width(char32_t code_point);
std::size_t display_width(std::string_view text);

/// The text as it can be shown on one line of a terminal: tabs and line breaks become blanks; control characters, marks
/// that turn the direction of writing and bytes that are not UTF-8 become U+FFFD.
std::string printable(std::string_view text);

/// Breaks a text into lines of at most `width` columns, at blanks where there are some. Line breaks of the text stay.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

/// Surrounds the text by the escape sequences of its paint; leaves it alone without `colour`.
std::string painted(std::string_view text, Paint paint, bool colour);

/// One row of cells. Painting outside the row extends it by blanks.
class Row {
 public:
  void put(std::size_t column, std::string_view text, Paint paint);
  /// Adds source text in which tabs are already expanded, one character at a time.
  void append(std::string_view glyph, std::size_t width, Paint paint = Paint::Plain);
  /// Keeps the columns from `begin` to `end`.
  void crop(std::size_t begin, std::size_t end);

  std::size_t width() const { return cells_.size(); }
  bool is_blank(std::size_t begin, std::size_t end) const;
  /// The row without blanks at its end.
  std::string text(bool colour) const;

 private:
  struct Cell {
    std::string glyph = " ";  ///< a character with its combining marks; empty behind a wide character
    Paint paint = Paint::Plain;
  };
  std::vector<Cell> cells_;
};

}  // namespace hyla::diag
