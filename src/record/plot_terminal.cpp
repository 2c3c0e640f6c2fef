#include "record/plot_terminal.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "record/plot_axis.h"
#include "record/plot_canvas.h"
#include "record/plot_histogram.h"
#include "record/plot_reduce.h"
#include "record/plot_text.h"

namespace hyla::record {
namespace {

constexpr std::size_t kNarrowest = 40;
constexpr std::size_t kPanelRows = 12, kPathRows = 20, kBarRows = 8;
constexpr std::size_t kTickRows = 2;      // rows for each tick
constexpr std::size_t kTickColumns = 12;  // columns for each tick
constexpr std::size_t kMostNames = 24;    // columns for names of strips

std::string blanks(std::size_t count) { return std::string(count, ' '); }

std::string right_aligned(const std::string& text, std::size_t width) {
  const std::size_t length = length_of(text);
  return length >= width ? text : blanks(width - length) + text;
}

/// The last signs of a text that is too long, behind a dot.
std::string shortened(const std::string& text, std::size_t width) {
  if (length_of(text) <= width) return text;
  std::size_t place = text.size();
  for (std::size_t signs = 0; signs + 1 < width; ++signs) {
    --place;
    while (place > 0 && (static_cast<unsigned char>(text[place]) & 0xC0U) == 0x80U) --place;
  }
  return "…" + text.substr(place);
}

class TextWriter {
 public:
  TextWriter(const Plot& plot, const TerminalStyle& style)
      : plot_(plot), style_(style), end_(plot.end > plot.begin ? plot.end : plot.begin + 1) {
    style_.width = std::max(style.width, kNarrowest);
    for (const PlotPanel& panel : plot.panels) {
      for (const auto& [value, text] : axis_of(panel).ticks) gutter_ = std::max(gutter_, length_of(text));
    }
    for (const PlotStrips& group : plot.strips) {
      for (const PlotStrip& strip : group.strips) gutter_ = std::max(gutter_, length_of(strip.name));
    }
    gutter_ = std::min(gutter_, most_names());
    time_ = exact_axis(plot.begin, end_, columns() / kTickColumns);
  }

  std::string write() {
    if (!plot_.title.empty()) line(plot_.title);
    for (const PlotPath& path : plot_.paths) draw_path(path);
    for (std::size_t i = 0; i < plot_.panels.size(); ++i) {
      draw_panel(plot_.panels[i], i + 1 == plot_.panels.size() && plot_.strips.empty());
    }
    for (std::size_t i = 0; i < plot_.strips.size(); ++i) draw_strips(plot_.strips[i], i + 1 == plot_.strips.size());
    for (std::size_t i = 0; i < plot_.histograms.size(); ++i) draw_histogram(i);
    if (!plot_.note.empty()) line(plot_.note);
    return text_;
  }

 private:
  /// Of the part behind the gutter and the axis.
  std::size_t columns() const { return style_.width - gutter_ - 2; }

  std::size_t most_names() const { return std::min(kMostNames, style_.width / 4); }

  void line(std::string text) {
    while (!text.empty() && text.back() == ' ') text.pop_back();
    (text_ += text) += '\n';
  }

  // --- Frames

  PlotAxis axis_of(const PlotPanel& panel) const {
    Range range;
    for (const PlotCurve& curve : panel.curves) {
      const Range one = range_of(curve, plot_.times[curve.run], plot_.begin, end_);
      range.add(one.low);
      range.add(one.high);
    }
    return roomy_axis(range, kPanelRows / kTickRows);
  }

  /// A sample of each curve and its name, in as many lines as it takes.
  void legend(const std::string& title, const std::vector<std::string>& names) {
    std::string row = blanks(gutter_ + 1) + (title.empty() ? "" : " " + shortened(title, columns()));
    std::size_t length = length_of(row);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::string name = shortened(names[i], columns() - 3);
      const std::string sample = style_.colours     ? in_colour("━━", curve_colour(i))
                                 : names.size() > 1 ? std::string(2, curve_letter(i))
                                                    : "";
      const std::size_t size = 2 + (sample.empty() ? 0 : 3) + length_of(name);
      if (length + size > style_.width && length > gutter_ + 1) {
        line(row);
        row = blanks(gutter_ + 1);
        length = gutter_ + 1;
      }
      row += (length > gutter_ + 1 ? "  " : " ") + sample + (sample.empty() ? "" : " ") + name;
      length += size;
    }
    line(row);
  }

  /// The rows of a canvas behind the numbers of an axis.
  void frame(const Canvas& canvas, const PlotAxis& axis) {
    std::vector<std::string> labels(canvas.rows());
    for (const auto& [value, text] : axis.ticks) {
      const double place = (axis.high - value) / (axis.high - axis.low) * static_cast<double>(canvas.rows());
      labels[std::min(canvas.rows() - 1, static_cast<std::size_t>(std::max(0.0, place)))] = text;
    }
    for (std::size_t i = 0; i < canvas.rows(); ++i) {
      line(right_aligned(labels[i], gutter_) + (labels[i].empty() ? " │" : " ┤") + canvas.row(i));
    }
  }

  /// A horizontal axis with its numbers and its name.
  void bottom(const PlotAxis& axis, std::size_t width, const std::string& name, bool with_numbers) {
    std::vector<std::string> signs(width, "─");
    std::string numbers = blanks(gutter_ + 2);
    for (const auto& [value, text] : axis.ticks) {
      const double place = (value - axis.low) / (axis.high - axis.low) * static_cast<double>(width - 1);
      const auto column = static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(width - 1)));
      signs[column] = "┬";
      const std::size_t begin = gutter_ + 2 + column;
      const std::size_t half = std::min(begin, length_of(text) / 2);
      const std::size_t least = length_of(numbers) + (numbers.back() == ' ' ? 0 : 1);
      const std::size_t fits = std::min(begin - half, style_.width - std::min(style_.width, length_of(text)));
      if (fits < least && numbers.find_first_not_of(' ') != std::string::npos) continue;
      if (fits > length_of(numbers)) numbers += blanks(fits - length_of(numbers));
      if (fits < length_of(numbers)) numbers.resize(fits);
      numbers += text;
    }
    std::string row = blanks(gutter_) + " └";
    for (const std::string& sign : signs) row += sign;
    line(row);
    if (!with_numbers) return;
    line(numbers);
    const std::size_t room = style_.width - gutter_ - 2;
    const std::string shown = shortened(name, room);
    const std::size_t before = length_of(shown) < width ? (width - length_of(shown)) / 2 : 0;
    line(blanks(gutter_ + 2 + before) + shown);
  }

  void draw_panel(const PlotPanel& panel, bool is_last) {
    const PlotAxis axis = axis_of(panel);
    Canvas canvas(columns(), kPanelRows, style_.colours, panel.curves.size() > 1);
    for (const PlotMark& mark : plot_.marks) {
      const double place = (mark.time - plot_.begin) / (end_ - plot_.begin) * static_cast<double>(columns());
      if (place >= 0) canvas.mark(static_cast<std::size_t>(std::min(place, 1e9)));
    }
    std::vector<std::string> names;
    for (std::size_t i = 0; i < panel.curves.size(); ++i) {
      const PlotCurve& curve = panel.curves[i];
      names.push_back(axis_label(curve.name, curve.unit, axis.exponent));
      draw_pieces(reduce_curve(plot_.times[curve.run], curve.values, plot_.begin, end_, columns() * Canvas::kAcross),
                  {plot_.begin, end_}, {axis.low, axis.high}, i, canvas);
    }
    legend(panel.title, names);
    frame(canvas, axis);
    bottom(time_, columns(), axis_label("time", plot_.time_unit, time_.exponent), is_last);
  }

  static void draw_pieces(const CurvePieces& pieces, Range x, Range y, std::size_t curve, Canvas& canvas) {
    const auto across = [&](double value) { return (value - x.low) / x.span() * (canvas.width() - 1); };
    const auto down = [&](double value) { return (y.high - value) / y.span() * (canvas.height() - 1); };
    for (const auto& piece : pieces) {
      auto last = piece.front();
      for (const auto& point : piece) {
        canvas.line(across(last.first), down(last.second), across(point.first), down(point.second), curve);
        last = point;
      }
    }
  }

  void draw_path(const PlotPath& path) {
    Range x, y;
    for (const PlotCurve& curve : path.x) {
      const Range one = range_of(curve, plot_.times[curve.run], plot_.begin, end_);
      x.add(one.low);
      x.add(one.high);
    }
    for (const PlotCurve& curve : path.y) {
      const Range one = range_of(curve, plot_.times[curve.run], plot_.begin, end_);
      y.add(one.low);
      y.add(one.high);
    }
    PlotAxis up = roomy_axis(y, kPathRows / (2 * kTickRows)), across = roomy_axis(x, columns() / kTickColumns);
    for (const auto& [value, text] : up.ticks) gutter_ = std::max(gutter_, std::min(most_names(), length_of(text)));
    std::size_t width = columns();
    if (path.is_place) {  // dots are about square
      const double shape = (across.high - across.low) / (up.high - up.low);
      const double wanted = shape * static_cast<double>(kPathRows * Canvas::kDown) / Canvas::kAcross;
      width = std::clamp(static_cast<std::size_t>(std::min(wanted, 1e6)), kNarrowest / 2, columns());
      across = roomy_axis(x, std::max<std::size_t>(2, width / kTickColumns));
    }
    Canvas canvas(width, kPathRows, style_.colours, path.y.size() > 1);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < path.y.size(); ++i) {
      const PlotCurve& curve = path.y[i];
      names.push_back(axis_label(curve.name, curve.unit, up.exponent));
      const auto found =
          std::find_if(path.x.begin(), path.x.end(), [&](const auto& it) { return it.run == curve.run; });
      const std::vector<double>& times = plot_.times[curve.run];
      const auto first = std::lower_bound(times.begin(), times.end(), plot_.begin);
      const auto last = std::upper_bound(first, times.end(), end_);
      const PathFrame place = {across.low, across.high, up.low, up.high, canvas.width(), canvas.height()};
      draw_pieces(reduce_path((found == path.x.end() ? path.x.front() : *found).values, curve.values,
                              static_cast<std::size_t>(first - times.begin()),
                              static_cast<std::size_t>(last - times.begin()), place),
                  {across.low, across.high}, {up.low, up.high}, i, canvas);
    }
    legend(path.title, names);
    frame(canvas, up);
    bottom(across, width, axis_label(path.x.front().name, path.x.front().unit, across.exponent), true);
  }

  // --- Strips

  void draw_strips(const PlotStrips& group, bool is_last) {
    if (!group.title.empty()) line(blanks(gutter_ + 2) + group.title);
    std::vector<std::string_view> states;
    for (const PlotStrip& strip : group.strips) draw_strip(strip, states);
    bottom(time_, columns(), axis_label("time", plot_.time_unit, time_.exponent), is_last);
  }

  /// The state that lasts longest in each cell.
  std::vector<std::string_view> cells_of(const PlotStrip& strip) const {
    std::vector<std::string_view> cells(columns());
    std::vector<double> longest(columns());
    const double scale = static_cast<double>(columns()) / (end_ - plot_.begin);
    for (const PlotSpell& spell : strip.spells) {
      const double left = std::max(0.0, (spell.begin - plot_.begin) * scale);
      const double right = std::min(static_cast<double>(columns()), (spell.end - plot_.begin) * scale);
      for (auto i = static_cast<std::size_t>(left); i < columns() && static_cast<double>(i) < right; ++i) {
        const double part = std::min(right, static_cast<double>(i + 1)) - std::max(left, static_cast<double>(i));
        if (part <= longest[i]) continue;
        longest[i] = part;
        cells[i] = spell.state;
      }
    }
    return cells;
  }

  void draw_strip(const PlotStrip& strip, std::vector<std::string_view>& states) {
    const std::vector<std::string_view> cells = cells_of(strip);
    std::string row = right_aligned(shortened(strip.name, gutter_), gutter_) + "  ";
    for (std::size_t i = 0; i < cells.size();) {
      std::size_t end = i;
      while (end < cells.size() && cells[end] == cells[i]) ++end;
      row += cells[i].empty() ? blanks(end - i) : box(cells[i], end - i, states);
      i = end;
    }
    line(row);
  }

  std::string box(std::string_view state, std::size_t width, std::vector<std::string_view>& states) const {
    auto found = std::find(states.begin(), states.end(), state);
    if (found == states.end()) found = states.insert(states.end(), state);
    const std::size_t length = length_of(state);
    const std::size_t frame = style_.colours ? 0 : 1;
    std::string text = style_.colours ? "" : "▕";
    if (length + frame <= width) {
      const std::size_t before = (width - frame - length) / 2;
      text += blanks(before) + std::string(state) + blanks(width - frame - length - before);
    } else {
      text += blanks(width - frame);
    }
    return style_.colours ? on_colour(text, state_colour(static_cast<std::size_t>(found - states.begin()))) : text;
  }

  // --- Histograms

  void draw_histogram(std::size_t index) {
    constexpr std::array<std::string_view, 9> kBlocks = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    const PlotHistogram& histogram = plot_.histograms[index];
    if (histogram.weights.empty()) return line(histogram.name + ": no values");
    const HistogramWriter bars(plot_, index, static_cast<double>(columns()) * 7, static_cast<double>(kBarRows) * 11);
    for (const auto& [value, text] : bars.vertical().ticks) gutter_ = std::max(gutter_, length_of(text));
    const std::size_t each = std::max<std::size_t>(1, columns() / histogram.weights.size());
    const std::size_t width = std::min(columns(), each * histogram.weights.size());
    line(blanks(gutter_ + 2) + fmt::format("{}{}{} [%], mean {:.4g}", histogram.title,
                                           histogram.title.empty() ? "" : ": ", histogram.weighed, histogram.mean));
    std::vector<std::string> labels(kBarRows);
    for (const auto& [value, text] : bars.vertical().ticks) {
      const double place = (1 - value / bars.vertical().high) * static_cast<double>(kBarRows);
      labels[std::min(kBarRows - 1, static_cast<std::size_t>(std::max(0.0, place)))] = text;
    }
    for (std::size_t i = 0; i < kBarRows; ++i) {
      std::string row;
      for (std::size_t k = 0; k < width; ++k) {
        const std::size_t bar = k * histogram.weights.size() / width;
        const double high = bars.share(bar) / bars.vertical().high * kBarRows - static_cast<double>(kBarRows - 1 - i);
        row += kBlocks[static_cast<std::size_t>(std::clamp(std::round(8 * high), 0.0, 8.0))];
      }
      row = style_.colours ? in_colour(row, curve_colour(0)) : row;
      line(right_aligned(labels[i], gutter_) + (labels[i].empty() ? " │" : " ┤") + row);
    }
    bottom(bars.horizontal(), width, axis_label(histogram.name, histogram.unit, bars.horizontal().exponent), true);
  }

  const Plot& plot_;
  TerminalStyle style_;
  double end_;
  std::size_t gutter_ = 3;
  PlotAxis time_;
  std::string text_;
};

}  // namespace

std::string terminal_text(const Plot& plot, const TerminalStyle& style) { return TextWriter(plot, style).write(); }

}  // namespace hyla::record
