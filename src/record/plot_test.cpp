#include "record/plot.h"

#include <cmath>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/text.h"
#include "record/csv_writer.h"
#include "record/plot_axis.h"
#include "record/plot_histogram.h"
#include "record/plot_reduce.h"
#include "record/plot_terminal.h"
#include "record/plot_text.h"

namespace hyla::record {
namespace {

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Plot small_plot() {
  Plot plot;
  plot.title = "It's";
  plot.time_unit = "h";
  plot.end = 2;
  plot.times = {{0, 1, 1, 2}};
  plot.panels = {{"Levels", {{"h", "m", {0, 1, 3, 4}, 0}}}};
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

  plot.panels[0].curves.push_back({"k", "m", {1, 1, 1, 1}, 0});
  script = gnuplot_script(plot, PlotFormat::Png);
  EXPECT_TRUE(holds(script, "set ylabel 'm'"));
  EXPECT_TRUE(holds(script, "title 'k'"));

  plot.panels[0].curves[1].unit = "m/s";
  script = gnuplot_script(plot, PlotFormat::Png);
  EXPECT_TRUE(holds(script, "set ylabel 'h [m]'"));
  EXPECT_TRUE(holds(script, "set y2label 'k [m/s]'"));
  EXPECT_TRUE(holds(script, "title 'k [m/s]'"));
  EXPECT_TRUE(holds(script, "$curve_0_1 using 1:2 axes x1y2 with lines lw 2 lc rgb '#D55E00'"));
}

TEST(Plot, StripsHaveBoxesAndLegendsWhereNamesDoNotFit) {
  Plot plot = small_plot();
  plot.strips = {{"", {{"door", {{0, 1.99, "Open"}, {1.99, 2, "Shut"}}}}}};
  const std::string script = gnuplot_script(plot, PlotFormat::Pdf);
  EXPECT_TRUE(holds(script, "$boxes_0 << END\n0.995 0.5 0 1.99 0.14 0.86 0xA6CFE6\n")) << script;
  EXPECT_TRUE(holds(script, "$labels_0 << END\n0.995 0.5 \"Open\"\nEND\n"));
  EXPECT_TRUE(holds(script, "set ytics scale 0 ('door' 0.5)"));
  EXPECT_TRUE(holds(script, "keyentry with boxes lc rgb '#F3C4A0' title 'Shut'"));
  EXPECT_FALSE(holds(script, "title 'Open'"));
}

TEST(Plot, LegendsStandBesideWhereTheyDoNotFitAbove) {
  Plot plot = small_plot();
  const auto beside = [&] {
    const std::string script = gnuplot_script(plot, PlotFormat::Svg);
    std::size_t count = 0;
    for (std::size_t at = 0; (at = script.find("left top vertical", at)) != std::string::npos; ++at) ++count;
    return count;
  };
  const PlotCurve longer = {std::string(16, 'k'), "m", {1, 1, 1, 1}, 0};
  plot.panels[0].curves.assign(4, longer);
  EXPECT_EQ(beside(), 0u);
  plot.panels.push_back(plot.panels[0]);
  plot.panels[1].curves.assign(7, longer);
  EXPECT_EQ(beside(), 2u);  // the second one takes room from the first
}

TEST(Plot, RunsHaveTimesOfTheirOwn) {
  Plot plot = small_plot();
  plot.times.push_back({0, 2});
  plot.panels[0].curves.push_back({"h (B)", "m", {5, 6}, 1});
  const std::string script = gnuplot_script(plot, PlotFormat::Svg);
  EXPECT_TRUE(holds(script, "$curve_0_1 << END\n0 5\n2 6\n\nEND\n"));
  EXPECT_TRUE(holds(script, "lc rgb '#D55E00' dt 2 title 'h (B)'"));
}

TEST(Plot, MarksAreLinesAcrossThePanels) {
  Plot plot = small_plot();
  plot.marks = {{1.5, "bounce"}, {0.5, ""}, {0.5, ""}, {7, "later"}};
  const std::string script = gnuplot_script(plot, PlotFormat::Svg);
  EXPECT_TRUE(holds(script, "$marks << END\n0.5\n1.5\nEND\n"));
  EXPECT_TRUE(holds(script, "$marks using 1:(-0.24):(0):(5.28) with vectors nohead"));
  EXPECT_TRUE(holds(script, "'bounce' at 1.5, graph 0.98"));
  EXPECT_FALSE(holds(script, "later"));
}

TEST(Plot, ChangesOfStripsAreMarkedUnlessThereAreTooMany) {
  Plot plot = small_plot();
  plot.strips = {{"", {{"door", {{0, 1, "Open"}, {1, 2, "Shut"}}}, {"lamp", {{0, 1, "On"}, {1, 1.5, "Off"}}}}}};
  mark_changes(plot);
  ASSERT_EQ(plot.marks.size(), 1U);
  EXPECT_EQ(plot.marks[0].time, 1);
  plot.marks.clear();
  for (int i = 0; i < 100; ++i) plot.strips[0].strips[0].spells.push_back({1 + 0.01 * i, 1.01 + 0.01 * i, "Open"});
  mark_changes(plot);
  EXPECT_TRUE(plot.marks.empty());
}

TEST(Plot, PathsHaveOneScaleOrTwo) {
  Plot plot = small_plot();
  plot.panels.clear();
  plot.paths = {{"", {{"x", "m", {-1, 0, 0, 1}, 0}}, {{"y", "m", {0, 1, 1, 0}, 0}}, true, {}}};
  std::string script = gnuplot_script(plot, PlotFormat::Svg);
  EXPECT_TRUE(holds(script, "$path_0_0 << END\n-1 0\n0 1\n1 0\n\nEND\n")) << script;
  EXPECT_TRUE(holds(script, "set xrange [-1.1:1.1]"));
  EXPECT_TRUE(holds(script, "set yrange [-0.05:1.05]"));
  plot.paths[0].spells = {{0, 1, "Up"}, {1, 2, "Down"}};
  plot.marks = {{1, ""}};
  script = gnuplot_script(plot, PlotFormat::Svg);
  EXPECT_TRUE(holds(script, "$path_0_1 << END\n0 1\n1 0\n\nEND\n")) << script;
  EXPECT_TRUE(holds(script, "title 'Down'"));
  EXPECT_TRUE(holds(script, "$path_0_marks << END\n0 1\nEND\n"));
}

TEST(Plot, HasTheSizeThatIsAskedFor) {
  Plot plot = small_plot();
  EXPECT_TRUE(holds(gnuplot_script(plot, PlotFormat::Svg), "size 900,338"));
  plot.width = 640;
  plot.height = 480;
  EXPECT_TRUE(holds(gnuplot_script(plot, PlotFormat::Svg), "size 640,480"));
  EXPECT_TRUE(holds(gnuplot_script(plot, PlotFormat::Png), "size 640,480"));
}

TEST(Terminal, DrawsCurvesWithLettersWhereThereAreNoColours) {
  Plot plot = small_plot();
  plot.panels[0].curves.push_back({"k", "m3/s", {4, 3, 2, 1}, 0});
  plot.strips = {{"", {{"door", {{0, 1, "Open"}, {1, 2, "Shut"}}}}}};
  const std::string text = terminal_text(plot, {40, false});
  EXPECT_TRUE(holds(text, "It's\n")) << text;
  EXPECT_TRUE(holds(text, "Levels  ** h [m]  ++ k [m³/s]\n")) << text;
  EXPECT_TRUE(holds(text, "door  ▕      Open      ▕      Shut")) << text;
  EXPECT_TRUE(holds(text, "time [h]\n"));
  EXPECT_FALSE(holds(text, "\x1b"));
  EXPECT_TRUE(holds(terminal_text(plot, {40, true}), "\x1b[38;5;32m"));
}

TEST(Terminal, KeepsToItsWidth) {
  Plot plot = small_plot();
  plot.panels.push_back({"", {{"a.very.long.name.that.needs.much.room", "kg.m2/s2", {1e7, 2e7, 3e7, 4e7}, 0}}});
  plot.strips = {{"", {{"an.object.with.a.very.long.path", {{0, 1, "Open"}, {1, 2, "Shut"}}}}}};
  plot.histograms = {histogram_of(plot.panels[0].curves[0], plot.times[0], 0, 2)};
  plot.paths = {{"", {plot.panels[0].curves[0]}, {plot.panels[1].curves[0]}, false, {}}};
  for (const std::size_t width : {40U, 81U, 200U}) {
    const std::string text = terminal_text(plot, {width, false});
    for (const std::string_view line : base::split_lines(text)) EXPECT_LE(length_of(line), width) << text;
  }
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

TEST(ReduceCurve, LooksAtAWindow) {
  const std::vector<double> times = {0, 1, 2, 3, 4};
  const CurvePieces pieces = reduce_curve(times, times, 1.5, 2.5, 1000);
  ASSERT_EQ(pieces.size(), 1U);
  EXPECT_EQ(pieces[0].front().first, 1);
  EXPECT_EQ(pieces[0].back().first, 3);
}

TEST(ReducePath, LeavesOutWhatIsDrawnOverItself) {
  std::vector<double> x, y;
  for (int i = 0; i < 100000; ++i) {
    x.push_back(std::cos(i * 1e-4));
    y.push_back(std::sin(i * 1e-4));
  }
  const PathFrame frame = {-1, 1, -1, 1, 200, 200};
  const CurvePieces circle = reduce_path(x, y, 0, x.size(), frame);
  ASSERT_EQ(circle.size(), 1U);
  EXPECT_LT(circle[0].size(), 3500U);  // 10 rad of a circle with a radius of 100 points, in steps of 0.3
  EXPECT_EQ(circle[0].back().first, x.back());

  std::mt19937 random(1);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<double>(random()) / 2147483648.0 - 1;
    y[i] = static_cast<double>(random()) / 2147483648.0 - 1;
  }
  const CurvePieces cloud = reduce_path(x, y, 0, x.size(), frame);
  std::size_t count = 0;
  std::set<std::pair<int, int>> seen, drawn;
  const auto place = [](double a, double b) { return std::pair(static_cast<int>(a * 20), static_cast<int>(b * 20)); };
  for (std::size_t i = 0; i < x.size(); ++i) seen.insert(place(x[i], y[i]));
  for (const auto& piece : cloud) {
    count += piece.size();
    for (std::size_t i = 1; i < piece.size(); ++i) {
      for (double part = 0; part <= 1; part += 0.005) {
        drawn.insert(place(piece[i - 1].first + part * (piece[i].first - piece[i - 1].first),
                           piece[i - 1].second + part * (piece[i].second - piece[i - 1].second)));
      }
    }
  }
  EXPECT_LT(count, 20000U);
  EXPECT_EQ(seen, drawn);  // the cloud is everywhere where it was
}

TEST(BoxesOfStrips, ShowSharesWhereStatesChangeTooOften) {
  std::vector<PlotSpell> spells = {{0, 500, "A"}};
  for (int i = 500; i < 1000; ++i) {
    spells.push_back({i * 1.0, i + 0.7, "B"});
    spells.push_back({i + 0.7, i + 1.0, "C"});
  }
  const std::vector<StripBox> boxes = boxes_of(spells, 0, 1000, 100);
  ASSERT_EQ(boxes.size(), 101U);
  EXPECT_EQ(boxes[0].state, "A");
  EXPECT_EQ(boxes[0].end, 500);
  EXPECT_EQ(boxes[1].state, "B");
  EXPECT_NEAR(boxes[1].high, 0.7, 1e-9);
  EXPECT_EQ(boxes[2].state, "C");
  EXPECT_NEAR(boxes[2].low, 0.7, 1e-9);
  EXPECT_NEAR(boxes[2].high, 1, 1e-9);
  EXPECT_EQ(boxes_of(spells, 0, 1000, 5000).size(), spells.size());
}

std::string ticks_of(const PlotAxis& axis) {
  std::string text;
  for (const auto& [value, tick] : axis.ticks) text += (text.empty() ? "" : " ") + tick;
  return text;
}

TEST(Axis, HasReadableTicks) {
  EXPECT_EQ(ticks_of(exact_axis(0, 300, 8)), "0 50 100 150 200 250 300");
  EXPECT_EQ(ticks_of(exact_axis(-1, 1, 5)), "-1.0 -0.5 0.0 0.5 1.0");
  EXPECT_EQ(ticks_of(roomy_axis({0, 2e-4}, 5)), "0 50 100 150 200");
  EXPECT_EQ(roomy_axis({0, 2e-4}, 5).exponent, -6);
  EXPECT_EQ(ticks_of(exact_axis(0, 4e6, 4)), "0 1 2 3 4");
  EXPECT_EQ(ticks_of(exact_axis(10.0001, 10.0003, 2)), "10.0001 10.0002 10.0003");
  EXPECT_EQ(ticks_of(roomy_axis({3, 3}, 3)), "2.8 3.0 3.2");  // a constant
  EXPECT_EQ(ticks_of(roomy_axis({}, 2)), "0.0 0.5 1.0");      // no values
}

TEST(Axis, CopesWithAllNumbers) {
  for (const Range range :
       {Range{-1.7e308, 1.7e308}, Range{0, 5e-324}, Range{1, std::nextafter(1, 2)}, Range{-1e-300, 0}}) {
    const PlotAxis axis = roomy_axis(range, 5);
    EXPECT_TRUE(std::isfinite(axis.high - axis.low));
    EXPECT_LT(axis.low, axis.high);
    EXPECT_LT(axis.ticks.size(), 102U);
  }
}

TEST(Axis, UnitsArePrinted) {
  EXPECT_EQ(pretty_unit("kg.m2/s2"), "kg·m²/s²");
  EXPECT_EQ(pretty_unit("1/s"), "1/s");
  EXPECT_EQ(pretty_unit("s-1"), "s⁻¹");
  EXPECT_EQ(pretty_unit("W/(m2.K)"), "W/(m²·K)");
  EXPECT_EQ(pretty_unit("degC"), "°C");
  EXPECT_EQ(axis_label("flow", "m3/s", -6), "flow [10⁻⁶ m³/s]");
  EXPECT_EQ(axis_label("", "", 3), "× 10³");
  EXPECT_EQ(axis_label("n", "", 0), "n");
}

TEST(HistogramOfCurve, WeighsByTime) {
  // A ramp spends the same time at all its values, a jump none in between.
  const std::vector<double> times = {0, 4, 4, 10};
  const PlotHistogram ramp = histogram_of({"x", "m", {0, 4, 8, 8}, 0}, times, 0, 10);
  ASSERT_EQ(ramp.weights.size(), 40U);
  EXPECT_DOUBLE_EQ(ramp.width, 0.2);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_NEAR(ramp.weights[i], 0.2, 1e-12);
  for (std::size_t i = 20; i < 39; ++i) EXPECT_EQ(ramp.weights[i], 0);
  EXPECT_NEAR(ramp.weights[39], 6, 1e-12);
  EXPECT_DOUBLE_EQ(ramp.mean, (4 * 2 + 6 * 8) / 10.0);

  const PlotHistogram whole = histogram_of({"n", "", {1, 1, 3, 3}, 0}, times, 2, 10);
  EXPECT_EQ(whole.low, 0.5);
  EXPECT_EQ(whole.weights, (std::vector<double>{2, 0, 6}));
  EXPECT_TRUE(histogram_of({"n", "", {kAbsent, 1, kAbsent, 3}, 0}, times, 0, 10).weights.empty());
}

}  // namespace
}  // namespace hyla::record
