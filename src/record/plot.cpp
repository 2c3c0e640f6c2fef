// The script, from top to bottom: terminal, data, one `plot` for each panel and each group of strips.
//
// All lengths are in points of the picture (pixels of an SVG), and turned into parts of the whole where gnuplot wants
// them. Margins are fixed, so that the time axes of all panels agree.
#include "record/plot.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "record/plot_path.h"
#include "record/plot_reduce.h"
#include "record/plot_text.h"

namespace hyla::record {
namespace {

/// The colours of curves (plot_text.h), light, then less light: fillings of states with dark text on them.
constexpr std::array<std::string_view, 14> kTints = {"0xA6CFE6", "0xF3C4A0", "0xA0DCC9", "0xF7DDA0", "0xEBCBDD",
                                                     "0xC9E6F7", "0xCCCCCC", "0x4D9CC9", "0xE28E4D", "0x4DBA9D",
                                                     "0xEEBF4D", "0xDBA1C1", "0x89CBF0", "0x999999"};

constexpr double kWidth = 900;
constexpr double kRight = 30;
constexpr double kAxisWidth = 76;     // an axis with its numbers and its name
constexpr double kPanelHeight = 210;  // of the frame
constexpr double kPathHeight = 330;
constexpr double kStripHeight = 30;
constexpr double kHeading = 38;   // above a frame: title and legend
constexpr double kGap = 16;       // above a frame that has neither
constexpr double kTimeAxis = 56;  // below the lowest frame
constexpr double kTitleHeight = 34;
constexpr double kNoteHeight = 22;
constexpr double kLetter = 7.2;  // mean width
constexpr double kSample = 48;   // a line in a legend with the space around it
constexpr std::size_t kColumns = 2000;
constexpr std::size_t kFewPanels = 3;  // more are drawn less high

/// A text in a row of data.
std::string cell(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) result += c == '"' || c == '\\' || static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  return result + "\"";
}

double width_of(std::string_view text) { return kLetter * static_cast<double>(text.size()); }

/// The units of a panel in their order, each once.
std::vector<std::string> units_of(const PlotPanel& panel) {
  std::vector<std::string> units;
  for (const PlotCurve& curve : panel.curves) {
    if (std::find(units.begin(), units.end(), curve.unit) == units.end()) units.push_back(curve.unit);
  }
  return units;
}

class ScriptWriter {
 public:
  ScriptWriter(const Plot& plot, PlotFormat format) : plot_(plot) {
    has_second_axis_ = std::any_of(plot.panels.begin(), plot.panels.end(),
                                   [](const PlotPanel& panel) { return units_of(panel).size() == 2; });
    panel_height_ = plot.panels.size() > kFewPanels ? 0.7 * kPanelHeight : kPanelHeight;
    measure_width();
    data();
    measure_height();
    terminal(format);
  }

  std::string write() {
    script_ += data_;
    script_ += fmt::format("set multiplot\nset xrange [{}:{}]\nunset key\n", plot_.begin, plot_end());
    script_ += "set border 3 lc rgb '#555555'\nset tics nomirror scale 0.6 textcolor rgb '#222222'\n";
    script_ += "set grid xtics ytics back lt 1 lc rgb '#DDDDDD' lw 0.6\nset style fill solid 1.0 noborder\n";
    if (!plot_.title.empty()) {
      script_ += fmt::format("set label 9 {} at screen {}, screen {} left font ',{:.3g}'\n", quoted(plot_.title),
                             left_ / kWidth, 1 - 18 / height_, 1.25 * font_);
    }
    if (!plot_.note.empty()) {
      script_ += fmt::format("set label 8 {} at screen {}, screen {} left textcolor rgb '#777777' font ',{:.3g}'\n",
                             quoted(plot_.note), left_ / kWidth, 12 / height_, 0.85 * font_);
    }
    frames_left_ = plot_.panels.size() + plot_.strips.size();
    double top = plot_.title.empty() ? 0 : kTitleHeight;
    for (std::size_t i = 0; i < plot_.paths.size(); ++i) {
      margins(top + kHeading, kPathHeight);
      heading(plot_.paths[i].title);
      script_ += path_command(plot_, i, frame_width(), kPathHeight) + "unset label 8\nunset label 9\n";
      top += kHeading + kPathHeight + kTimeAxis;
    }
    if (!plot_.paths.empty()) script_ += fmt::format("set xrange [{}:{}]\n", plot_.begin, plot_end());
    for (std::size_t i = 0; i < plot_.panels.size(); ++i) {
      top += heading_height(plot_.panels[i]);
      frame(top, panel_height_);
      panel(i);
      top += panel_height_;
    }
    for (std::size_t i = 0; i < plot_.strips.size(); ++i) {
      const double height = kStripHeight * static_cast<double>(plot_.strips[i].strips.size());
      top += heading_height(i);
      frame(top, height);
      strips(i);
      top += height;
    }
    return script_ + "unset multiplot\n";
  }

 private:
  // --- Sizes

  void measure_height() {
    height_ = (plot_.title.empty() ? 0 : kTitleHeight) + kTimeAxis + (plot_.note.empty() ? 0 : kNoteHeight);
    height_ += static_cast<double>(plot_.paths.size()) * (kHeading + kPathHeight + kTimeAxis);
    for (const PlotPanel& panel : plot_.panels) height_ += heading_height(panel) + panel_height_;
    for (std::size_t i = 0; i < plot_.strips.size(); ++i) {
      height_ += heading_height(i) + kStripHeight * static_cast<double>(plot_.strips[i].strips.size());
    }
  }

  double heading_height(const PlotPanel& panel) const {
    const bool has_legend = panel.curves.size() > 1 && !is_legend_beside(panel);
    return panel.title.empty() && !has_legend ? kGap : kHeading;
  }
  double heading_height(std::size_t strips) const {
    return plot_.strips[strips].title.empty() && keys_[strips].empty() ? kGap : kHeading;
  }

  void measure_width() {
    left_ = kAxisWidth;
    for (const PlotStrips& group : plot_.strips) {
      for (const PlotStrip& strip : group.strips) left_ = std::max(left_, width_of(strip.name) + 16);
    }
    left_ = std::min(left_, kWidth / 4);
    right_ = has_second_axis_ ? kAxisWidth : kRight;
    // A legend that is too wide to stand above its panel stands beside it.
    for (const PlotPanel& panel : plot_.panels) {
      if (!is_legend_beside(panel)) continue;
      double widest = 0;
      for (const PlotCurve& curve : panel.curves)
        widest = std::max(widest, width_of(with_unit(curve.name, curve.unit)));
      legend_ = std::max(legend_, std::min(widest + kSample + 12, kWidth / 3));
    }
    right_ += legend_;
  }

  double frame_width() const { return kWidth - left_ - right_; }

  bool is_legend_beside(const PlotPanel& panel) const {
    double width = width_of(panel.title) + 20;
    for (const PlotCurve& curve : panel.curves) width += width_of(with_unit(curve.name, curve.unit)) + kSample;
    return width > kWidth - 2 * kAxisWidth;
  }

  double plot_end() const { return plot_.end > plot_.begin ? plot_.end : plot_.begin + 1; }

  void terminal(PlotFormat format) {
    font_ = format == PlotFormat::Svg ? 13 : 9.5;
    constexpr double kSharp = 2;  // points of a PNG for each of the picture
    constexpr double kInch = 100;
    switch (format) {
      case PlotFormat::Svg:
        script_ = fmt::format(
            "set terminal svg size {:.0f},{:.0f} noenhanced rounded background '#FFFFFF' font "
            "'Helvetica,Arial,sans-serif,13'\n",
            kWidth, height_);
        break;
      case PlotFormat::Png:
        script_ = fmt::format(
            "set terminal pngcairo size {:.0f},{:.0f} noenhanced rounded fontscale {} linewidth {} font 'Sans,{}'\n",
            kSharp * kWidth, kSharp * height_, kSharp, kSharp, font_);
        break;
      case PlotFormat::Pdf:
        script_ = fmt::format("set terminal pdfcairo size {}in,{}in noenhanced rounded font 'Sans,{}'\n",
                              kWidth / kInch, height_ / kInch, font_);
        break;
    }
  }

  /// The next frame: from the top of the picture downwards. Only the lowest one tells the time.
  void frame(double top, double height) {
    if (frames_left_-- < plot_.panels.size() + plot_.strips.size()) script_ += "unset label 8\nunset label 9\n";
    margins(top, height);
    if (frames_left_ > 0) {
      script_ += "set format x ''\nunset xlabel\n";
    } else {
      script_ +=
          fmt::format("set format x '%g'\nset xlabel {} offset 0,0.3\n", quoted(with_unit("time", plot_.time_unit)));
    }
  }

  void margins(double top, double height) {
    script_ += fmt::format("set lmargin at screen {}\nset rmargin at screen {}\n", left_ / kWidth, 1 - right_ / kWidth);
    script_ += fmt::format("set tmargin at screen {}\nset bmargin at screen {}\n", 1 - top / height_,
                           1 - (top + height) / height_);
  }

  void heading(const std::string& title) {
    script_ += "unset label 1\n";
    if (title.empty()) return;
    script_ += fmt::format("set label 1 {} at graph 0, graph 1 offset 0,0.9 left font ',{:.3g}'\n", quoted(title),
                           1.05 * font_);
  }

  // --- Data

  void data() {
    for (std::size_t i = 0; i < plot_.paths.size(); ++i) data_ += path_data(plot_, i, frame_width(), kPathHeight);
    for (std::size_t i = 0; i < plot_.panels.size(); ++i) {
      for (std::size_t k = 0; k < plot_.panels[i].curves.size(); ++k) curve_data(i, k);
    }
    for (std::size_t i = 0; i < plot_.strips.size(); ++i) strip_data(i);
  }

  void curve_data(std::size_t panel, std::size_t curve) {
    data_ += fmt::format("$curve_{}_{} << END\n", panel, curve);
    const CurvePieces pieces =
        reduce_curve(plot_.times, plot_.panels[panel].curves[curve].values, plot_.begin, plot_end(), kColumns);
    for (const auto& piece : pieces) {
      for (const auto& [time, value] : piece) data_ += fmt::format("{:.9g} {:.7g}\n", time, value);
      data_ += "\n";
    }
    if (pieces.empty()) data_ += "NaN NaN\n";
    data_ += "END\n";
  }

  /// The number of a state in the order of appearance in its group; colours go by it.
  std::size_t number_of(std::vector<std::string>& states, const std::string& state) const {
    const auto found = std::find(states.begin(), states.end(), state);
    if (found != states.end()) return static_cast<std::size_t>(found - states.begin());
    states.push_back(state);
    return states.size() - 1;
  }

  void strip_data(std::size_t group) {
    std::string boxes, labels;
    std::vector<std::string> states, shown;
    const std::vector<PlotStrip>& all = plot_.strips[group].strips;
    const double scale = frame_width() / (plot_end() - plot_.begin);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double y = static_cast<double>(i) + 0.5;
      for (const PlotSpell& spell : reduce_spells(all[i].spells, plot_.begin, plot_end(), kColumns)) {
        const std::size_t number = number_of(states, spell.state);
        const double middle = (spell.begin + spell.end) / 2;
        boxes += fmt::format("{:.9g} {} {:.9g} {:.9g} {} {} {}\n", middle, y, spell.begin, spell.end, y - 0.36,
                             y + 0.36, kTints[number % kTints.size()]);
        if ((spell.end - spell.begin) * scale < width_of(spell.state) + 4) continue;
        labels += fmt::format("{:.9g} {} {}\n", middle, y, cell(spell.state));
        number_of(shown, spell.state);
      }
    }
    has_labels_.push_back(!labels.empty());  // gnuplot 5.4 dies of labels without data
    data_ += fmt::format("$boxes_{} << END\n{}END\n", group, boxes.empty() ? "NaN NaN NaN NaN NaN NaN 0\n" : boxes);
    if (!labels.empty()) data_ += fmt::format("$labels_{} << END\n{}END\n", group, labels);
    std::vector<std::pair<std::string, std::size_t>>& keys = keys_.emplace_back();
    for (std::size_t i = 0; i < states.size(); ++i) {
      if (std::find(shown.begin(), shown.end(), states[i]) == shown.end()) keys.emplace_back(states[i], i);
    }
  }

  // --- Frames

  void panel(std::size_t index) {
    const PlotPanel& panel = plot_.panels[index];
    const std::vector<std::string> units = units_of(panel);
    heading(panel.title);
    legend(panel);
    axis("y", panel, units.size() == 2 ? &units[0] : nullptr);
    if (units.size() == 2) axis("y2", panel, &units[1]);
    script_ += units.size() == 2 ? "set border 11\nset y2tics\n" : "set border 3\nunset y2tics\nunset y2label\n";
    std::string curves;
    for (std::size_t k = 0; k < panel.curves.size(); ++k) {
      const PlotCurve& curve = panel.curves[k];
      const bool is_second = units.size() == 2 && curve.unit == units[1];
      curves +=
          fmt::format("{}$curve_{}_{} using 1:2 axes {} with lines lw 2 lc rgb '{}' dt {} title {}",
                      k == 0 ? "" : ", \\\n  ", index, k, is_second ? "x1y2" : "x1y1", kColours[k % kColours.size()],
                      1 + k / kColours.size(), quoted(with_unit(curve.name, curve.unit)));
    }
    script_ += "plot " + (curves.empty() ? "NaN notitle" : curves) + "\n";
  }

  /// One curve needs none: the axis names it.
  void legend(const PlotPanel& panel) {
    if (panel.curves.size() < 2) {
      script_ += "unset key\n";
    } else if (is_legend_beside(panel)) {
      script_ += fmt::format("set key at screen {}, graph 1 left top vertical Left reverse samplen 2 noopaque\n",
                             1 - (legend_ - 4) / kWidth);
    } else {
      script_ += "set key at graph 1, graph 1 right bottom horizontal Left reverse samplen 2 height 0.3\n";
    }
  }

  /// `unit`: only curves with this one belong to the axis.
  void axis(std::string_view name, const PlotPanel& panel, const std::string* unit) {
    std::vector<const PlotCurve*> curves;
    for (const PlotCurve& curve : panel.curves) {
      if (unit == nullptr || curve.unit == *unit) curves.push_back(&curve);
    }
    std::string label;
    const std::vector<std::string> units = units_of(panel);
    if (curves.size() == 1) {
      label = with_unit(curves[0]->name, curves[0]->unit);
    } else if (unit != nullptr) {
      label = *unit;
    } else if (units.size() == 1) {
      label = units[0];
    }
    script_ +=
        fmt::format("set {}label {} offset {},0\nset autoscale {}\n", name, quoted(label), name == "y" ? 1 : -1, name);
    range(name, curves);
  }

  /// Some space above and below, so that no line runs along the frame.
  void range(std::string_view name, const std::vector<const PlotCurve*>& curves) {
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (const PlotCurve* curve : curves) {
      for (const double value : curve->values) {
        if (!std::isfinite(value)) continue;
        low = std::min(low, value);
        high = std::max(high, value);
      }
    }
    constexpr double kSpace = 0.05;
    double space = kSpace * (high - low);
    if (!(low <= high) || !std::isfinite(space)) return;
    if (!(space > 1e-9 * std::max(std::abs(low), std::abs(high)))) space = low == 0 ? 1 : 0.1 * std::abs(low);
    script_ += fmt::format("set {}range [{:.9g}:{:.9g}]\n", name, low - space, high + space);
  }

  void strips(std::size_t index) {
    const PlotStrips& group = plot_.strips[index];
    heading(group.title);
    script_ += "set border 1\nunset y2tics\nunset y2label\nunset ylabel\nunset key\nset ytics scale 0 (";
    for (std::size_t i = 0; i < group.strips.size(); ++i) {
      script_ += fmt::format("{}{} {}", i == 0 ? "" : ", ", quoted(group.strips[i].name), static_cast<double>(i) + 0.5);
    }
    script_ += fmt::format(")\nset grid noytics\nset yrange [{}:0]\n", group.strips.size());
    std::string keys;
    for (const auto& [state, number] : keys_[index]) {
      keys += fmt::format(", \\\n  keyentry with boxes lc rgb '#{}' title {}", kTints[number % kTints.size()].substr(2),
                          quoted(state));
    }
    if (!keys.empty()) {
      script_ += "set key at graph 1, graph 1 right bottom horizontal Left reverse samplen 1 height 0.3\n";
    }
    script_ += fmt::format("plot $boxes_{} using 1:2:3:4:5:6:7 with boxxyerror lc rgb variable notitle", index);
    if (has_labels_[index]) {
      script_ +=
          fmt::format(", \\\n  $labels_{} using 1:2:3 with labels textcolor rgb '#222222' font ',{:.3g}' notitle",
                      index, 0.9 * font_);
    }
    script_ += keys + "\n";
    script_ += "set ytics autofreq scale 0.6\nset grid ytics\n";
  }

  const Plot& plot_;
  std::string script_, data_;
  bool has_second_axis_ = false;
  double panel_height_ = kPanelHeight;
  double left_ = 0, right_ = 0, height_ = 0, legend_ = 0, font_ = 0;
  std::size_t frames_left_ = 0;
  std::vector<std::vector<std::pair<std::string, std::size_t>>> keys_;  ///< states whose names fit into no box
  std::vector<bool> has_labels_;                                        ///< others
};

}  // namespace

bool find_plot_format(std::string_view path, PlotFormat& format) {
  constexpr std::array<std::pair<std::string_view, PlotFormat>, 3> kEnds = {
      {{".svg", PlotFormat::Svg}, {".png", PlotFormat::Png}, {".pdf", PlotFormat::Pdf}}};
  std::string end(path.substr(path.size() - std::min<std::size_t>(path.size(), 4)));
  std::transform(end.begin(), end.end(), end.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
  for (const auto& [suffix, meaning] : kEnds) {
    if (suffix != end) continue;
    format = meaning;
    return true;
  }
  return false;
}

std::string gnuplot_script(const Plot& plot, PlotFormat format) { return ScriptWriter(plot, format).write(); }

}  // namespace hyla::record
