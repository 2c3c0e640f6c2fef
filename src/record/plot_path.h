// Paths of a plot as parts of a gnuplot script.
#pragma once

#include <string>

#include "record/plot.h"

namespace hyla::record {

/// The data of a path: a block for each state that the point was in, `$path_INDEX_STATE`. Points closer than a fraction
/// of a dot are left out; the frame has so many dots.
std::string path_data(const Plot& plot, std::size_t index, double width, double height);
/// Axes, ranges at one scale, and the `plot` command.
std::string path_command(const Plot& plot, std::size_t index, double width, double height);

}  // namespace hyla::record
