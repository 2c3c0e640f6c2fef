// Paths in a plane, curves over time and strips of states as a picture, drawn by gnuplot.
//
// A plot is plain data; its script holds the data too and writes the picture to gnuplot's standard output, so nothing
// needs a name of a file. Panels stand one below the other over the same time axis, strips below them. Curves of a
// panel with two different units get an axis each. Long curves are reduced to what a picture can show (see
// plot_reduce.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hyla::record {

enum class PlotFormat : std::uint8_t { Svg, Png, Pdf };
/// By the end of a name: `.svg`, `.png` or `.pdf`, in small or capital letters. False: none of them.
bool find_plot_format(std::string_view path, PlotFormat& format);

struct PlotCurve {
  std::string name;
  std::string unit;            ///< empty: none
  std::vector<double> values;  ///< by Plot::times; kAbsent and what is no number leave a gap
};

struct PlotPanel {
  std::string title;
  std::vector<PlotCurve> curves;
};

/// One state of a chart from begin to end.
struct PlotSpell {
  double begin = 0, end = 0;
  std::string state;
};

struct PlotStrip {
  std::string name;
  std::vector<PlotSpell> spells;  ///< in the order of time, not overlapping
};

struct PlotStrips {
  std::string title;
  std::vector<PlotStrip> strips;
};

/// A point that has moved in a plane, drawn with both axes at one scale. The states of the first strip colour it.
struct PlotPath {
  std::string title;
  PlotCurve x, y;
};

struct Plot {
  std::string title;
  std::string time_unit;
  double begin = 0, end = 1;    ///< of the time axis
  std::vector<double> times;    ///< never decreasing; a time twice makes a jump
  std::vector<PlotPath> paths;  ///< above the panels
  std::vector<PlotPanel> panels;
  std::vector<PlotStrips> strips;
  std::string note;  ///< small, below everything
};

/// What gnuplot draws it by.
std::string gnuplot_script(const Plot& plot, PlotFormat format);

}  // namespace hyla::record
