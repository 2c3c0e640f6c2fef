#include "record/plot_canvas.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace hyla::record {
namespace {

/// The colours of plot_text.h, as near as 256 colours come; the last curve has the terminal's own.
constexpr std::array<int, 7> kCurveColours = {32, 166, 36, 178, 175, 74, 245};
constexpr std::array<int, 14> kStateColours = {153, 216, 115, 222, 182, 195, 252, 74, 173, 72, 179, 175, 117, 247};
constexpr std::string_view kLetters = "*+ox#@%";
constexpr int kFaint = 244;

/// A braille pattern in UTF-8: the bits of its dots are the last eight of U+2800.
std::string braille(std::uint8_t dots) {
  return {'\xE2', static_cast<char>(0xA0U | (dots >> 6U)), static_cast<char>(0x80U | (dots & 0x3FU))};
}

}  // namespace

std::string in_colour(const std::string& text, int colour) {
  return "\x1b[38;5;" + std::to_string(colour) + "m" + text + "\x1b[0m";
}

std::string on_colour(const std::string& text, int colour) {
  return "\x1b[30;48;5;" + std::to_string(colour) + "m" + text + "\x1b[0m";
}

int curve_colour(std::size_t number) { return kCurveColours[number % kCurveColours.size()]; }
int state_colour(std::size_t number) { return kStateColours[number % kStateColours.size()]; }
char curve_letter(std::size_t number) { return kLetters[number % kLetters.size()]; }

Canvas::Canvas(std::size_t columns, std::size_t rows, bool with_colours, bool with_letters)
    : columns_(columns),
      rows_(rows),
      with_colours_(with_colours),
      with_letters_(with_letters),
      cells_(columns * rows) {}

void Canvas::dot(double x, double y, std::size_t curve) {
  if (!(x >= 0 && y >= 0 && x < width() && y < height())) return;
  constexpr std::array<std::array<std::uint8_t, kAcross>, kDown> kBits = {
      {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}};
  const auto across = static_cast<std::size_t>(x), down = static_cast<std::size_t>(y);
  Cell& cell = cells_[down / kDown * columns_ + across / kAcross];
  cell.dots |= kBits[down % kDown][across % kAcross];
  cell.curve = curve;
}

void Canvas::line(double x1, double y1, double x2, double y2, std::size_t curve) {
  // Far ends are cut so that a line never has many more dots than the canvas.
  const double far = 4 * (width() + height());
  for (double* place : {&x1, &y1, &x2, &y2}) *place = std::clamp(*place, -far, far);
  const double steps = std::ceil(std::max({std::abs(x2 - x1), std::abs(y2 - y1), 1.0}));
  for (double i = 0; i <= steps; ++i) dot(x1 + (x2 - x1) * i / steps, y1 + (y2 - y1) * i / steps, curve);
}

void Canvas::mark(std::size_t column) {
  if (column >= columns_) return;
  for (std::size_t row = 0; row < rows_; ++row) cells_[row * columns_ + column].is_marked = true;
}

std::string Canvas::row(std::size_t index) const {
  std::string text;
  for (std::size_t i = 0; i < columns_; ++i) {
    const Cell& cell = cells_[index * columns_ + i];
    if (cell.dots == 0) {
      text += !cell.is_marked ? " " : with_colours_ ? in_colour("┊", kFaint) : "┊";
    } else if (with_colours_) {
      text += in_colour(braille(cell.dots), curve_colour(cell.curve));
    } else {
      text += with_letters_ ? std::string(1, curve_letter(cell.curve)) : braille(cell.dots);
    }
  }
  return text;
}

}  // namespace hyla::record
