#include "record/plot_path.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "record/plot_reduce.h"
#include "record/plot_text.h"

namespace hyla::record {
namespace {

constexpr double kUsualShape = 1.45;  // width over height, unless both axes have one scale
constexpr double kNarrowest = 160;
constexpr double kFlattest = 110;
constexpr double kWideTick = 70, kHighTick = 34;

std::size_t ticks_in(double size, double tick) { return static_cast<std::size_t>(std::max(2.0, size / tick)); }

/// Wider by the same on both ends.
PlotAxis widened(const PlotAxis& axis, double span, std::size_t ticks) {
  const double middle = (axis.low + axis.high) / 2;
  return exact_axis(middle - span / 2, middle + span / 2, ticks);
}

}  // namespace

PathWriter::PathWriter(const Plot& plot, std::size_t index, double begin, double end, double room, double height)
    : plot_(plot), path_(plot.paths[index]), index_(index), begin_(begin), end_(end) {
  find_parts();
  choose_axes(room, height);
}

const PlotCurve& PathWriter::x_of(std::size_t curve) const {
  for (const PlotCurve& x : path_.x) {
    if (x.run == path_.y[curve].run) return x;
  }
  return path_.x.front();
}

void PathWriter::find_parts() {
  if (path_.y.size() != 1 || path_.spells.empty()) {
    for (std::size_t i = 0; i < path_.y.size(); ++i) parts_.push_back({i, path_.y[i].name, {{begin_, end_}}});
    return;
  }
  for (const PlotSpell& spell : path_.spells) {
    auto part = std::find_if(parts_.begin(), parts_.end(), [&](const Part& it) { return it.name == spell.state; });
    if (part == parts_.end()) part = parts_.insert(part, {0, spell.state, {}});
    part->spells.emplace_back(std::max(begin_, spell.begin), std::min(end_, spell.end));
  }
}

void PathWriter::choose_axes(double room, double height) {
  Range x, y;
  for (std::size_t i = 0; i < path_.y.size(); ++i) {
    const std::vector<double>& times = plot_.times[path_.y[i].run];
    for (std::size_t row = 0; row < times.size(); ++row) {
      if (times[row] < begin_ || times[row] > end_ || !std::isfinite(path_.y[i].values[row])) continue;
      x.add(x_of(i).values[row]);
      y.add(path_.y[i].values[row]);
      y.add(path_.y[i].values[row] - half_width(i, row));
      y.add(path_.y[i].values[row] + half_width(i, row));
    }
  }
  height_ = height;
  width_ = std::min(room, kUsualShape * height);
  x_ = roomy_axis(x, 2);
  y_ = roomy_axis(y, 2);
  double x_span = x_.high - x_.low, y_span = y_.high - y_.low;
  if (path_.is_place) {
    const double shape = x_span / y_span;
    width_ = std::clamp(shape * height, kNarrowest, room);
    height_ = std::clamp(width_ / shape, kFlattest, height);
    const double unit = std::max(x_span / width_, y_span / height_);
    x_span = unit * width_;
    y_span = unit * height_;
  }
  x_ = widened(x_, x_span, ticks_in(width_, kWideTick));
  y_ = widened(y_, y_span, ticks_in(height_, kHighTick));
}

double PathWriter::legend_width() const {
  constexpr double kSample = 48;  // a line with the space around it
  double widest = 0;
  for (const Part& part : parts_) widest = std::max(widest, width_of(part.name) + kSample);
  return parts_.size() > 1 ? widest : 0;
}

std::string PathWriter::part_data(const Part& part) const {
  const PlotCurve& y = path_.y[part.curve];
  const std::vector<double>& times = plot_.times[y.run];
  const PathFrame frame = {x_.low, x_.high, y_.low, y_.high, width_, height_};
  std::string text;
  for (const auto& [begin, end] : part.spells) {
    const auto first = std::lower_bound(times.begin(), times.end(), begin);
    const auto last = std::upper_bound(first, times.end(), end);
    for (const auto& piece :
         reduce_path(x_of(part.curve).values, y.values, static_cast<std::size_t>(first - times.begin()),
                     static_cast<std::size_t>(last - times.begin()), frame)) {
      for (const auto& [across, up] : piece) text += fmt::format("{:.9g} {:.9g}\n", across, up);
      text += "\n";
    }
  }
  return text.empty() ? "NaN NaN\n" : text;
}

/// Where the point was at the marks.
std::string PathWriter::mark_data() const {
  std::string text;
  for (const PlotMark& mark : plot_.marks) {
    if (mark.time < begin_ || mark.time > end_) continue;
    for (std::size_t i = 0; i < path_.y.size(); ++i) {
      const std::vector<double>& times = plot_.times[path_.y[i].run];
      const auto after = std::upper_bound(times.begin(), times.end(), mark.time);
      if (after == times.begin()) continue;
      const auto row = static_cast<std::size_t>(after - times.begin()) - 1;
      const double x = x_of(i).values[row], y = path_.y[i].values[row];
      if (std::isfinite(x) && std::isfinite(y)) text += fmt::format("{:.9g} {:.9g}\n", x, y);
    }
  }
  return text.empty() ? "NaN NaN\n" : text;
}

double PathWriter::half_width(std::size_t curve, std::size_t row) const {
  return curve < path_.half_widths.size() ? path_.half_widths[curve][row] : std::nan("");
}

std::string PathWriter::point_data(std::size_t curve) const {
  const std::vector<double>& y = path_.y[curve].values;
  std::string text;
  for (std::size_t row = 0; row < y.size(); ++row) {
    const double x = x_of(curve).values[row], half = half_width(curve, row);
    if (std::isfinite(x) && std::isfinite(y[row])) {
      text += fmt::format("{:.9g} {:.9g} {:.9g}\n", x, y[row], std::isfinite(half) ? half : 0);
    }
  }
  return text.empty() ? "NaN NaN NaN\n" : text;
}

std::string PathWriter::points_command() const {
  if (!path_.has_points) return "";
  std::string text;
  for (std::size_t i = 0; i < path_.y.size(); ++i) {
    text +=
        fmt::format(", \\\n  $path_{}_{}_points using 1:2{} lc rgb '{}' notitle", index_, i,
                    path_.half_widths.empty() ? " with points pt 7 ps 0.5" : ":3 with yerrorbars lw 1.5 pt 7 ps 0.5",
                    kColours[i % kColours.size()]);
  }
  return text;
}

std::string PathWriter::data() const {
  std::string text;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    text += fmt::format("$path_{}_{} << END\n{}END\n", index_, i, part_data(parts_[i]));
  }
  for (std::size_t i = 0; path_.has_points && i < path_.y.size(); ++i) {
    text += fmt::format("$path_{}_{}_points << END\n{}END\n", index_, i, point_data(i));
  }
  if (!plot_.marks.empty()) text += fmt::format("$path_{}_marks << END\n{}END\n", index_, mark_data());
  return text;
}

std::string PathWriter::command() const {
  const PlotCurve& x = path_.x.front();
  const bool is_single = path_.y.size() == 1;
  const std::string& unit = path_.y.front().unit;
  const bool has_unit =
      std::all_of(path_.y.begin(), path_.y.end(), [&](const PlotCurve& curve) { return curve.unit == unit; });
  std::string text = "set border 3\nunset y2tics\nunset y2label\nset autoscale y2\n";
  text += axis_command("x", x_) + axis_command("y", y_);
  text += fmt::format("set xlabel {} offset 0,0.3\nset ylabel {} textcolor rgb '#222222'\n",
                      quoted(axis_label(x.name, x.unit, x_.exponent)),
                      quoted(axis_label(is_single ? path_.y.front().name : "", has_unit ? unit : "", y_.exponent)));
  text += parts_.size() > 1 ? "set key at graph 1, graph 1 left top vertical Left reverse samplen 2\n" : "unset key\n";
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    text +=
        fmt::format("{}$path_{}_{} using 1:2 with lines lw 2 lc rgb '{}' dt {} title {}", i == 0 ? "plot " : ", \\\n  ",
                    index_, i, kColours[i % kColours.size()], 1 + path_.y[parts_[i].curve].run, quoted(parts_[i].name));
  }
  text += points_command();
  if (!plot_.marks.empty()) {
    text += fmt::format(", \\\n  $path_{}_marks using 1:2 with points pt 7 ps 0.5 lc rgb '#555555' notitle", index_);
  }
  return text + "\n";
}

}  // namespace hyla::record
