#include "record/plot_path.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "record/plot_text.h"

namespace hyla::record {
namespace {

struct Range {
  double low = HUGE_VAL, high = -HUGE_VAL;
  double span() const { return high - low; }
  double middle() const { return (high + low) / 2; }
};

Range range_of(const std::vector<double>& values) {
  Range range;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    range.low = std::min(range.low, value);
    range.high = std::max(range.high, value);
  }
  if (!(range.low <= range.high)) range = {0, 1};
  constexpr double kSpace = 0.06;
  const double space = std::max(kSpace * range.span(), 1e-9 * std::max(std::abs(range.low), std::abs(range.high)));
  return {range.low - space, range.high + space};
}

/// Both axes at one scale, in dots per unit.
double scale_of(const PlotPath& path, double width, double height) {
  const double x = range_of(path.x.values).span(), y = range_of(path.y.values).span();
  const double scale = std::min(width / x, height / y);
  return std::isfinite(scale) && scale > 0 ? scale : 1;
}

/// The states that colour the path, each once; one without a name if there is no strip.
std::vector<std::string> states_of(const Plot& plot) {
  std::vector<std::string> states;
  if (plot.strips.empty() || plot.strips[0].strips.empty()) return {""};
  for (const PlotSpell& spell : plot.strips[0].strips[0].spells) {
    if (std::find(states.begin(), states.end(), spell.state) == states.end()) states.push_back(spell.state);
  }
  return states.empty() ? std::vector<std::string>{""} : states;
}

void add_points(const Plot& plot, const PlotPath& path, double begin, double end, double scale, std::string& text) {
  constexpr double kFine = 0.3;  // dots
  double last_x = HUGE_VAL, last_y = HUGE_VAL;
  std::string skipped;
  for (std::size_t i = 0; i < plot.times.size(); ++i) {
    if (plot.times[i] < begin || plot.times[i] > end) continue;
    const double x = path.x.values[i], y = path.y.values[i];
    if (!std::isfinite(x) || !std::isfinite(y)) {
      text += "\n";
      continue;
    }
    skipped = fmt::format("{:.9g} {:.9g}\n", x, y);
    if (std::hypot(x - last_x, y - last_y) * scale < kFine) continue;
    text += skipped;
    skipped.clear();
    last_x = x;
    last_y = y;
  }
  text += skipped + "\n";
}

std::string axis(std::string_view name, const PlotCurve& curve, double dots, double scale) {
  const Range range = range_of(curve.values);
  return fmt::format("set {}range [{:.9g}:{:.9g}]\nset {}label {}\n", name, range.middle() - dots / scale / 2,
                     range.middle() + dots / scale / 2, name, quoted(with_unit(curve.name, curve.unit)));
}

}  // namespace

std::string path_data(const Plot& plot, std::size_t index, double width, double height) {
  const PlotPath& path = plot.paths[index];
  const double scale = scale_of(path, width, height);
  const std::vector<std::string> states = states_of(plot);
  std::string text;
  for (std::size_t k = 0; k < states.size(); ++k) {
    text += fmt::format("$path_{}_{} << END\n", index, k);
    const std::size_t before = text.size();
    if (states[k].empty()) {
      add_points(plot, path, plot.begin, plot.end, scale, text);
    } else {
      for (const PlotSpell& spell : plot.strips[0].strips[0].spells) {
        if (spell.state == states[k]) add_points(plot, path, spell.begin, spell.end, scale, text);
      }
    }
    if (text.find_first_not_of('\n', before) == std::string::npos) text += "NaN NaN\n";
    text += "END\n";
  }
  return text;
}

std::string path_command(const Plot& plot, std::size_t index, double width, double height) {
  const PlotPath& path = plot.paths[index];
  const double scale = scale_of(path, width, height);
  const std::vector<std::string> states = states_of(plot);
  std::string text = "set format x '%g'\nset border 3\nunset y2tics\nunset y2label\n";
  text += axis("x", path.x, width, scale) + axis("y", path.y, height, scale);
  text += states.size() > 1 ? "set key at graph 1, graph 1 right bottom horizontal Left reverse samplen 2 height 0.3\n"
                            : "unset key\n";
  for (std::size_t k = 0; k < states.size(); ++k) {
    text += fmt::format("{}$path_{}_{} using 1:2 with lines lw 2 lc rgb '{}' title {}", k == 0 ? "plot " : ", \\\n  ",
                        index, k, kColours[k % kColours.size()], quoted(states[k]));
  }
  return text + "\n";
}

}  // namespace hyla::record
