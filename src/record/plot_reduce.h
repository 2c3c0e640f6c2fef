// Long curves reduced to what a picture can show.
//
// A picture has a thousand columns of points, a run may have millions of rows. In each column only the first, the last,
// the lowest and the highest value matter for a line (M4: Jugel, Jerzak, Hackenbroich and Markl 2014): drawn with the
// rest left out, the picture is the same.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "record/plot.h"

namespace hyla::record {

/// Pieces of a curve without gaps: (time, value) each.
using CurvePieces = std::vector<std::vector<std::pair<double, double>>>;

/// What is to be seen of a curve between two times: with the nearest row on either side.
CurvePieces reduce_curve(std::span<const double> times, std::span<const double> values, double begin, double end,
                         std::size_t columns);

/// Where a curve in a plane is drawn: the values at the edges of a frame, and its size in points.
struct PathFrame {
  double left = 0, right = 1, bottom = 0, top = 1;
  double width = 1, height = 1;
};
/// What is to be seen of a curve in a plane from row to row. A long one leaves out what would be drawn over itself.
CurvePieces reduce_path(std::span<const double> x, std::span<const double> y, std::size_t first, std::size_t last,
                        const PathFrame& frame);

/// A piece of a strip.
struct StripBox {
  double begin = 0, end = 0;
  double low = 0, high = 1;  ///< of the height of the strip
  std::string_view state;    ///< of the spells
};

/// Where spells are too short to be seen the states stand above each other, with their shares of the time.
std::vector<StripBox> boxes_of(const std::vector<PlotSpell>& spells, double begin, double end, std::size_t columns);

}  // namespace hyla::record
