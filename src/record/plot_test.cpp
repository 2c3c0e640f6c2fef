#include "record/plot.h"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "record/csv_writer.h"
#include "record/plot_reduce.h"

namespace hyla::record {
namespace {

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Plot small_plot() {
  Plot plot;
  plot.title = "It's";
  plot.time_unit = "h";
  plot.end = 2;
  plot.times = {0, 1, 1, 2};
  plot.panels = {{"Levels", {{"h", "m", {0, 1, 3, 4}}}}};
  return plot;
}

TEST(Plot, FormatsAreKnownByTheEndOfAName) {
  PlotFormat format{};
  EXPECT_TRUE(find_plot_format("a/b.svg", format));
  EXPECT_EQ(format, PlotFormat::Svg);
  EXPECT_TRUE(find_plot_format("x.PNG", format));
  EXPECT_EQ(format, PlotFormat::Png);
  EXPECT_TRUE(find_plot_format("x.y.pdf", format));
  EXPECT_EQ(format, PlotFormat::Pdf);
  EXPECT_FALSE(find_plot_format("svg", format));
  EXPECT_FALSE(find_plot_format("x.svgz", format));
  EXPECT_FALSE(find_plot_format("", format));
}

TEST(Plot, JumpsKeepBothRows) {
  EXPECT_TRUE(holds(gnuplot_script(small_plot(), PlotFormat::Svg), "$curve_0_0 << END\n0 0\n1 1\n1 3\n2 4\n\nEND\n"));
}

TEST(Plot, AbsentValuesAreGaps) {
  Plot plot = small_plot();
  plot.panels[0].curves[0].values = {kAbsent, 1, kAbsent, 4};
  EXPECT_TRUE(holds(gnuplot_script(plot, PlotFormat::Svg), "$curve_0_0 << END\n1 1\n\n2 4\n\nEND\n"));
  plot.panels[0].curves[0].values = {kAbsent, HUGE_VAL, kAbsent, std::nan("")};
  EXPECT_TRUE(holds(gnuplot_script(plot, PlotFormat::Svg), "$curve_0_0 << END\nNaN NaN\nEND\n"));
}

TEST(Plot, NamesAndUnitsStandAtTheAxes) {
  Plot plot = small_plot();
  std::string script = gnuplot_script(plot, PlotFormat::Png);
  EXPECT_TRUE(holds(script, "set label 9 'It''s' at"));
  EXPECT_TRUE(holds(script, "set ylabel 'h [m]'"));
  EXPECT_TRUE(holds(script, "set xlabel 'time [h]'"));
  EXPECT_TRUE(holds(script, "set label 1 'Levels'"));
  EXPECT_TRUE(holds(script, "unset key\n"));
  EXPECT_FALSE(holds(script, "x1y2"));

  plot.panels[0].curves.push_back({"k", "m", {1, 1, 1, 1}});
  script = gnuplot_script(plot, PlotFormat::Png);
  EXPECT_TRUE(holds(script, "set ylabel 'm'"));
  EXPECT_TRUE(holds(script, "title 'k [m]'"));

  plot.panels[0].curves[1].unit = "m/s";
  script = gnuplot_script(plot, PlotFormat::Png);
  EXPECT_TRUE(holds(script, "set ylabel 'h [m]'"));
  EXPECT_TRUE(holds(script, "set y2label 'k [m/s]'"));
  EXPECT_TRUE(holds(script, "$curve_0_1 using 1:2 axes x1y2 with lines lw 2 lc rgb '#D55E00'"));
}

TEST(Plot, StripsHaveBoxesAndLegendsWhereNamesDoNotFit) {
  Plot plot = small_plot();
  plot.strips = {{"", {{"door", {{0, 1.99, "Open"}, {1.99, 2, "Shut"}}}}}};
  const std::string script = gnuplot_script(plot, PlotFormat::Pdf);
  EXPECT_TRUE(holds(script, "$boxes_0 << END\n0.995 0.5 0 1.99 0.14 0.86 0xA6CFE6\n"));
  EXPECT_TRUE(holds(script, "$labels_0 << END\n0.995 0.5 \"Open\"\nEND\n"));
  EXPECT_TRUE(holds(script, "set ytics scale 0 ('door' 0.5)"));
  EXPECT_TRUE(holds(script, "keyentry with boxes lc rgb '#F3C4A0' title 'Shut'"));
  EXPECT_FALSE(holds(script, "title 'Open'"));
}

/// What a column of the picture shows of a curve.
struct Extent {
  double low = HUGE_VAL, high = -HUGE_VAL, first = 0, last = 0;
  bool is_used = false;
  void add(double value) {
    if (!is_used) first = value;
    is_used = true;
    last = value;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  friend bool operator==(const Extent&, const Extent&) = default;
};

TEST(ReduceCurve, ShowsTheSameInEachColumn) {
  std::vector<double> times, values;
  for (int i = 0; i < 100000; ++i) {
    times.push_back(i * 1e-4);
    values.push_back(std::sin(i * 1e-4) + ((i * 7919) % 1000 == 0 ? 5 : 0) + 0.1 * ((i * 31) % 17));
  }
  constexpr std::size_t kColumns = 100;
  std::vector<Extent> all(kColumns + 1), kept(kColumns + 1);
  for (std::size_t i = 0; i < times.size(); ++i) all[static_cast<std::size_t>(times[i] * 10)].add(values[i]);
  const CurvePieces pieces = reduce_curve(times, values, 0, 10, kColumns);
  ASSERT_EQ(pieces.size(), 1U);
  EXPECT_LE(pieces[0].size(), 4 * kColumns);
  for (const auto& [time, value] : pieces[0]) kept[static_cast<std::size_t>(time * 10)].add(value);
  EXPECT_EQ(all, kept);
}

TEST(ReduceCurve, LeavesShortCurvesAlone) {
  const std::vector<double> times = {0, 1, 1, 1, 2};
  const std::vector<double> values = {0, 1, 0.5, 2, 3};
  const CurvePieces pieces = reduce_curve(times, values, 0, 2, 1000);
  ASSERT_EQ(pieces.size(), 1U);
  ASSERT_EQ(pieces[0].size(), 5U);
  EXPECT_EQ(pieces[0][2], std::make_pair(1.0, 0.5));
}

TEST(ReduceSpells, KeepsTheLongestStateOfEachColumn) {
  std::vector<PlotSpell> spells;
  for (int i = 0; i < 1000; ++i) {
    spells.push_back({i * 1.0, i + 0.7, i < 500 ? "A" : "C"});
    spells.push_back({i + 0.7, i + 1.0, "B"});
  }
  const std::vector<PlotSpell> reduced = reduce_spells(spells, 0, 1000, 100);
  ASSERT_EQ(reduced.size(), 2U);
  EXPECT_EQ(reduced[0].state, "A");
  EXPECT_EQ(reduced[0].begin, 0);
  EXPECT_EQ(reduced[0].end, 500);
  EXPECT_EQ(reduced[1].state, "C");
  EXPECT_EQ(reduced[1].end, 1000);
  EXPECT_EQ(reduce_spells(spells, 0, 1000, 5000).size(), spells.size());
}

}  // namespace
}  // namespace hyla::record
