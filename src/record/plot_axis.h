// Axes of pictures: ranges, ticks that people can read, and names with units.
#pragma once

#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "record/plot.h"

namespace hyla::record {

struct Range {
  double low = HUGE_VAL, high = -HUGE_VAL;
  bool is_empty() const { return !(low <= high); }
  double span() const { return high - low; }
  void add(double value);  ///< what is not finite does not count
};

/// What a curve shows between two times.
Range range_of(const PlotCurve& curve, const std::vector<double>& times, double begin, double end);

struct PlotAxis {
  double low = 0, high = 1;
  std::vector<std::pair<double, std::string>> ticks;
  int exponent = 0;  ///< the numbers at the ticks times 10 to this are the values
};

/// From end to end, with at most so many ticks.
PlotAxis exact_axis(double low, double high, std::size_t most_ticks);
/// With some space at both ends, so that no line runs along the frame.
PlotAxis roomy_axis(const Range& range, std::size_t most_ticks);
/// Of bars: from 0.
PlotAxis bar_axis(double high, std::size_t most_ticks);

/// `m3/s` as `m³/s`, `degC` as `°C`.
std::string pretty_unit(std::string_view unit);
/// `h [m]`.
std::string with_unit(const std::string& name, const std::string& unit);
/// `h [10⁻³ m]`. Without a name: `10⁻³ m`.
std::string axis_label(const std::string& name, const std::string& unit, int exponent);

}  // namespace hyla::record
