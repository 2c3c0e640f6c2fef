// The script, from top to bottom: terminal, data, one `plot` for each frame.
//
// All lengths are in points of the picture (pixels of an SVG), and turned into parts of the whole where gnuplot wants
// them. Margins are fixed, so that the time axes of all panels agree.
#include "record/plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "record/plot_histogram.h"
#include "record/plot_panel.h"
#include "record/plot_path.h"
#include "record/plot_strips.h"
#include "record/plot_text.h"

namespace hyla::record {
namespace {

constexpr double kUsualWidth = 900;
constexpr double kRight = 30;
constexpr double kPanelHeight = 210;  // of the frame
constexpr double kPathHeight = 360;
constexpr double kHistogramHeight = 190;
constexpr double kStripHeight = 30;
constexpr double kLeast = 50;    // of a frame, whatever the picture's size
constexpr double kHeading = 38;  // above a frame: title and legend
constexpr double kLegendRow = 17;
constexpr double kGap = 16;     // above a frame that has neither
constexpr double kBottom = 56;  // an axis below a frame
constexpr double kTitleHeight = 34;
constexpr double kNoteHeight = 22;
constexpr double kTimeTick = 80;
constexpr std::size_t kFewPanels = 3;  // more are drawn less high
constexpr std::size_t kBeside = 2;     // histograms

/// A rectangle in the picture, in points from its left and top.
struct Frame {
  double left = 0, top = 0, width = 0, height = 0;
};

class ScriptWriter {
 public:
  ScriptWriter(const Plot& plot, PlotFormat format)
      : plot_(plot), format_(format), end_(plot.end > plot.begin ? plot.end : plot.begin + 1) {
    width_ = plot.width > 0 ? plot.width : kUsualWidth;
    panel_height_ = plot.panels.size() > kFewPanels ? 0.7 * kPanelHeight : kPanelHeight;
    for (std::size_t i = 0; i < plot.panels.size(); ++i) {
      panels_.emplace_back(plot, i, plot.begin, end_);
      panels_.back().set_height(panel_height_);
    }
    measure_width();
    if (!(plot.width > 0)) narrow();
    for (std::size_t i = 0; i < plot.strips.size(); ++i) strips_.emplace_back(plot, i, frame_width(), plot.begin, end_);
    measure_height();
  }

  std::string write() {
    begin();
    double top = plot_.title.empty() ? 0 : kTitleHeight;
    for (std::size_t i = 0; i < paths_.size(); ++i) top = path(i, top);
    if (!panels_.empty() || !strips_.empty()) {
      script_ += axis_command("x", time_);
      frames_left_ = panels_.size() + strips_.size();
      for (std::size_t i = 0; i < panels_.size(); ++i) top = panel(i, top);
      for (std::size_t i = 0; i < strips_.size(); ++i) top = strips(i, top);
      top += kBottom;
    }
    for (std::size_t i = 0; i < plot_.histograms.size(); i += kBeside) top = histograms(i, top);
    return script_ + "unset multiplot\n";
  }

 private:
  // --- Sizes

  void measure_width() {
    left_ = 40;
    right_ = kRight;
    for (const PanelWriter& panel : panels_) {
      left_ = std::max(left_, panel.left());
      right_ = std::max(right_, panel.right());
    }
    for (const PlotStrips& group : plot_.strips) {
      for (const PlotStrip& strip : group.strips) left_ = std::max(left_, width_of(strip.name) + 16);
    }
    for (std::size_t i = 0; i < plot_.paths.size(); ++i) {
      left_ = std::max(left_, width_of(path_writer(i, 1).vertical()) + 44);
    }
    if (!plot_.histograms.empty()) left_ = std::max(left_, 76.0);
    left_ = std::min(left_, width_ / 3);
    for (double before = -1; before < legend_;) {  // a legend beside one panel takes room from those above others
      before = legend_;
      for (const PanelWriter& panel : panels_) {
        legend_ = std::max(legend_, std::min(panel.legend_beside(width_ - left_ - right_ - legend_), width_ / 3));
      }
    }
    right_ += legend_;
    time_ = exact_axis(plot_.begin, end_, static_cast<std::size_t>(std::max(2.0, frame_width() / kTimeTick)));
  }

  /// A picture that has nothing but curves in a plane is no wider than they are.
  void narrow() {
    if (!panels_.empty() || !plot_.strips.empty() || !plot_.histograms.empty()) return;
    double widest = width_of(plot_.title) * 1.25;
    for (std::size_t i = 0; i < plot_.paths.size(); ++i) {
      const PathWriter path = path_writer(i, 1);
      widest = std::max(widest, path.width() + path.legend_width());
    }
    width_ = std::min(width_, left_ + widest + kRight);
  }

  PathWriter path_writer(std::size_t index, double part) const {
    return {plot_, index, plot_.begin, end_, std::max(kLeast, frame_width()), part * kPathHeight};
  }

  /// Frames are as high as they like to be, or share what a given height leaves to them.
  void measure_height() {
    double fixed = (plot_.title.empty() ? 0 : kTitleHeight) + (plot_.note.empty() ? 0 : kNoteHeight);
    double flexible = panel_height_ * static_cast<double>(panels_.size());
    for (std::size_t i = 0; i < panels_.size(); ++i) fixed += panel_heading(i);
    for (std::size_t i = 0; i < strips_.size(); ++i) fixed += strips_heading(i) + strips_height(i);
    if (!panels_.empty() || !strips_.empty()) fixed += kBottom;
    for (std::size_t i = 0; i < plot_.paths.size(); ++i) {
      flexible += path_writer(i, 1).height();
      fixed += kHeading + kBottom;
    }
    for (std::size_t i = 0; i < plot_.histograms.size(); i += kBeside) {
      fixed += histogram_heading(i) + kBottom;
      flexible += kHistogramHeight;
    }
    if (plot_.height > 0 && flexible > 0) part_ = std::max((plot_.height - fixed) / flexible, kLeast / kPanelHeight);
    height_ = std::max(plot_.height, fixed + part_ * flexible);
    for (PanelWriter& panel : panels_) panel.set_height(part_ * panel_height_);
    for (std::size_t i = 0; i < plot_.paths.size(); ++i) paths_.push_back(path_writer(i, part_));
  }

  double panel_heading(std::size_t index) const {
    const bool has_legend = panels_[index].has_legend() && !(panels_[index].legend_beside(frame_width()) > 0);
    return panels_[index].title().empty() && !has_legend ? kGap : kHeading;
  }
  double strips_heading(std::size_t index) const {
    const std::size_t rows = strips_[index].legend_rows();
    if (rows > 1) return kHeading + static_cast<double>(rows - 1) * kLegendRow;
    return plot_.strips[index].title.empty() && rows == 0 ? kGap : kHeading;
  }
  double strips_height(std::size_t index) const {
    return kStripHeight * static_cast<double>(plot_.strips[index].strips.size());
  }
  /// Of a row of histograms.
  double histogram_heading(std::size_t first) const {
    for (std::size_t i = first; i < std::min(first + kBeside, plot_.histograms.size()); ++i) {
      if (!plot_.histograms[i].title.empty()) return kHeading;
    }
    return kGap;
  }
  double frame_width() const { return width_ - left_ - right_; }

  // --- The beginning

  void begin() {
    terminal();
    script_ += "set encoding utf8\n";
    for (const PathWriter& path : paths_) script_ += path.data();
    for (const PanelWriter& panel : panels_) script_ += panel.data();
    for (const StripsWriter& strips : strips_) script_ += strips.data();
    script_ += mark_data(plot_, plot_.begin, end_);
    script_ += "set multiplot\nunset key\n";
    script_ += "set border 3 lc rgb '#555555'\nset tics nomirror scale 0.6 textcolor rgb '#222222'\n";
    script_ += "set grid xtics ytics back lt 1 lc rgb '#DDDDDD' lw 0.6\nset style fill solid 1.0 noborder\n";
    if (!plot_.title.empty()) {
      script_ += fmt::format("set label 9 {} at screen {:.6g}, screen {:.6g} left font ',{:.3g}'\n",
                             quoted(plot_.title), left_ / width_, 1 - 18 / height_, 1.25 * font());
    }
    if (!plot_.note.empty()) {
      script_ +=
          fmt::format("set label 8 {} at screen {:.6g}, screen {:.6g} left textcolor rgb '#777777' font ',{:.3g}'\n",
                      quoted(plot_.note), left_ / width_, 12 / height_, 0.85 * font());
    }
  }

  double font() const { return format_ == PlotFormat::Svg ? 13 : 9.5; }

  void terminal() {
    const double sharp = plot_.width > 0 ? 1 : 2;  // pixels of a PNG for each point; a size that was asked for is meant
    constexpr double kInch = 100;
    switch (format_) {
      case PlotFormat::Svg:
        script_ = fmt::format(
            "set terminal svg size {:.0f},{:.0f} noenhanced rounded background '#FFFFFF' font "
            "'Helvetica,Arial,sans-serif,13'\n",
            width_, height_);
        break;
      case PlotFormat::Png:
        script_ = fmt::format(
            "set terminal pngcairo size {:.0f},{:.0f} noenhanced rounded fontscale {} linewidth {} font 'Sans,{}'\n",
            sharp * width_, sharp * height_, sharp, sharp, font());
        break;
      case PlotFormat::Pdf:
        script_ = fmt::format("set terminal pdfcairo size {}in,{}in noenhanced rounded font 'Sans,{}'\n",
                              width_ / kInch, height_ / kInch, font());
        break;
    }
  }

  // --- Frames: each returns where the next one begins

  void margins(const Frame& frame) {
    script_ += fmt::format("set lmargin at screen {:.6g}\nset rmargin at screen {:.6g}\n", frame.left / width_,
                           (frame.left + frame.width) / width_);
    script_ += fmt::format("set tmargin at screen {:.6g}\nset bmargin at screen {:.6g}\n", 1 - frame.top / height_,
                           1 - (frame.top + frame.height) / height_);
  }

  void heading(const std::string& title) {
    script_ += "unset label 1\n";
    if (title.empty()) return;
    script_ += fmt::format("set label 1 {} at graph 0, graph 1 offset 0,0.9 left font ',{:.3g}'\n", quoted(title),
                           1.05 * font());
  }

  /// The texts of the whole picture are drawn with its first frame.
  void draw(const std::string& command) { script_ += command + "unset label 8\nunset label 9\n"; }

  double path(std::size_t index, double top) {
    top += kHeading;
    margins({left_, top, paths_[index].width(), paths_[index].height()});
    heading(plot_.paths[index].title);
    draw(paths_[index].command());
    return top + paths_[index].height() + kBottom;
  }

  /// Only the lowest frame over time tells the time.
  void time_frame(double top, double height) {
    margins({left_, top, frame_width(), height});
    if (--frames_left_ > 0) {
      script_ += "set format x ''\nunset xlabel\n";
      std::string ticks;
      for (const auto& [time, text] : time_.ticks)
        ticks += fmt::format("{}'' {:.12g}", ticks.empty() ? "" : ", ", time);
      script_ += "set xtics (" + ticks + ")\n";
    } else {
      script_ += axis_command("x", time_);
      script_ +=
          fmt::format("set xlabel {} offset 0,0.3\n", quoted(axis_label("time", plot_.time_unit, time_.exponent)));
    }
  }

  double panel(std::size_t index, double top) {
    const double height = part_ * panel_height_;
    top += panel_heading(index);
    time_frame(top, height);
    heading(panels_[index].title());
    if (index == 0) script_ += mark_labels();
    const bool is_beside = panels_[index].legend_beside(frame_width()) > 0;
    draw(panels_[index].command(is_beside ? 1 - (legend_ - 4) / width_ : 0) + "unset for [i=100:199] label i\n");
    return top + height;
  }

  /// Names of marks stand upright beside their lines, where there is room.
  std::string mark_labels() const {
    constexpr double kLine = 13;
    constexpr std::size_t kMostLabels = 100;
    std::string text;
    double last = -HUGE_VAL;
    std::vector<PlotMark> marks = plot_.marks;
    std::stable_sort(marks.begin(), marks.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
    std::size_t count = 0;
    for (const PlotMark& mark : marks) {
      const double place = (mark.time - plot_.begin) / (end_ - plot_.begin) * frame_width();
      if (mark.label.empty() || place < 0 || place > frame_width() || place < last + kLine) continue;
      if (count == kMostLabels) break;
      text += fmt::format(
          "set label {} {} at {:.9g}, graph 0.98 right rotate by 90 offset 1,0 front textcolor rgb '#777777' font "
          "',{:.3g}'\n",
          100 + count++, quoted(mark.label), mark.time, 0.8 * font());
      last = place;
    }
    return text;
  }

  double strips(std::size_t index, double top) {
    const double height = strips_height(index);
    top += strips_heading(index);
    time_frame(top, height);
    heading(plot_.strips[index].title);
    draw(strips_[index].command(font()));
    return top + height;
  }

  /// A row of them.
  double histograms(std::size_t first, double top) {
    const std::size_t count = std::min(kBeside, plot_.histograms.size() - first);
    const double gap = left_;
    const double all = width_ - left_ - kRight;
    const double width = plot_.histograms.size() == 1 ? all : (all - gap * (kBeside - 1)) / kBeside;
    const double height = part_ * kHistogramHeight;
    top += histogram_heading(first);
    for (std::size_t i = 0; i < count; ++i) {
      const HistogramWriter writer(plot_, first + i, width, height);
      script_ += writer.data();
      margins({left_ + static_cast<double>(i) * (width + gap), top, width, height});
      heading(plot_.histograms[first + i].title);
      draw(writer.command());
    }
    return top + height + kBottom;
  }

  const Plot& plot_;
  PlotFormat format_;
  double end_;
  std::string script_;
  std::vector<PathWriter> paths_;
  std::vector<PanelWriter> panels_;
  std::vector<StripsWriter> strips_;
  PlotAxis time_;
  double width_ = 0, height_ = 0, panel_height_ = 0;
  double part_ = 1;  ///< of the height that frames like to have
  double left_ = 0, right_ = 0, legend_ = 0;
  std::size_t frames_left_ = 0;
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

void mark_changes(Plot& plot) {
  constexpr std::size_t kMostChanges = 40;
  std::set<double> times;
  for (const PlotStrips& group : plot.strips) {
    for (const PlotStrip& strip : group.strips) {
      for (const PlotSpell& spell : strip.spells) {
        if (spell.begin > plot.begin && spell.begin < plot.end) times.insert(spell.begin);
        if (times.size() > kMostChanges) return;
      }
    }
  }
  for (const double time : times) plot.marks.push_back({time, ""});
}

}  // namespace hyla::record
