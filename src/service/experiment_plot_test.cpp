// The picture of an experiment: the figures of its table, as points with bars.
#include <fmt/format.h>

#include "service/experiment_testing.h"
#include "service/testing.h"

namespace hyla::service {
namespace {

std::string script_of(const ExperimentReport& report) {
  EXPECT_EQ(messages(report), "");
  return experiment_plot(report, record::PlotFormat::Svg);
}

bool holds(const std::string& script, const std::string& part) { return script.find(part) != std::string::npos; }

TEST(ExperimentPlot, MarksEachPoint) {
  const ExperimentReport report = do_experiment(R"(
model M {
    parameter a = 1, b = 0;
    output x: Real(unit = "m") := 0;
    der(x) = a + b;
}
experiment E of M { stop_time = 1; vary a in 1..3 step 1; vary b in [0, 10]; observe top = max(x); }
)");
  const std::string script = script_of(report);
  EXPECT_TRUE(holds(script, "$path_0_0_points << END\n1 1 0\n2 2 0\n3 3 0\nEND\n")) << script;
  EXPECT_TRUE(holds(script, "$path_0_1_points << END\n1 11 0\n2 12 0\n3 13 0\nEND\n")) << script;
  EXPECT_TRUE(holds(script, "title 'b = 10'"));
  EXPECT_FALSE(holds(script, "yerrorbars"));
}

TEST(ExperimentPlot, ReplicationsHaveBars) {
  const ExperimentReport report = do_experiment(R"(
model M {
    parameter a = 1;
    var x := 0;
    at 1 { x := uniform(0, a); }
}
experiment E of M { stop_time = 2; vary a in 1..2 step 1; replicate 5; observe end = final_value(x); }
)");
  const std::string script = script_of(report);
  EXPECT_TRUE(holds(script, "with yerrorbars"));
  ASSERT_EQ(report.conclusion.groups.size(), 2u);
  for (const experiment::Group& group : report.conclusion.groups) {
    const experiment::Figures& figures = group.figures[0];
    EXPECT_GT(figures.half_width, 0);
    const std::string row =
        fmt::format("\n{:.9g} {:.9g} {:.9g}\n", group.point[0].number, figures.mean, figures.half_width);
    EXPECT_TRUE(holds(script, row)) << row << script;
  }
}

TEST(ExperimentPlot, SearchesOverManyOrdersAreLogarithmic) {
  const ExperimentReport report = do_experiment(R"(
model M {
    parameter a: Real(min = 0, max = 9) = 0;
    output x = (a - 3)^2 + 1e-4;
}
experiment E of M { stop_time = 1; vary a; observe error = max(x); minimize error; }
)");
  const std::string script = script_of(report);
  EXPECT_TRUE(holds(script, "set ylabel 'log10(error)'")) << script;
  EXPECT_TRUE(holds(script, "set xlabel 'points tried'"));
}

}  // namespace
}  // namespace hyla::service
