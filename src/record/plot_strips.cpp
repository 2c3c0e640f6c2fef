#include "record/plot_strips.h"

#include <algorithm>

#include <fmt/format.h>

#include "record/plot_reduce.h"
#include "record/plot_text.h"

namespace hyla::record {
namespace {

constexpr double kColumn = 3;      // points: shorter spells cannot be told apart
constexpr double kHalfBox = 0.36;  // of the height of a strip

}  // namespace

StripsWriter::StripsWriter(const Plot& plot, std::size_t group, double width, double begin, double end)
    : strips_(plot.strips[group]), group_(group), width_(width) {
  for (std::size_t i = 0; i < strips_.strips.size(); ++i) add_strip(i, width, begin, end);
  data_ = fmt::format("$boxes_{} << END\n{}END\n", group, boxes_.empty() ? "NaN NaN NaN NaN NaN NaN 0\n" : boxes_);
  if (!labels_.empty()) data_ += fmt::format("$labels_{} << END\n{}END\n", group, labels_);
  for (std::size_t i = 0; i < states_.size(); ++i) {
    if (!is_labelled_[i]) keys_.emplace_back(states_[i], kTints[i % kTints.size()]);
  }
}

/// gnuplot gives all of them the same width.
std::size_t StripsWriter::legend_rows() const {
  constexpr double kSample = 40;  // a box with the space around it
  double widest = 0;
  for (const auto& [state, colour] : keys_) widest = std::max(widest, width_of(state) + kSample);
  if (keys_.empty()) return 0;
  const auto in_row = static_cast<std::size_t>(std::max(1.0, width_ / widest));
  return (keys_.size() + in_row - 1) / in_row;
}

std::size_t StripsWriter::number_of(std::string_view state) {
  const auto found = std::find(states_.begin(), states_.end(), state);
  if (found != states_.end()) return static_cast<std::size_t>(found - states_.begin());
  states_.push_back(state);
  is_labelled_.push_back(false);
  return states_.size() - 1;
}

void StripsWriter::add_strip(std::size_t index, double width, double begin, double end) {
  const double scale = width / (end - begin);
  const double y = static_cast<double>(index) + 0.5;
  for (const StripBox& box :
       boxes_of(strips_.strips[index].spells, begin, end, static_cast<std::size_t>(width / kColumn))) {
    const std::size_t number = number_of(box.state);
    const double middle = (box.begin + box.end) / 2;
    const double top = y + kHalfBox - 2 * kHalfBox * box.high, bottom = y + kHalfBox - 2 * kHalfBox * box.low;
    boxes_ += fmt::format("{:.9g} {} {:.9g} {:.9g} {:.4g} {:.4g} 0x{}\n", middle, y, box.begin, box.end, top, bottom,
                          kTints[number % kTints.size()].substr(1));
    const bool fits = (box.end - box.begin) * scale >= width_of(box.state) + 4;
    if (!fits || box.high - box.low < 1) continue;
    labels_ += fmt::format("{:.9g} {} {}\n", middle, y, cell(box.state));
    is_labelled_[number] = true;
  }
}

std::string StripsWriter::command(double font) const {
  std::string text = "set border 1\nunset y2tics\nunset y2label\nunset ylabel\nunset key\nset ytics scale 0 (";
  for (std::size_t i = 0; i < strips_.strips.size(); ++i) {
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", quoted(strips_.strips[i].name), static_cast<double>(i) + 0.5);
  }
  text += fmt::format(")\nset grid noytics\nset yrange [{}:0]\n", strips_.strips.size());
  std::string keys;
  for (const auto& [state, colour] : keys_) {
    keys += fmt::format(", \\\n  keyentry with boxes lc rgb '{}' title {}", colour, quoted(state));
  }
  if (!keys.empty()) {
    text += "set key at graph 1, graph 1 right bottom horizontal Left reverse samplen 1 height 0.3\n";
  }
  text += fmt::format(
      "plot $boxes_{} using 1:2:3:4:5:6:7 with boxxyerror fs solid 1.0 border lw 0.5 lc rgb variable notitle", group_);
  if (!labels_.empty()) {  // gnuplot 5.4 dies of labels without data
    text += fmt::format(", \\\n  $labels_{} using 1:2:3 with labels textcolor rgb '#222222' font ',{:.3g}' notitle",
                        group_, 0.9 * font);
  }
  return text + keys + "\nset grid ytics\n";
}

}  // namespace hyla::record
