#include "service/plot_run.h"

#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "base/text.h"
#include "service/gnuplot.h"
#include "service/run_model.h"
#include "service/run_testing.h"
#include "service/testing.h"
#include "service/trajectory.h"

namespace hyla::service {
namespace {

constexpr const char* kGate = R"(
model Gate {
    output width: Real(unit = "m") := 0;
    discrete cycles: Integer := 0;
    chart motion {
        initial -> Shut;
        state Shut { after 1 -> Moving; }
        state Moving {
            chart way {
                initial -> Slow;
                state Slow { after 0.5 -> Fast; }
                state Fast { after 0.5 -> final; }
            }
            done -> Shut { width := width + 1; cycles := cycles + 1; }
        }
    }
}
model Case {
    object gate: Gate;
    var x: Real(unit = "m") := 2;
    var y := 3.0;
VIEW
}
)";

std::string with_view(const std::string& view) {
  std::string text = kGate;
  return text.replace(text.find("VIEW"), 4, view);
}

/// Runs a text to t = 4 and gives what would be drawn.
record::Plot plot_of(const std::string& source) {
  const CheckedText text(source);
  EXPECT_TRUE(text.good()) << text.errors();
  diag::Sink sink;
  const auto world = text.build(text.request(1), sink);
  const std::vector<RecordedColumn> all = all_columns(*world);
  RunPlot plot(view_of(*world, text.sources(), all), all);
  Trajectory trajectory(plot.columns(), OutputGrid(0, 4, 0),
                        [&](double time, std::span<const double> values) { plot.add_row(time, values); });
  trajectory.set_settled([&](const engine::World& now, double time) { plot.look_at_charts(now, time); });
  engine::RunOptions options;
  options.stop_time = 4;
  engine::run(*world, options, nullptr, sink, &trajectory);
  trajectory.finish();
  return plot.finish("Case", "s", 0, 4, {});
}

std::string text_of(const record::PlotStrip& strip) {
  std::string text = strip.name + ":";
  for (const record::PlotSpell& spell : strip.spells) {
    text += " " + spell.state + " " + base::format_number(spell.begin) + "-" + base::format_number(spell.end);
  }
  return text;
}

TEST(RunPlot, DrawsTheViewOfTheModel) {
  const record::Plot plot = plot_of(with_view(R"(
    section View {
        Plot(gate.width, x, title = "Widths");
        Plot(gate);
        Gantt(gate.motion);
    }
)"));
  ASSERT_EQ(plot.panels.size(), 2U);
  EXPECT_EQ(plot.panels[0].title, "Widths");
  ASSERT_EQ(plot.panels[0].curves.size(), 2U);
  EXPECT_EQ(plot.panels[0].curves[0].name, "gate.width");
  EXPECT_EQ(plot.panels[0].curves[0].unit, "m");
  EXPECT_EQ(plot.times[0], (std::vector<double>{0, 2, 2, 4, 4}));
  EXPECT_EQ(plot.panels[0].curves[0].values, (std::vector<double>{0, 0, 1, 1, 2}));
  EXPECT_EQ(plot.panels[1].curves.size(), 2U);
  ASSERT_EQ(plot.strips.size(), 1U);
  ASSERT_EQ(plot.strips[0].strips.size(), 2U);
  EXPECT_EQ(text_of(plot.strips[0].strips[0]), "gate.motion: Shut 0-1 Moving 1-2 Shut 2-3 Moving 3-4 Shut 4-4");
  EXPECT_EQ(text_of(plot.strips[0].strips[1]), "Moving.way: Slow 1-1.5 Fast 1.5-2 Slow 3-3.5 Fast 3.5-4");
}

TEST(RunPlot, DrawsThePathOfAPoint) {
  const record::Plot plot = plot_of(with_view(R"(
    section View {
        Animate(gate.width, x, title = "Path");
        Gantt(gate.motion);
    }
)"));
  ASSERT_EQ(plot.paths.size(), 1U);
  EXPECT_EQ(plot.paths[0].title, "Path");
  EXPECT_EQ(plot.paths[0].x[0].name, "gate.width");
  EXPECT_EQ(plot.paths[0].x[0].values, (std::vector<double>{0, 0, 1, 1, 2}));
  EXPECT_EQ(plot.paths[0].y[0].name, "x");
  EXPECT_EQ(plot.paths[0].y[0].values.size(), plot.times[0].size());
  EXPECT_TRUE(plot.panels.empty());
  const std::string script = record::gnuplot_script(plot, record::PlotFormat::Svg);
  EXPECT_NE(script.find("plot $path_0_0"), std::string::npos) << script;
  EXPECT_NE(script.find("title 'Moving'"), std::string::npos);
}

TEST(RunPlot, DrawsWhatIsRecordedByDefaultIfThereIsNoView) {
  const record::Plot plot = plot_of(with_view(""));
  ASSERT_EQ(plot.panels.size(), 2U);  // one for each unit
  ASSERT_EQ(plot.panels[0].curves.size(), 2U);
  EXPECT_EQ(plot.panels[0].curves[0].name, "x");
  EXPECT_EQ(plot.panels[0].curves[1].name, "gate.width");
  ASSERT_EQ(plot.panels[1].curves.size(), 1U);
  EXPECT_EQ(plot.panels[1].curves[0].name, "y");
  EXPECT_TRUE(plot.strips.empty());
}

std::string drawn(const std::string& end) {
  RunRequest request;
  request.path = "case.hyla";
  request.model = "Case";
  request.stop_time = 4;
  request.plot_file = scratch_path("plot_run_test" + end);
  const RunReport report = run_model(request, MemoryFiles({{"case.hyla", with_view("")}}), {});
  EXPECT_TRUE(report.has_run);
  return report.failures.empty() ? service::text_of(request.plot_file) : report.failures.front();
}

TEST(RunPlot, GnuplotDrawsAllFormats) {
  const std::string svg = drawn(".svg");
  EXPECT_NE(svg.find("<svg"), std::string::npos) << svg;
  EXPECT_NE(svg.find("gate.width"), std::string::npos);
  EXPECT_NE(svg.find("</svg>"), std::string::npos);
  EXPECT_EQ(drawn(".png").substr(1, 3), "PNG");
  EXPECT_EQ(drawn(".pdf").substr(0, 4), "%PDF");
}

TEST(Gnuplot, SaysWhatIsWrong) {
  const std::string path = scratch_path("gnuplot_test.svg");
  const auto wrong = run_gnuplot("set terminal svg\nplto 1\n", path);
  ASSERT_TRUE(wrong);
  EXPECT_NE(wrong->message.find("gnuplot has failed: "), std::string::npos) << wrong->message;
  EXPECT_FALSE(Disk().is_file(path));

  const std::string search = std::getenv("PATH");
  setenv("PATH", "/nowhere", 1);
  const auto missing = run_gnuplot("", path);
  setenv("PATH", search.c_str(), 1);
  ASSERT_TRUE(missing);
  EXPECT_EQ(missing->message,
            "cannot draw `" + path + "`: the program `gnuplot` is missing; the package `gnuplot-nox` has it");

  record::PlotFormat format{};
  EXPECT_FALSE(check_picture("--plot", path, format));
  EXPECT_TRUE(check_picture("--plot", "/nowhere/a.svg", format));
  EXPECT_NE(check_picture("--plot", "a.gif", format)->message.find("`.svg`, `.png` or `.pdf`, not `a.gif`"),
            std::string::npos);
}

}  // namespace
}  // namespace hyla::service
