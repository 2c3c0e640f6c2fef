// Long curves reduced to what a picture can show.
//
// A picture has a thousand columns of points, a run may have millions of rows. In each column only the first, the last,
// the lowest and the highest value matter for a line (M4: Jugel, Jerzak, Hackenbroich and Markl 2014): drawn with the
// rest left out, the picture is the same.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "record/plot.h"

namespace hyla::record {

/// Pieces of a curve without gaps: (time, value) each.
using CurvePieces = std::vector<std::vector<std::pair<double, double>>>;

CurvePieces reduce_curve(std::span<const double> times, std::span<const double> values, double begin, double end,
                         std::size_t columns);

/// Spells that are shorter than a column are joined to neighbours: in each column the longest state stays.
std::vector<PlotSpell> reduce_spells(const std::vector<PlotSpell>& spells, double begin, double end,
                                     std::size_t columns);

}  // namespace hyla::record
