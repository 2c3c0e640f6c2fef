// What the parts of a picture share: colours, and texts as gnuplot reads them.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "record/plot_axis.h"

namespace hyla::record {

// Okabe and Ito's colours (2008), which people with any colour vision can tell apart; without the yellow, which is
// hard to see on white.
inline constexpr std::array<std::string_view, 7> kColours = {"#0072B2", "#D55E00", "#009E73", "#E69F00",
                                                             "#CC79A7", "#56B4E9", "#000000"};
/// The same colours, light, then less light: fillings of states with dark text on them.
inline constexpr std::array<std::string_view, 14> kTints = {"#A6CFE6", "#F3C4A0", "#A0DCC9", "#F7DDA0", "#EBCBDD",
                                                            "#C9E6F7", "#CCCCCC", "#4D9CC9", "#E28E4D", "#4DBA9D",
                                                            "#EEBF4D", "#DBA1C1", "#89CBF0", "#999999"};

/// Single quotes: gnuplot understands nothing inside.
std::string quoted(std::string_view text);
/// A text in a row of data.
std::string cell(std::string_view text);
/// The range and the ticks of `x`, `y` or `y2`.
std::string axis_command(std::string_view axis, const PlotAxis& scale);

/// Signs of a text in UTF-8.
std::size_t length_of(std::string_view text);
/// About as wide as the text is drawn, in points.
double width_of(std::string_view text);
/// The widest number at an axis.
double width_of(const PlotAxis& axis);

}  // namespace hyla::record
