// Curves as text: cells of a terminal with eight dots each (Unicode's braille patterns), or with a letter for each
// curve where there are no colours to tell them apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hyla::record {

/// A colour of 256 that terminals have.
std::string in_colour(const std::string& text, int colour);
std::string on_colour(const std::string& text, int colour);
/// Of curves and of states, by number.
int curve_colour(std::size_t number);
int state_colour(std::size_t number);
/// What draws a curve where there are no colours.
char curve_letter(std::size_t number);

class Canvas {
 public:
  static constexpr std::size_t kAcross = 2, kDown = 4;  ///< dots of a cell

  Canvas(std::size_t columns, std::size_t rows, bool with_colours, bool with_letters);

  std::size_t columns() const { return columns_; }
  std::size_t rows() const { return rows_; }
  double width() const { return static_cast<double>(columns_ * kAcross); }
  double height() const { return static_cast<double>(rows_ * kDown); }

  /// From dot to dot, counted from the left and the top; what is outside is cut off.
  void line(double x1, double y1, double x2, double y2, std::size_t curve);
  /// A faint line from top to bottom behind everything.
  void mark(std::size_t column);
  std::string row(std::size_t index) const;

 private:
  struct Cell {
    std::uint8_t dots = 0;
    bool is_marked = false;
    std::size_t curve = 0;  ///< the last one that has a dot here
  };
  void dot(double x, double y, std::size_t curve);

  std::size_t columns_, rows_;
  bool with_colours_, with_letters_;
  std::vector<Cell> cells_;
};

}  // namespace hyla::record
