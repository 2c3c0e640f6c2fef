#include "service/run_model.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/text.h"
#include "service/testing.h"

namespace hyla::service {
namespace {

RunRequest request_for(const std::string& path) {
  RunRequest request;
  request.path = path;
  return request;
}

RunReport run_text(const std::string& text, RunRequest request = request_for("case.hyla"),
                   const RunWatcher& watcher = {}) {
  return run_model(request, MemoryFiles({{"case.hyla", text}}), watcher);
}

/// The lines of the events file that hold a word.
std::vector<std::string> events_with(const std::string& text, const std::string& word) {
  RunRequest request = request_for("case.hyla");
  request.events_file = scratch_path("run_model_test.jsonl");
  const RunReport report = run_text(text, request);
  EXPECT_EQ(report.counts.errors, 0U) << diag::render(report.diagnostics, report.sources);
  EXPECT_TRUE(report.failures.empty());
  const std::string content = text_of(request.events_file);
  std::vector<std::string> lines;
  for (const std::string_view line : base::split_lines(content)) {
    if (line.find(word) != std::string_view::npos) lines.emplace_back(line);
  }
  return lines;
}

TEST(EventsFile, HoldsMessagesOfAllTypes) {
  const std::vector<std::string> lines = events_with(R"(
enum Colour { Red, Green }
record Place { x: Real; y: Real; }
message Inner { n: Integer; }
message Parcel {
    colour: Colour;
    at: Place;
    grid: Integer[2, 3];
    inside: Inner;
    nothing: Inner;
    from: Stamp;
    far: Real;
    name: String;
}
model Stamp { }
model Post {
    object stamp: Stamp;
    port out sends Parcel;
    at 1 {
        send out.Parcel(colour = Colour.Green, at = Place(x = 0.5, y = -1), grid = [[1, 2, 3], [4, 5, 6]],
                        inside = Inner(n = 7), nothing = none, from = stamp, far = infinity, name = "");
    }
}
model Town {
    object posts[2]: Post;
    mailbox box: Parcel;
    connect posts[2].out -- box;
    connect posts[1].out -- box;
}
)",
                                                     "\"kind\":\"message\"");
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_NE(lines[1].find(R"("data":{"colour":"Green","at":{"x":0.5,"y":-1},"grid":[[1,2,3],[4,5,6]],"inside":{"n":7},)"
                          R"("nothing":null,"from":"Town.posts[2].stamp","far":"infinity","name":""})"),
            std::string::npos)
      << lines[1];
}

TEST(EventsFile, NamesTheInnermostStates) {
  const std::vector<std::string> lines = events_with(R"(
model Case {
    chart life {
        initial -> Up;
        state Up {
            chart x { initial -> A; state A; }
            chart y { initial -> B; state B { after 1 -> C; } state C; }
            after 2 -> Down;
        }
        state Down { after 1 -> final; }
    }
}
)",
                                                     "\"chart\"");
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_NE(lines[0].find(R"("chart":"life","to":"life.Up.x.A, life.Up.y.B")"), std::string::npos) << lines[0];
  EXPECT_NE(lines[1].find(R"("chart":"life.Up.y","from":"life.Up.y.B","to":"life.Up.y.C")"), std::string::npos)
      << lines[1];
  EXPECT_NE(lines[2].find(R"("chart":"life","from":"life.Up.y.C, life.Up.x.A","to":"life.Down")"), std::string::npos)
      << lines[2];
  EXPECT_NE(lines[3].find(R"("from":"life.Down","to":"life.final")"), std::string::npos) << lines[3];
}

TEST(RunModel, HandsOnWhatActionsPrint) {
  std::vector<std::string> printed;
  RunWatcher watcher;
  watcher.print = [&](std::string_view text) { printed.emplace_back(text); };
  run_text("model A { every 4 { print(\"t = \" + string(time)); } }", request_for("case.hyla"), watcher);
  EXPECT_EQ(printed, (std::vector<std::string>{"t = 4", "t = 8"}));
}

TEST(RunModel, EndsWhenTheWatcherWantsIt) {
  RunWatcher watcher;
  watcher.progress = [](const RunProgress&) { return false; };
  RunRequest request = request_for("case.hyla");
  request.stop_time = 1e12;
  const RunReport report = run_text("model A { every 1 { } }", request, watcher);
  ASSERT_EQ(report.runs.size(), 1U);
  EXPECT_EQ(report.runs[0].ending, RunEnding::Interrupted);
  EXPECT_LT(report.runs[0].time, 1e12);
}

/// Nothing is recorded and nothing happens: there are only time steps, and these take long.
TEST(RunModel, EndsBetweenSlowTimeSteps) {
  RunWatcher watcher;
  watcher.progress = [](const RunProgress&) { return false; };
  RunRequest request = request_for("case.hyla");
  request.solver.solver = "rk4";
  request.solver.step_size = 0.001;
  request.stop_time = 1e6;
  const RunReport report = run_text(R"(
function slow(x: Real) -> Real {
    var sum := x;
    var i := 0;
    while i < 100000 {
        sum := sum + 1e-9;
        i := i + 1;
    }
    return sum;
}
model A { output x := 1; der(x) = -slow(x); })",
                                    request, watcher);
  ASSERT_EQ(report.runs.size(), 1U);
  EXPECT_EQ(report.runs[0].ending, RunEnding::Interrupted);
  EXPECT_LT(report.runs[0].continuous.steps, 50U);
}

TEST(RunModel, TellsTheCheckFirst) {
  const RunReport report = run_text(R"(
message Go;
model B {
    port p receives Go;
    chart { initial -> S; state S; state Lost; }
}
model A {
    object b: B;
    at 1 { send b.p.Go; }
}
)");
  ASSERT_EQ(report.diagnostics.size(), 2U);
  EXPECT_EQ(report.checked, 1U);
  EXPECT_EQ(report.diagnostics[0].kind, diag::Kind::UnreachableState);
  EXPECT_EQ(report.diagnostics[1].kind, diag::Kind::UnhandledMessage);
  EXPECT_EQ(report.counts.warnings, 2U);
}

TEST(RunModel, TakesSettingsOfTheModelUnlessTheRequestHasThem) {
  const std::string text =
      "model A { every 1 { } section Simulation { stop_time = 5; seed = 3; time_unit = \"min\"; } }";
  RunReport report = run_text(text);
  EXPECT_EQ(report.stop_time, 5);
  EXPECT_EQ(report.seed, 3U);
  EXPECT_EQ(report.time_unit, "min");
  EXPECT_EQ(report.runs.at(0).events, 5U);
  RunRequest request = request_for("case.hyla");
  request.stop_time = 7;
  request.seed = 0;
  report = run_text(text, request);
  EXPECT_EQ(report.runs.at(0).events, 7U);
  EXPECT_EQ(report.seed, 0U);
}

TEST(RunModel, SumsProgressOverReplications) {
  double last = 0;
  RunWatcher watcher;
  watcher.progress = [&](const RunProgress& progress) {
    EXPECT_GE(progress.part, last);
    EXPECT_LE(progress.part, 1 + 1e-9);
    last = progress.part;
    return true;
  };
  RunRequest request = request_for("case.hyla");
  request.replications = 4;
  request.threads = 2;
  const RunReport report = run_text("model A { every 2e-5 { } }", request, watcher);
  EXPECT_EQ(report.runs.size(), 4U);
  EXPECT_GT(last, 0.5);
}

}  // namespace
}  // namespace hyla::service
