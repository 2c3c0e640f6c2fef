// Curves in a plane as parts of a gnuplot script.
#pragma once

#include <cstddef>
#include <string>

#include "record/plot.h"
#include "record/plot_axis.h"

namespace hyla::record {

class PathWriter {
 public:
  /// Fits a frame into so much room. The plot outlives this.
  PathWriter(const Plot& plot, std::size_t index, double begin, double end, double room, double height);

  /// Of the frame, in points.
  double width() const { return width_; }
  double height() const { return height_; }
  const PlotAxis& vertical() const { return y_; }
  /// Beside the frame; 0: there is none.
  double legend_width() const;
  /// A block for each curve, or for each state that colours the only one: `$path_INDEX_NUMBER`.
  std::string data() const;
  /// Axes, ranges, and the `plot` command.
  std::string command() const;

 private:
  /// What is drawn in one colour.
  struct Part {
    std::size_t curve = 0;
    std::string name;
    std::vector<std::pair<double, double>> spells;  ///< times
  };

  void find_parts();
  void choose_axes(double room, double height);
  std::string part_data(const Part& part) const;
  std::string mark_data() const;
  std::string point_data(std::size_t curve) const;
  std::string points_command() const;
  /// NaN where there is no bar.
  double half_width(std::size_t curve, std::size_t row) const;
  const PlotCurve& x_of(std::size_t curve) const;

  const Plot& plot_;
  const PlotPath& path_;
  std::size_t index_;
  double begin_, end_;
  double width_ = 0, height_ = 0;
  PlotAxis x_, y_;
  std::vector<Part> parts_;
};

}  // namespace hyla::record
