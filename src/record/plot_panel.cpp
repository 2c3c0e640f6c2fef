#include "record/plot_panel.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "record/plot_reduce.h"
#include "record/plot_text.h"

namespace hyla::record {
namespace {

constexpr std::size_t kColumns = 2000;
constexpr double kHighTick = 26;
constexpr double kName = 30;            // the name of an axis, with the space beside it
constexpr double kNumbers = 18;         // space beside the numbers
constexpr double kSample = 48;          // a line in a legend with the space around it
constexpr std::size_t kMostLines = 60;  // more marks are short ones
constexpr double kLabelRoom = 0.2;      // of the range, above the curves, for the names of marks
constexpr double kShortMark = 0.06;     // of the frame

std::vector<double> mark_times(const Plot& plot, double begin, double end) {
  std::vector<double> times;
  for (const PlotMark& mark : plot.marks) {
    if (mark.time >= begin && mark.time <= end) times.push_back(mark.time);
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

}  // namespace

PanelWriter::PanelWriter(const Plot& plot, std::size_t index, double begin, double end)
    : plot_(plot), panel_(plot.panels[index]), index_(index), begin_(begin), end_(end) {
  for (std::size_t i = 0; i < panel_.curves.size(); ++i) {
    const std::string& unit = panel_.curves[i].unit;
    auto side = std::find_if(sides_.begin(), sides_.end(), [&](const Side& it) { return it.unit == unit; });
    if (side == sides_.end()) side = sides_.insert(side, {unit, {}, {}});
    side->curves.push_back(i);
  }
  has_one_unit_ = sides_.size() < 2;
  if (sides_.size() == 1 || sides_.size() == 2) return;
  Side all;
  for (std::size_t i = 0; i < panel_.curves.size(); ++i) all.curves.push_back(i);
  sides_ = {all};
}

void PanelWriter::set_height(double height) {
  height_ = height;
  const bool has_labels = index_ == 0 && std::any_of(plot_.marks.begin(), plot_.marks.end(),
                                                     [](const PlotMark& mark) { return !mark.label.empty(); });
  for (Side& side : sides_) {
    Range range;
    for (const std::size_t i : side.curves) {
      const Range one = range_of(panel_.curves[i], plot_.times[panel_.curves[i].run], begin_, end_);
      range.add(one.low);
      range.add(one.high);
    }
    if (has_labels && !range.is_empty()) range.add(range.high + kLabelRoom * range.span());
    side.axis = roomy_axis(range, static_cast<std::size_t>(std::max(2.0, height / kHighTick)));
  }
}

double PanelWriter::left() const {
  return kNumbers + width_of(sides_[0].axis) + (label(sides_[0]).empty() ? 0 : kName);
}

double PanelWriter::right() const {
  return sides_.size() < 2 ? 0 : kNumbers + width_of(sides_[1].axis) + (label(sides_[1]).empty() ? 0 : kName);
}

double PanelWriter::legend_beside(double room) const {
  if (!has_legend()) return 0;
  double widest = 0;
  for (const PlotCurve& curve : panel_.curves) widest = std::max(widest, width_of(legend(curve)) + kSample);
  const double above = width_of(panel_.title) + 20 + static_cast<double>(panel_.curves.size()) * widest;
  return above > room ? widest + 12 : 0;
}

/// The axis tells the unit that all curves share.
std::string PanelWriter::legend(const PlotCurve& curve) const {
  return has_one_unit_ ? curve.name : with_unit(curve.name, curve.unit);
}

/// A name that is longer than its axis stands above the frame.
std::string PanelWriter::label(const Side& side) const {
  const std::string unit = has_one_unit_ || sides_.size() == 2 ? side.unit : "";
  const std::string name = side.curves.size() == 1 ? panel_.curves[side.curves[0]].name : "";
  const std::string text = axis_label(name, unit, side.axis.exponent);
  return width_of(text) <= height_ ? text : axis_label("", unit, side.axis.exponent);
}

std::string PanelWriter::title() const {
  if (!panel_.title.empty() || panel_.curves.size() != 1) return panel_.title;
  const PlotCurve& curve = panel_.curves[0];
  return width_of(axis_label(curve.name, curve.unit, sides_[0].axis.exponent)) <= height_ ? "" : curve.name;
}

std::string PanelWriter::data() const {
  std::string text;
  for (std::size_t k = 0; k < panel_.curves.size(); ++k) {
    const PlotCurve& curve = panel_.curves[k];
    text += fmt::format("$curve_{}_{} << END\n", index_, k);
    const CurvePieces pieces = reduce_curve(plot_.times[curve.run], curve.values, begin_, end_, kColumns);
    for (const auto& piece : pieces) {
      for (const auto& [time, value] : piece) text += fmt::format("{:.9g} {:.9g}\n", time, value);
      text += "\n";
    }
    if (pieces.empty()) text += "NaN NaN\n";
    text += "END\n";
  }
  return text;
}

std::string PanelWriter::marks_command() const {
  const std::size_t count = mark_times(plot_, begin_, end_).size();
  if (count == 0) return "";
  const PlotAxis& axis = sides_[0].axis;
  const double length = (axis.high - axis.low) * (count > kMostLines ? kShortMark : 1);
  return fmt::format("$marks using 1:({:.12g}):(0):({:.12g}) with vectors nohead lw 1 dt {} lc rgb '#AAAAAA' notitle",
                     axis.high - length, length, count > kMostLines ? 1 : 3);
}

std::string PanelWriter::command(double legend_place) const {
  std::string text;
  if (!has_legend()) {
    text += "unset key\n";  // the axis names the curve
  } else if (legend_place > 0) {
    text += fmt::format("set key at screen {:.6g}, graph 1 left top vertical Left reverse samplen 2 noopaque\n",
                        legend_place);
  } else {
    text += "set key at graph 1, graph 1 right bottom horizontal Left reverse samplen 2 height 0.3\n";
  }
  text += sides_.size() == 2 ? "set border 11\n" : "set border 3\nunset y2tics\nunset y2label\n";
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    const std::string_view name = i == 0 ? "y" : "y2";
    const bool is_coloured = sides_.size() == 2 && sides_[i].curves.size() == 1;
    text += axis_command(name, sides_[i].axis);
    text += fmt::format("set {}label {}{} textcolor rgb '{}'\n", name, quoted(label(sides_[i])),
                        i == 1 ? " offset -1,0" : "",
                        is_coloured ? kColours[sides_[i].curves[0] % kColours.size()] : "#222222");
  }
  std::string curves = marks_command();
  for (std::size_t k = 0; k < panel_.curves.size(); ++k) {
    const PlotCurve& curve = panel_.curves[k];
    const bool is_second = sides_.size() == 2 && curve.unit == sides_[1].unit;
    curves += fmt::format("{}$curve_{}_{} using 1:2 axes {} with lines lw 2 lc rgb '{}' dt {} title {}",
                          curves.empty() ? "" : ", \\\n  ", index_, k, is_second ? "x1y2" : "x1y1",
                          kColours[k % kColours.size()], 1 + curve.run + k / kColours.size(), quoted(legend(curve)));
  }
  return text + "plot " + (curves.empty() ? "NaN notitle" : curves) + "\n";
}

std::string mark_data(const Plot& plot, double begin, double end) {
  std::string text;
  for (const double time : mark_times(plot, begin, end)) text += fmt::format("{:.9g}\n", time);
  return text.empty() ? "" : "$marks << END\n" + text + "END\n";
}

}  // namespace hyla::record
