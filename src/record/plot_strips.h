// Strips of a plot as parts of a gnuplot script.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "record/plot.h"

namespace hyla::record {

/// The boxes of a group of strips, their labels, and a legend for states whose names fit into no box.
class StripsWriter {
 public:
  /// The frame is so many points wide. The plot outlives this.
  StripsWriter(const Plot& plot, std::size_t group, double width, double begin, double end);

  /// Of the legend above the frame.
  std::size_t legend_rows() const;
  const std::string& data() const { return data_; }
  /// Axes and the `plot` command; labels have this size.
  std::string command(double font) const;

 private:
  void add_strip(std::size_t index, double width, double begin, double end);
  std::size_t number_of(std::string_view state);

  const PlotStrips& strips_;
  std::size_t group_ = 0;
  double width_ = 0;
  std::string data_, boxes_, labels_;
  std::vector<std::string_view> states_;                        ///< in the order of appearance; colours go by it
  std::vector<bool> is_labelled_;                               ///< by state
  std::vector<std::pair<std::string, std::string_view>> keys_;  ///< state and colour
};

}  // namespace hyla::record
