#include "record/plot_text.h"

#include <algorithm>

#include <fmt/format.h>

namespace hyla::record {
namespace {

constexpr double kLetter = 7.2;  // mean width, in points

bool is_control(char c) { return static_cast<unsigned char>(c) < ' '; }

}  // namespace

std::string quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') result += '\'';
    result += is_control(c) ? ' ' : c;
  }
  return result + "'";
}

std::string cell(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) result += c == '"' || c == '\\' || is_control(c) ? ' ' : c;
  return result + "\"";
}

std::string axis_command(std::string_view axis, const PlotAxis& scale) {
  std::string text =
      fmt::format("set {}range [{:.12g}:{:.12g}]\nset {}tics scale 0.6 (", axis, scale.low, scale.high, axis);
  for (std::size_t i = 0; i < scale.ticks.size(); ++i) {
    text += fmt::format("{}{} {:.12g}", i == 0 ? "" : ", ", quoted(scale.ticks[i].second), scale.ticks[i].first);
  }
  return text + ")\n";
}

std::size_t length_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

double width_of(std::string_view text) { return kLetter * static_cast<double>(length_of(text)); }

double width_of(const PlotAxis& axis) {
  double widest = 0;
  for (const auto& [value, text] : axis.ticks) widest = std::max(widest, width_of(text));
  return widest;
}

}  // namespace hyla::record
