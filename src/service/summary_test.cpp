#include "service/summary.h"

#include <gtest/gtest.h>

#include "service/table.h"

namespace hyla::service {
namespace {

StatisticReport waiting() {
  StatisticReport statistic;
  statistic.object = "Shop.server";
  statistic.name = "waiting";
  statistic.unit = "s";
  statistic.figures.count = 1000;
  statistic.figures.mean = 3.98765432;
  statistic.figures.minimum = 0;
  statistic.figures.maximum = 40.5;
  statistic.figures.final_value = 2;
  statistic.figures.stddev = 4.5;
  statistic.figures.steady_mean = 4.125;
  statistic.figures.half_width = 0.25;
  statistic.figures.warm_up = 50;
  statistic.figures.reliable = true;
  statistic.histogram = {0, 0.5, {0, 10, 30, 0, 10, 0}};
  return statistic;
}

RunReport report_of(RunEnding ending) {
  RunReport report;
  report.has_run = true;
  report.model = "Shop";
  report.seed = 7;
  report.stop_time = 1000;
  report.time_unit = "s";
  report.seconds = 0.5;
  report.runs.push_back({.number = 1,
                         .ending = ending,
                         .time = 12.5,
                         .reason = "all sold",
                         .events = 3000,
                         .steps = 2000,
                         .instants = 1500,
                         .messages = 900,
                         .unhandled = 0,
                         .violations = 0,
                         .continuous = {},
                         .statistics = {waiting()},
                         .requirements = {}});
  report.fired = {{"Source: every", "shop.hyla:12", 900}, {"Server.Busy: after", "shop.hyla:31", 899}};
  return report;
}

TEST(SummaryText, TellsOneRun) {
  EXPECT_EQ(summary_text(report_of(RunEnding::StopTime), {}),
            R"(Shop, seed 7: reached the stop time 1000 s
  events           3000
  event steps      2000
  instants         1500
  messages         900
  wall time        0.5 s
  events a second  6000

fired most
  Source: every       shop.hyla:12  900
  Server.Busy: after  shop.hyla:31  899

statistic                kind   count     mean  ± 95 %  min   max  stddev  final
Shop.server.waiting [s]  tally   1000  3.98765    0.25    0  40.5     4.5      2
  Shop.server.waiting [s]: the interval is 4.125 ± 0.25, without a warm-up of 50 observations
)");
}

/// Two runs of which the second met stiff equations.
RunReport with_equations() {
  RunReport report = report_of(RunEnding::StopTime);
  ContinuousReport& first = report.runs[0].continuous;
  first.islands = 3;
  first.configurations = 4;
  first.steps = 1000;
  first.rejected = 20;
  first.evaluations = 7000;
  first.crossings = 199;
  first.methods = {"rk45"};
  report.runs.push_back(report.runs[0]);
  ContinuousReport& second = report.runs[1].continuous;
  second.jacobians = 11;
  second.factorisations = 12;
  second.to_stiff = 2;
  second.to_nonstiff = 1;
  second.uncleared = 1;
  second.loops = 5;
  second.iterations = 15;
  second.methods = {"rk45", "rosenbrock"};
  second.threads = 2;
  return report;
}

TEST(SummaryText, TellsWhatEquationsTook) {
  RunReport report = with_equations();
  const std::string text = summary_text(report, {});
  EXPECT_NE(text.find(R"(
equations
  islands       3, 4 configurations
  method        rk45, rosenbrock
  steps         2000, 40 rejected
  evaluations   14000
  Jacobians     11, 12 factorisations
  switches      2 to stiff, 1 back
  crossings     398
  uncleared     1 piece of steps
  loops solved  5, 15 iterations
  threads       2

fired most
)"),
            std::string::npos)
      << text;
  report.runs.pop_back();
  EXPECT_NE(summary_text(report, {}).find("  evaluations  7000\n  crossings    199\n\nfired"), std::string::npos);
}

TEST(SummaryText, MarksUnreliableIntervals) {
  RunReport report = report_of(RunEnding::StopTime);
  report.runs[0].statistics[0].figures.reliable = false;
  report.runs[0].statistics[0].figures.warm_up = 0;
  const std::string text = summary_text(report, {.histograms = false, .timing = false});
  EXPECT_NE(text.find(" 0.25? "), std::string::npos) << text;
  EXPECT_NE(text.find("\n  ? the interval is unreliable"), std::string::npos) << text;
  EXPECT_EQ(text.find("wall time"), std::string::npos) << text;
}

TEST(SummaryText, DrawsHistogramsIfAsked) {
  const std::string text = summary_text(report_of(RunEnding::StopTime), {.histograms = true, .timing = true});
  EXPECT_NE(text.find(R"(
Shop.server.waiting [s], from … on
  0.5  20 %  ##############
    1  60 %  ########################################
  1.5   0 %
    2  20 %  ##############
)"),
            std::string::npos)
      << text;
}

TEST(SummaryText, NamesTheEnding) {
  const auto text = [](RunEnding ending) {
    const RunReport report = report_of(ending);
    return ending_text(report.runs[0], report);
  };
  EXPECT_EQ(text(RunEnding::Terminated), "terminated at t = 12.5 s: all sold");
  EXPECT_EQ(text(RunEnding::Interrupted), "interrupted at t = 12.5 s");
  EXPECT_EQ(text(RunEnding::Requirement), "ended at t = 12.5 s: a requirement is violated");
  EXPECT_EQ(text(RunEnding::Exhausted), "ran out of events before the stop time 1000 s");
}

TEST(SummaryText, TellsReplications) {
  RunReport report = report_of(RunEnding::StopTime);
  report.runs.push_back(report.runs[0]);
  report.runs[1].number = 2;
  report.runs[1].ending = RunEnding::Failed;
  report.statistics = {waiting()};
  report.statistics[0].figures.kind = statistics::SummaryKind::Replications;
  report.statistics[0].figures.warm_up = 0;
  const std::string text = summary_text(report, {});
  EXPECT_TRUE(
      text.starts_with("Shop, seed 7: 2 replications: 1 reached the stop time, 1 failed\n"
                       "  replication 2 failed at t = 12.5 s\n"
                       "  events           6000\n"))
      << text;
  EXPECT_NE(text.find("Shop.server.waiting [s]  mean of runs   1000  3.98765    0.25    0  40.5     4.5\n"),
            std::string::npos)
      << text;
}

TEST(SummaryJson, HoldsWallTimeInOnePlaceOnly) {
  RunReport a = report_of(RunEnding::StopTime);
  RunReport b = report_of(RunEnding::StopTime);
  b.seconds = 77;
  const auto before_timing = [](const RunReport& report) {
    const std::string text = summary_json(report);
    return text.substr(0, text.find("\"timing\""));
  };
  EXPECT_EQ(before_timing(a), before_timing(b));
  EXPECT_NE(summary_json(b).find("\"timing\": {\"seconds\": 77}}"), std::string::npos);
}

TEST(SummaryJson, TellsWhatEquationsTook) {
  const std::string text = summary_json(with_equations());
  EXPECT_NE(text.find(R"("violations": 0, "continuous": {"islands": 3, "configurations": 4, "methods": ["rk45"], )"
                      R"("steps": 1000, "rejected": 20, "evaluations": 7000, "jacobians": 0, "factorisations": 0, )"
                      R"("to_stiff": 0, "to_nonstiff": 0, "crossings": 199, "uncleared": 0, "loops": 0, )"
                      R"("iterations": 0}, "requirements": [], "statistics")"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\"threads\": 2}}"), std::string::npos);
  EXPECT_EQ(summary_json(report_of(RunEnding::StopTime)).find("continuous"), std::string::npos);
}

TEST(SummaryJson, UnknownFiguresAreNull) {
  RunReport report = report_of(RunEnding::StopTime);
  report.runs[0].statistics[0].figures.half_width = statistics::kUnknown;
  EXPECT_NE(summary_json(report).find("\"half_width\": null"), std::string::npos);
}

TEST(RunReportStatus, FollowsTheEndings) {
  EXPECT_FALSE(report_of(RunEnding::StopTime).model_failed());
  EXPECT_FALSE(report_of(RunEnding::Exhausted).model_failed());
  EXPECT_FALSE(report_of(RunEnding::Terminated).model_failed());
  EXPECT_TRUE(report_of(RunEnding::Requirement).model_failed());
  EXPECT_TRUE(report_of(RunEnding::Interrupted).model_failed());
  EXPECT_TRUE(report_of(RunEnding::Failed).model_failed());
}

TEST(ShortNumber, HasSixDigits) {
  EXPECT_EQ(short_number(200000), "200000");
  EXPECT_EQ(short_number(1.0 / 3), "0.333333");
  EXPECT_EQ(short_number(1234567), "1.23457e+06");
  EXPECT_EQ(short_number(-0.0), "0");
  EXPECT_EQ(short_number(statistics::kUnknown), "-");
}

TEST(Aligned, CountsColumnsNotBytes) { EXPECT_EQ(aligned({{"ä", "1"}, {"bb", "22"}}, 1, " "), " ä    1\n bb  22\n"); }

}  // namespace
}  // namespace hyla::service
