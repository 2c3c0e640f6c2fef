#include "record/plot_axis.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace hyla::record {
namespace {

constexpr double kSpace = 0.05;  // of a range, at both ends of an axis
constexpr double kSame = 1e-9;   // of the values: a smaller range is one value with errors of rounding

/// The least of 1, 2 and 5 times a power of ten that makes at most so many steps.
double step_of(double span, std::size_t most_ticks) {
  const double least = span / static_cast<double>(std::max<std::size_t>(most_ticks, 2));
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1 - kSame)) return factor * power;
  }
  return 10 * power;
}

/// Thousands and thousandths are written out; beyond them the axis has a power of ten.
int exponent_of(double largest) {
  constexpr double kLarge = 1e6, kSmall = 1e-2, kTiny = 1e-290;
  if (!(largest > kTiny) || (largest >= kSmall && largest < kLarge)) return 0;
  return 3 * static_cast<int>(std::floor(std::log10(largest) / 3));
}

void add_ticks(PlotAxis& axis, double step) {
  constexpr int kMostDigits = 12;
  if (!(step > 0)) return;
  axis.exponent = exponent_of(std::max(std::abs(axis.low), std::abs(axis.high)));
  const double unit = std::pow(10, axis.exponent);
  const int digits = std::clamp(static_cast<int>(std::ceil(-std::log10(step / unit) - kSame)), 0, kMostDigits);
  const double slack = kSame * (axis.high - axis.low);
  for (double place = std::ceil((axis.low - slack) / step); place * step <= axis.high + slack; ++place) {
    const double value = place == 0 ? 0 : place * step;  // not -0
    axis.ticks.emplace_back(value, fmt::format("{:.{}f}", value / unit, digits));
    if (axis.ticks.size() > 100) break;  // the step is lost in the digits of the values
  }
}

std::string superscript(std::string_view digits) {
  constexpr std::array<std::string_view, 10> kDigits = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text;
  for (const char c : digits) text += c == '-' ? "⁻" : kDigits[static_cast<std::size_t>(c - '0')];
  return text;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// A name of a unit as it is printed.
std::string_view symbol_of(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kSymbols = {
      {{"degC", "°C"}, {"degF", "°F"}, {"deg", "°"}, {"Ohm", "Ω"}}};
  for (const auto& [written, printed] : kSymbols) {
    if (written == name) return printed;
  }
  return name;
}

}  // namespace

void Range::add(double value) {
  if (!std::isfinite(value)) return;
  low = std::min(low, value);
  high = std::max(high, value);
}

Range range_of(const PlotCurve& curve, const std::vector<double>& times, double begin, double end) {
  Range range;
  for (std::size_t i = 0; i < curve.values.size(); ++i) {
    if (times[i] >= begin && times[i] <= end) range.add(curve.values[i]);
  }
  return range;
}

PlotAxis exact_axis(double low, double high, std::size_t most_ticks) {
  constexpr double kLargest = 8e307;  // the span is finite too
  PlotAxis axis = {std::max(low, -kLargest), std::min(high, kLargest), {}, 0};
  add_ticks(axis, step_of(axis.high - axis.low, most_ticks));
  return axis;
}

PlotAxis roomy_axis(const Range& range, std::size_t most_ticks) {
  if (range.is_empty()) return exact_axis(0, 1, most_ticks);
  double space = kSpace * range.span();
  if (!std::isfinite(space)) return exact_axis(range.low, range.high, most_ticks);
  if (!(space > kSame * std::max(std::abs(range.low), std::abs(range.high)))) {
    space = range.low == 0 ? 1 : 0.1 * std::abs(range.low);
  }
  return exact_axis(range.low - space, range.high + space, most_ticks);
}

PlotAxis bar_axis(double high, std::size_t most_ticks) {
  return exact_axis(0, high > 0 ? (1 + kSpace) * high : 1, most_ticks);
}

std::string pretty_unit(std::string_view unit) {
  std::string text;
  for (std::size_t i = 0; i < unit.size();) {
    const std::size_t begin = i;
    if (is_letter(unit[i])) {
      while (i < unit.size() && is_letter(unit[i])) ++i;
      text += symbol_of(unit.substr(begin, i - begin));
      const std::size_t power = i + (i < unit.size() && unit[i] == '^' ? 1 : 0);
      std::size_t end = power;
      if (end < unit.size() && unit[end] == '-') ++end;
      const std::size_t digits = end;
      while (end < unit.size() && is_digit(unit[end])) ++end;
      if (end == digits) continue;
      text += superscript(unit.substr(power, end - power));
      i = end;
    } else {
      text += unit[i] == '.' || unit[i] == '*' ? "·" : std::string(1, unit[i]);
      ++i;
    }
  }
  return text;
}

std::string with_unit(const std::string& name, const std::string& unit) { return axis_label(name, unit, 0); }

std::string axis_label(const std::string& name, const std::string& unit, int exponent) {
  std::string text = exponent == 0 ? "" : "10" + superscript(std::to_string(exponent));
  if (name.empty() && unit.empty() && !text.empty()) return "× " + text;
  if (!unit.empty()) text += (text.empty() ? "" : " ") + pretty_unit(unit);
  if (name.empty() || text.empty()) return name + text;
  return name + " [" + text + "]";
}

}  // namespace hyla::record
