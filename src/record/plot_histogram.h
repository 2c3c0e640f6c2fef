// Histograms: those of a plot as parts of a gnuplot script, and those of recorded curves.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "record/plot.h"
#include "record/plot_axis.h"

namespace hyla::record {

/// How long a recorded curve, straight between its rows, had which values between two times. Whole numbers get a bar
/// each unless there are too many. No bars if the curve has no values there.
PlotHistogram histogram_of(const PlotCurve& curve, std::span<const double> times, double begin, double end);

class HistogramWriter {
 public:
  /// For a frame of so many points. The plot outlives this.
  HistogramWriter(const Plot& plot, std::size_t index, double width, double height);

  const PlotAxis& horizontal() const { return x_; }
  const PlotAxis& vertical() const { return y_; }
  std::string data() const;
  std::string command() const;
  /// The height of a bar in percent.
  double share(std::size_t bar) const;

 private:
  const PlotHistogram& histogram_;
  std::size_t index_;
  double sum_ = 0;
  PlotAxis x_, y_;
};

}  // namespace hyla::record
