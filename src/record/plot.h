// Curves over time, strips of states, curves in a plane and histograms as one picture, drawn by gnuplot or as text.
//
// A plot is plain data; its script holds the data too and writes the picture to gnuplot's standard output, so nothing
// needs a name of a file. Curves in a plane stand above, panels below them over one time axis, strips below the panels,
// histograms last. Curves of a panel with two different units get an axis each. Long curves are reduced to what a
// picture can show (see plot_reduce.h).
#pragma once

#include <cstddef>
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
  std::vector<double> values;  ///< kAbsent and what is no number leave a gap
  std::size_t run = 0;         ///< the values belong to Plot::times[run]
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

/// Variables over another one instead of the time.
struct PlotPath {
  std::string title;
  std::vector<PlotCurve> x;                           ///< one for each run
  std::vector<PlotCurve> y;                           ///< over the x of their run
  bool is_place = false;                              ///< of a point in a plane: both axes at one scale
  std::vector<PlotSpell> spells;                      ///< colour the curve, if there is just one
  bool has_points = false;                            ///< a dot for each value
  std::vector<std::vector<double>> half_widths = {};  ///< of the bars at the dots of each y; none: no bars
};

/// How often, or how long, a quantity had which values.
struct PlotHistogram {
  std::string title;
  std::string name;
  std::string unit;
  std::string weighed;  ///< what the bars count: `observations`, `time`
  double low = 0;       ///< where the first bar begins
  double width = 1;     ///< of a bar
  std::vector<double> weights;
  double mean = 0;
};

/// A moment that is worth a line across all panels.
struct PlotMark {
  double time = 0;
  std::string label;  ///< may be empty
};

struct Plot {
  std::string title;
  std::string time_unit;
  double begin = 0, end = 1;               ///< of the time axis
  std::vector<std::vector<double>> times;  ///< of each run; never decreasing, a time twice makes a jump
  std::vector<PlotPath> paths;
  std::vector<PlotPanel> panels;
  std::vector<PlotStrips> strips;
  std::vector<PlotHistogram> histograms;
  std::vector<PlotMark> marks;   ///< in any order
  std::string note;              ///< small, below everything
  double width = 0, height = 0;  ///< in points; 0: chosen by what is shown
};

/// What gnuplot draws it by.
std::string gnuplot_script(const Plot& plot, PlotFormat format);

/// Marks where the strips change, unless that were more marks than a reader can follow.
void mark_changes(Plot& plot);

}  // namespace hyla::record
