#include "service/record_run.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/text.h"
#include "service/run_testing.h"
#include "service/testing.h"

namespace hyla::service {
namespace {

/// What the output file holds after a run; failures instead if there are any.
std::string recorded(const std::string& text, const std::vector<std::string>& variables, double stop_time,
                     std::optional<double> interval = std::nullopt) {
  RunRequest request;
  request.path = "case.hyla";
  request.stop_time = stop_time;
  request.output_file = scratch_path("record_run_test.csv");
  request.output_variables = variables;
  request.output_interval = interval;
  const RunReport report = run_model(request, MemoryFiles({{"case.hyla", text}}), {});
  EXPECT_EQ(report.counts.errors, 0U) << diag::render(report.diagnostics, report.sources);
  return report.failures.empty() ? text_of(request.output_file) : report.failures.front();
}

constexpr const char* kStairs = R"(
model Stairs {
    output height := 0.25;
    discrete silent: Integer := 7;
    parameter rise = 0.5;
    at 1 { height := height + rise; }
    at 1.5 { silent := 8; }
}
)";

TEST(Record, HasTwoRowsAtAnEventAndRowsAtOutputTimes) {
  EXPECT_EQ(recorded(kStairs, {}, 2, 1.0),
            "time,height,silent\n"
            "0,0.25,7\n"
            "1,0.25,7\n"
            "1,0.75,7\n"
            "1.5,0.75,7\n"
            "1.5,0.75,8\n"
            "2,0.75,8\n");
}

TEST(Record, LeavesOutEventsThatChangeNothing) {
  EXPECT_EQ(recorded(kStairs, {"height"}, 2, 1.0),
            "time,height\n"
            "0,0.25\n"
            "1,0.25\n"
            "1,0.75\n"
            "2,0.75\n");
  EXPECT_EQ(recorded(kStairs, {"silent"}, 2, 0.5), "time,silent\n0,7\n0.5,7\n1,7\n1.5,7\n1.5,8\n2,8\n");
}

TEST(Record, DividesTheRunInto500Intervals) {
  const std::string text = recorded("model A { output y := 1.0; }", {}, 1);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 502);
  EXPECT_NE(text.find("\n0.002,1\n"), std::string::npos);
  EXPECT_TRUE(text.ends_with("\n0.998,1\n1,1\n"));
}

TEST(Record, TakesTheIntervalOfTheModel) {
  const std::string model = "model A { output y := 1.0; section Simulation { output_interval = 0.25; } }";
  EXPECT_EQ(recorded(model, {}, 0.5), "time,y\n0,1\n0.25,1\n0.5,1\n");
  EXPECT_EQ(recorded(model, {}, 0.5, 0.4), "time,y\n0,1\n0.4,1\n0.5,1\n");
}

TEST(Record, LeavesCellsOfInactiveStatesEmpty) {
  EXPECT_EQ(recorded(R"(
model Lamp {
    chart light {
        initial -> Off;
        state Off { after 1 -> On; }
        state On {
            var level := 3.5;
            after 1 -> Off;
        }
    }
}
)",
                     {}, 2.5, 10.0),
            "time,light.On.level\n"
            "0,\n"
            "1,\n"
            "1,3.5\n"
            "2,3.5\n"
            "2,\n"
            "2.5,\n");
}

/// The occupant of a dynamic part in a state is made when the state is entered; its columns can be asked for before.
TEST(Record, NamesWhatAnEmptyPlaceWillHold) {
  const std::string text = R"(
model Box {
    output T := 20;
    var hidden[2] := [1, 2];
}
model Warm extends Box(T := 30) { }
model Oven {
    chart c {
        initial -> Empty;
        state Empty { after 1 -> Full; }
        state Full {
            dynamic x: Box := Warm();
            after 1 -> Empty;
        }
    }
}
)";
  EXPECT_EQ(recorded(text, {"c.Full.x.T", "c.Full.x.hidden[2]"}, 2.5, 10.0),
            "time,c.Full.x.T,c.Full.x.hidden[2]\n"
            "0,,\n"
            "1,,\n"
            "1,30,2\n"
            "2,30,2\n"
            "2,,\n"
            "2.5,,\n");
  EXPECT_EQ(recorded(text, {"c.Full.x.t"}, 2.5), "--output-variable: no variable matches `c.Full.x.t`");
}

constexpr const char* kPlant = R"(
enum Mode { idle, busy }
record Pose { x: Real; y: Real; }
model Valve {
    parameter size = 1.0;
    output flow := 2 * size;
    var hidden := 1.0;
    discrete T: Real[2] := [1, 2];
}
model Plant {
    object valve[i in 1..2]: Valve(size = i);
    var m: Integer[2, 2] := [[1, 2], [3, 4]];
    discrete mode: Mode := Mode.busy;
    discrete open: Boolean := true;
    discrete name: String := "x";
    discrete pose: Pose := Pose(x = 5, y = 6);
    parameter p = 0.5;
    constant c = 2;
}
)";

TEST(Record, TakesVariablesOfTheTopAndOutputsOfTheRest) {
  EXPECT_EQ(recorded(kPlant, {}, 0),
            "time,\"m[1, 1]\",\"m[1, 2]\",\"m[2, 1]\",\"m[2, 2]\",mode,open,pose.x,pose.y,valve[1].flow,valve[2].flow\n"
            "0,1,2,3,4,1,1,5,6,2,4\n");
}

TEST(Record, TakesWhatPatternsStandFor) {
  EXPECT_EQ(recorded(kPlant, {"valve[2].*", "p"}, 0),
            "time,p,valve[2].flow,valve[2].hidden,valve[2].T[1],valve[2].T[2]\n"
            "0,0.5,4,1,1,2\n");
  EXPECT_EQ(recorded(kPlant, {"*.T[1]", "valve[1].T"}, 0), "time,valve[1].T[1],valve[1].T[2],valve[2].T[1]\n0,1,2,1\n");
  EXPECT_EQ(recorded(kPlant, {"m[2,1]", "valve[1].size"}, 0), "time,\"m[2, 1]\",valve[1].size\n0,3,1\n");
  EXPECT_EQ(recorded(kPlant, {"pose"}, 0), "time,pose.x,pose.y\n0,5,6\n");
}

TEST(Record, RefusesPatternsThatStandForNothing) {
  EXPECT_EQ(recorded(kPlant, {"mode", "vlave[1].flow"}, 0),
            "--output-variable: no variable matches `vlave[1].flow`; did you mean `valve[1].flow`?");
  EXPECT_EQ(recorded(kPlant, {"zzz*"}, 0), "--output-variable: no variable matches `zzz*`");
  EXPECT_EQ(recorded(kPlant, {"name"}, 0), "--output-variable: no variable matches `name`");
}

TEST(Record, EndsWithTheLastGoodRowIfTheRunFails) {
  const std::string text = R"(
model A {
    output y := 1.0;
    discrete a: Integer[2] := [1, 2];
    discrete i: Integer := 2;
    at 1 { y := 2; i := 3; }
    at 2 { y := 3; a[i] := 1; }
}
)";
  RunRequest request;
  request.path = "case.hyla";
  request.output_file = scratch_path("record_run_test.csv");
  request.output_interval = 10;
  const RunReport report = run_model(request, MemoryFiles({{"case.hyla", text}}), {});
  EXPECT_EQ(report.counts.errors, 1U);
  EXPECT_EQ(text_of(request.output_file), "time,y,a[1],a[2],i\n0,1,1,2,2\n1,1,1,2,2\n1,2,1,2,3\n2,2,1,2,3\n");
}

constexpr const char* kBall = R"(
model Ball {
    parameter g = 9.81;
    output h := 1.0;
    var v := 0.0;
    der(h) = v;
    der(v) = -g;
    when h <= 0 { v := -0.5 * v; }
}
)";

/// The columns of a file, without the header.
std::vector<std::vector<double>> numbers_of(const std::string& text) {
  std::vector<std::vector<double>> rows;
  for (const std::string_view line : base::split_lines(text)) {
    if (line.empty() || line.front() == 't') continue;
    std::vector<double>& row = rows.emplace_back();
    std::istringstream cells{std::string(line)};
    for (std::string cell; std::getline(cells, cell, ',');) row.push_back(std::stod(cell));
  }
  return rows;
}

TEST(Record, FollowsEquationsAndShowsBothSidesOfAnEvent) {
  const std::vector<std::vector<double>> rows = numbers_of(recorded(kBall, {"h", "v"}, 0.9, 0.1));
  const double impact = std::sqrt(2 / 9.81);
  ASSERT_EQ(rows.size(), 12U);
  std::size_t k = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSERT_EQ(rows[i].size(), 3U);
    const double t = rows[i][0];
    const bool is_before = i < 6;
    const double since = t - impact;
    const double speed = 0.5 * 9.81 * impact;
    EXPECT_NEAR(rows[i][1], is_before ? 1 - 4.905 * t * t : speed * since - 4.905 * since * since, 1e-6) << t;
    EXPECT_NEAR(rows[i][2], is_before ? -9.81 * t : speed - 9.81 * since, 1e-6) << t;
    if (i == 5 || i == 6) {
      EXPECT_NEAR(t, impact, 1e-9);
    } else {
      EXPECT_EQ(t, 0.1 * static_cast<double>(k++));
    }
  }
}

TEST(Record, DoesNotChangeTheRun) {
  const auto events = [](bool is_recorded, double interval) {
    RunRequest request;
    request.path = "case.hyla";
    request.stop_time = 1.2;
    request.events_file = scratch_path("record_run_test.jsonl");
    if (is_recorded) request.output_file = scratch_path("record_run_test.csv");
    request.output_interval = interval;
    const RunReport report = run_model(request, MemoryFiles({{"case.hyla", std::string(kBall)}}), {});
    EXPECT_EQ(report.counts.errors, 0U);
    return text_of(request.events_file);
  };
  const std::string alone = events(false, 1);
  EXPECT_GT(base::split_lines(alone).size(), 4U);
  EXPECT_EQ(events(true, 0.37), alone);
  EXPECT_EQ(events(true, 0.0001), alone);
}

TEST(Record, RefusesToOverwriteTheModel) {
  RunRequest request;
  request.path = scratch_path("record_run_test.hyla");
  request.output_file = request.path;
  Disk disk;
  ASSERT_FALSE(disk.write(request.path, "model A { var x := 0.0; }\n"));
  const RunReport report = run_model(request, disk, {});
  ASSERT_EQ(report.failures.size(), 1U);
  EXPECT_NE(report.failures[0].find("it is a file of the model"), std::string::npos);
  EXPECT_EQ(text_of(request.path), "model A { var x := 0.0; }\n");
}

TEST(Record, RefusesIntervalsThatFillTheDisk) {
  EXPECT_EQ(recorded("model A { var x := 0.0; }", {}, 10, 1e-12),
            "the output interval 1e-12 is too short for a run from 0 to 10");
}

TEST(OutputGrid, MeetsTheStopTimeAndNeverStandsStill) {
  OutputGrid grid(0, 1, 0.1);
  std::vector<double> times;
  for (grid.pass(0); grid.next() < 2; grid.pass(grid.next())) times.push_back(grid.next());
  ASSERT_EQ(times.size(), 10U);
  for (int i = 0; i < 9; ++i) EXPECT_DOUBLE_EQ(times[static_cast<std::size_t>(i)], 0.1 * (i + 1));
  EXPECT_EQ(times.back(), 1.0);

  OutputGrid far(1e9, 1e9 + 1, 1.0 / 3);
  std::size_t count = 0;
  for (far.pass(1e9); far.next() <= 1e9 + 1; far.pass(far.next())) ++count;
  EXPECT_EQ(count, 3U);

  OutputGrid skipping(0, 100, 1);
  skipping.pass(41.5);
  EXPECT_EQ(skipping.next(), 42);
  skipping.pass(42);
  EXPECT_EQ(skipping.next(), 43);

  OutputGrid none(0, 100, 0);
  none.pass(0);
  EXPECT_GT(none.next(), 1e300);
}

}  // namespace
}  // namespace hyla::service
