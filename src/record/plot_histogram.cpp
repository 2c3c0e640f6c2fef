#include "record/plot_histogram.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "record/plot_text.h"

namespace hyla::record {
namespace {

constexpr std::size_t kBars = 40;
constexpr double kMostWhole = 60;  // whole numbers with bars of their own
constexpr double kWideTick = 70, kHighTick = 34;
constexpr double kMeanRoom = 1.1;  // of the highest bar, for the words at the mean above it

/// Pieces of a curve between two rows, cut to the time that is looked at.
template <class Visit>
void visit_pieces(const PlotCurve& curve, std::span<const double> times, double begin, double end, Visit visit) {
  for (std::size_t i = 0; i + 1 < times.size(); ++i) {
    const double left = std::max(begin, times[i]), right = std::min(end, times[i + 1]);
    const double a = curve.values[i], b = curve.values[i + 1];
    if (!(right > left) || !std::isfinite(a) || !std::isfinite(b)) continue;
    const double slope = (b - a) / (times[i + 1] - times[i]);
    visit(right - left, a + slope * (left - times[i]), a + slope * (right - times[i]));
  }
}

/// Adds a time during which the value went from one end to the other.
void spread(PlotHistogram& histogram, double time, double from, double to) {
  const auto bar_at = [&](double value) {
    const double place = std::floor((value - histogram.low) / histogram.width);
    return static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(histogram.weights.size() - 1)));
  };
  const double low = std::min(from, to), high = std::max(from, to);
  const std::size_t first = bar_at(low), last = bar_at(high);
  if (first == last) {
    histogram.weights[first] += time;
    return;
  }
  for (std::size_t i = first; i <= last; ++i) {
    const double left = i == first ? low : histogram.low + static_cast<double>(i) * histogram.width;
    const double right = i == last ? high : histogram.low + static_cast<double>(i + 1) * histogram.width;
    histogram.weights[i] += time * std::max(0.0, right - left) / (high - low);
  }
}

}  // namespace

PlotHistogram histogram_of(const PlotCurve& curve, std::span<const double> times, double begin, double end) {
  PlotHistogram histogram;
  histogram.name = curve.name;
  histogram.unit = curve.unit;
  histogram.weighed = "time";
  Range range;
  bool is_whole = true;
  double sum = 0, weight = 0;
  visit_pieces(curve, times, begin, end, [&](double time, double from, double to) {
    range.add(from);
    range.add(to);
    is_whole = is_whole && from == to && std::floor(from) == from;
    sum += time * (from + to) / 2;
    weight += time;
  });
  if (range.is_empty() || !std::isfinite(range.span())) return histogram;
  histogram.mean = sum / weight;
  if (is_whole && range.span() < kMostWhole) {
    histogram.low = range.low - 0.5;
    histogram.weights.resize(static_cast<std::size_t>(range.span()) + 1);
  } else {
    const double span = range.span() > 0 ? range.span() : std::max(1.0, std::abs(range.low));
    histogram.low = range.span() > 0 ? range.low : range.low - span / 2;
    histogram.width = span / static_cast<double>(kBars);
    histogram.weights.resize(kBars);
  }
  visit_pieces(curve, times, begin, end,
               [&](double time, double from, double to) { spread(histogram, time, from, to); });
  return histogram;
}

HistogramWriter::HistogramWriter(const Plot& plot, std::size_t index, double width, double height)
    : histogram_(plot.histograms[index]), index_(index) {
  double highest = 0;
  for (const double weight : histogram_.weights) sum_ += weight;
  for (std::size_t i = 0; i < histogram_.weights.size(); ++i) highest = std::max(highest, share(i));
  const double span = histogram_.width * static_cast<double>(std::max<std::size_t>(histogram_.weights.size(), 1));
  x_ = exact_axis(histogram_.low, histogram_.low + span, static_cast<std::size_t>(std::max(2.0, width / kWideTick)));
  y_ = bar_axis(kMeanRoom * highest, static_cast<std::size_t>(std::max(2.0, height / kHighTick)));
}

double HistogramWriter::share(std::size_t bar) const { return sum_ > 0 ? 100 * histogram_.weights[bar] / sum_ : 0; }

std::string HistogramWriter::data() const {
  std::string text = fmt::format("$bars_{} << END\n", index_);
  for (std::size_t i = 0; i < histogram_.weights.size(); ++i) {
    text +=
        fmt::format("{:.9g} {:.7g}\n", histogram_.low + (static_cast<double>(i) + 0.5) * histogram_.width, share(i));
  }
  if (histogram_.weights.empty()) text += "NaN NaN\n";
  return text + fmt::format("END\n$mean_{} << END\n{:.9g} 0\n{:.9g} {:.9g}\nEND\n", index_, histogram_.mean,
                            histogram_.mean, y_.high);
}

std::string HistogramWriter::command() const {
  std::string text = "set border 3\nunset y2tics\nunset y2label\nunset key\n";
  text += axis_command("x", x_) + axis_command("y", y_);
  text += fmt::format("set xlabel {} offset 0,0.3\nset ylabel {} textcolor rgb '#222222'\n",
                      quoted(axis_label(histogram_.name, histogram_.unit, x_.exponent)),
                      quoted(axis_label(histogram_.weighed, "%", y_.exponent)));
  const bool is_left = histogram_.mean < x_.low + 0.7 * (x_.high - x_.low);
  text += fmt::format("set label 2 {} at {:.9g}, graph 1 offset {},-0.6 {} front textcolor rgb '#555555'\n",
                      quoted(fmt::format("mean {:.4g}", histogram_.mean)), histogram_.mean, is_left ? 0.5 : -0.5,
                      is_left ? "left" : "right");
  text += fmt::format("plot $bars_{} using 1:2:({:.9g}) with boxes lc rgb '{}' notitle, \\\n", index_,
                      0.94 * histogram_.width, kTints[0]);
  return text +
         fmt::format("  $mean_{} using 1:2 with lines lw 1.5 dt 2 lc rgb '#555555' notitle\nunset label 2\n", index_);
}

}  // namespace hyla::record
