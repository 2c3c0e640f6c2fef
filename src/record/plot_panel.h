// Panels of a plot, curves over time, as parts of a gnuplot script.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "record/plot.h"
#include "record/plot_axis.h"

namespace hyla::record {

class PanelWriter {
 public:
  /// The plot outlives this.
  PanelWriter(const Plot& plot, std::size_t index, double begin, double end);

  /// Chooses the axes for a frame of so many points.
  void set_height(double height);
  /// The room that the axis on the left needs for its numbers and its name.
  double left() const;
  /// On the right; 0: there is no axis.
  double right() const;
  /// The width of a legend that is too wide to stand above a frame; 0: it is not, or there is none.
  double legend_beside(double room) const;
  bool has_legend() const { return panel_.curves.size() > 1; }
  /// The text above the frame.
  std::string title() const;

  std::string data() const;
  /// Axes and the `plot` command. A legend beside the frame begins at this part of the whole width; 0: it stands above.
  std::string command(double legend_place) const;

 private:
  struct Side {
    std::string unit;
    std::vector<std::size_t> curves;
    PlotAxis axis;
  };

  std::string legend(const PlotCurve& curve) const;
  std::string label(const Side& side) const;
  std::string marks_command() const;

  const Plot& plot_;
  const PlotPanel& panel_;
  std::size_t index_;
  double begin_, end_, height_ = 0;
  std::vector<Side> sides_;  ///< two if the curves have two units
  bool has_one_unit_ = true;
};

/// The marks of a plot between two times as data: `$marks`. Empty: there are none.
std::string mark_data(const Plot& plot, double begin, double end);

}  // namespace hyla::record
