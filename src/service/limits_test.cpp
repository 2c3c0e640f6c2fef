// Models that ask for too much, never end or reckon with odd times: each ends with a message, soon, and without harm.
#include <chrono>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "service/run_model.h"
#include "service/summary.h"
#include "service/testing.h"

namespace hyla::service {
namespace {

/// What came of a run: its ending, its messages without places, what it printed.
struct Ran {
  RunReport report;
  std::string printed;

  std::string ending() const {
    return report.has_run ? ending_text(report.runs.front(), report) : std::string("not run");
  }
  double time() const { return report.has_run ? report.runs.front().time : -1; }
  std::string messages() const {
    std::string text;
    for (const diag::Diagnostic& one : report.diagnostics) text += one.message + '\n';
    for (const std::string& failure : report.failures) text += failure + '\n';
    return text;
  }
};

Ran run_text(const std::string& text, RunRequest request = {}) {
  Ran result;
  request.path = "case.hyla";
  RunWatcher watcher;
  watcher.print = [&](std::string_view line) { result.printed += std::string(line) + '\n'; };
  result.report = run_model(request, MemoryFiles({{"case.hyla", text}}), watcher);
  return result;
}

Ran run_with(const std::string& text, const std::string& path, const std::string& value) {
  RunRequest request;
  request.settings = {{path, value, ""}};
  return run_text(text, request);
}

Ran run_to(const std::string& text, double stop_time) {
  RunRequest request;
  request.stop_time = stop_time;
  return run_text(text, request);
}

Ran run_short_loops(const std::string& text) {
  RunRequest request;
  request.loop_limit = 3'000'000;
  return run_text(text, request);
}

std::string repeat(int count, const auto& piece) {
  std::string text;
  for (int i = 0; i < count; ++i) text += piece(i);
  return text;
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// --- Sizes
// --------------------------------------------------------------------------------------------------------------

TEST(Limits, OfTexts) {
  const Ran ran = run_text(R"(model Case { var s: String := "0123456789"; every 1 { s := s + s; } })");
  EXPECT_EQ(ran.ending(), "reached the stop time 10 s");
  const Ran longer = run_to(R"(model Case { var s: String := "0123456789"; every 1 { s := s + s; } })", 100);
  EXPECT_EQ(longer.ending(), "failed at t = 25 s");
  EXPECT_EQ(longer.messages(), "this text is too long\n");
}

TEST(Limits, OfArrays) {
  const std::string text = "model Case { parameter n: Integer = 1; at 1 { let a = fill(1.0, n); print(a[1]); } }";
  EXPECT_EQ(run_with(text, "n", "1000000").printed, "1\n");
  EXPECT_EQ(run_with(text, "n", "-1").messages(), "an array cannot have -1 elements\n");
  EXPECT_EQ(run_with(text, "n", "1000000000").messages(), "an array of 1000000000 elements is too large\n");
  EXPECT_EQ(run_with(text, "n", "1000000000000000000").messages(),
            "an array of 1000000000000000000 elements is too large\n");
  const std::string matrix =
      "model Case { parameter n: Integer = 1; at 1 { let a = fill(1.0, n, n); print(a[1, 1]); } }";
  EXPECT_EQ(run_with(matrix, "n", "5000000000").messages(), "an array of 5000000000 elements is too large\n");
}

TEST(Limits, OfVariablesAndObjects) {
  const std::string variable = "model Case { parameter n: Integer = 1; var x: Real[n]; at 1 { print(size(x)); } }";
  EXPECT_EQ(run_with(variable, "n", "1000000").printed, "1000000\n");
  EXPECT_EQ(run_with(variable, "n", "-1").messages(), "there cannot be -1 of them\n");
  EXPECT_EQ(run_with(variable, "n", "1000000000000000000").messages(), "there cannot be 1000000000000000000 of them\n");
  const std::string objects = "model Part { }\nmodel Case { parameter n: Integer = 1; object p[n]: Part; }";
  EXPECT_EQ(run_with(objects, "n", "-1").messages(), "there cannot be -1 of them\n");
  EXPECT_EQ(run_with(objects, "n", "100000000").messages(), "more than 10000000 objects\n");
  const std::string ports =
      "message M;\nmodel Case { parameter n: Integer = 1; port p[n] receives M; mailbox b[n]: M; }";
  EXPECT_EQ(run_with(ports, "n", "100000000").messages(), "more than 10000000 ports\n");
}

TEST(Limits, OfNumbersFromOutside) {
  const std::string text = "model Case { parameter n: Integer = 1; parameter a: Real[2, 2] = [[1, 2], [3, 4]]; }";
  EXPECT_EQ(run_with(text, "n", "1e9").ending(), "not run");
  EXPECT_EQ(run_with(text, "n", "99999999999999999999").ending(), "not run");
  EXPECT_EQ(run_with(text, "a", "[[1, 2], [3, 4]]").ending(), "ran out of events before the stop time 10 s");
  EXPECT_EQ(run_with(text, "a", "[[1], [2, 3, 4]]").ending(), "not run");
}

// --- Work
// ---------------------------------------------------------------------------------------------------------------

TEST(Limits, OfLoops) {
  EXPECT_EQ(run_short_loops("model Case { auto process p { loop { } } }").messages(),
            "this loop does not come to an end\n");
  EXPECT_EQ(
      run_short_loops("model Case { var n: Integer := 0; at 1 { for i in 1..1000000000000000 { n := i; } } }").ending(),
      "failed at t = 1 s");
  EXPECT_EQ(
      run_short_loops("model Case { var n: Integer := 0; when n == 1 { } at 1 { while true { n := 0; } } }").ending(),
      "failed at t = 1 s");
}

TEST(Limits, OfCalls) {
  const std::string deep =
      "function f(n: Integer) -> Integer { return if n == 0 then 0 else f(n - 1) + 1; }\n"
      "model Case { at 1 { print(f(900)); } at 2 { print(f(1000000)); } }";
  EXPECT_EQ(run_text(deep).printed, "900\n");
  EXPECT_EQ(run_text(deep).messages(), "functions call each other too deeply\n");
  const std::string wide =
      "function f(n: Integer) -> Integer { return if n == 0 then 0 else f(n - 1) + f(n - 1); }\n"
      "model Case { at 1 { print(f(100)); } }";
  EXPECT_EQ(run_short_loops(wide).messages(), "these calls do not come to an end\n");
}

TEST(Limits, OfLoopsAroundCallsOfTheMachineFromInside) {
  // Putting a message into an ordered box runs a program of its own.
  const std::string text =
      "message M { n: Integer; }\n"
      "model Case { mailbox b: M by n; at 1 { while true { b.put(M(n = 1)); let m = b.take(); } } }";
  EXPECT_EQ(run_short_loops(text).messages(), "this loop does not come to an end\n");
}

TEST(Limits, OfEvents) {
  RunRequest request;
  request.event_limit = 5;
  const Ran ran = run_text("model Case { every 1 { print(time); } }", request);
  EXPECT_EQ(ran.printed, "1\n2\n3\n4\n5\n");
  EXPECT_EQ(ran.ending(), "reached the limit of events at t = 5 s");
  EXPECT_EQ(ran.report.counts.errors, 0U);
}

TEST(Limits, OfWaitsThatNeedNotWait) {
  EXPECT_EQ(run_short_loops("model Case { auto process p { loop { wait until true; } } }").ending(),
            "failed at t = 0 s");
}

TEST(Limits, ManyDeferredMessagesComeBack) {
  const Ran ran = run_text(R"(
message M;
model Source { port out sends M; at 1 { for i in 1..200000 { send out.M; } } }
model Case {
    object source: Source;
    port p receives M;
    connect source.out -- p;
    var n: Integer := 0;
    chart {
        initial -> A;
        state A { defer p.M; after 5 -> B; }
        state B { on p.M { n := n + 1; } }
    }
    at 9 { print(n); }
})");
  EXPECT_EQ(ran.printed, "200000\n") << ran.messages();
}

TEST(Limits, DeepStates) {
  constexpr int kDepth = 100;
  const std::string open =
      repeat(kDepth, [](int i) { return "initial -> S" + std::to_string(i) + "; state S" + std::to_string(i) + " {"; });
  const Ran ran = run_text("model Case { chart { " + open + "initial -> In; state In { after 1 -> final; }" +
                           std::string(kDepth, '}') + "} at 2 { print(1); } }");
  EXPECT_EQ(ran.printed, "1\n") << ran.messages();
}

TEST(Limits, ManyCharts) {
  const Ran ran = run_text("model Case { chart { initial -> All; state All { after 2 -> Out; " +
                           repeat(10000,
                                  [](int i) {
                                    return "chart c" + std::to_string(i) +
                                           " { initial -> A; state A { after 1 -> B; } state B; }\n";
                                  }) +
                           "} state Out { entry { print(time); } } } }");
  EXPECT_EQ(ran.printed, "2\n") << ran.messages();
  EXPECT_EQ(ran.report.runs[0].events, 10001U);
}

TEST(Failures, NameOnlyStatesOfTheirOwnObject) {
  // When `many` fails on its way out of a state, `few` is told about its deferred message.
  const Ran ran = run_text(R"(
message M;
model Source { port out sends M; at 1 { send out.M; } }
model Few {
    port p receives M;
    chart { initial -> Only; state Only { defer p.M; after 8 -> final; } }
}
model Many {
    var n: Integer := 0;
    chart {
        initial -> A;
        state A { }
        state B { }
        state C { after 2 -> A { print(div(1, n)); } }
        from A after 1 -> C;
        from B after 1 -> A;
    }
}
model Case { object few: Few; object many: Many; object source: Source; connect source.out -- few.p; }
)");
  EXPECT_EQ(ran.ending(), "failed at t = 3 s");
  ASSERT_GE(ran.report.diagnostics.size(), 2U);
  EXPECT_EQ(ran.report.diagnostics.back().text, "in `Case.few` at t = 3, in state Only");
}

// --- Times
// --------------------------------------------------------------------------------------------------------------

TEST(OddTimes, NeverComes) {
  const std::string text = R"(
message M;
model Source { port out sends M; at 1 { send out.M after infinity; } }
model Case {
    object source: Source;
    port p receives M;
    connect source.out -- p;
    var x := 1.0;
    at 1 { x := 0.0; }
    on p.M { print("never"); }
    after infinity { print("never"); }
    at infinity { print("never"); }
    every infinity { print("never"); }
    require x > 0 for infinity;
    auto process q { wait infinity; print("never"); }
})";
  const Ran ran = run_text(text);
  EXPECT_EQ(ran.printed, "") << ran.messages();
  EXPECT_EQ(ran.ending(), "ran out of events before the stop time 10 s");
  const Ran longest = run_to(text, kInfinity);
  EXPECT_EQ(longest.printed, "");
  EXPECT_EQ(longest.time(), 1);
  EXPECT_EQ(longest.ending(), "ran out of events before the stop time infinity s");
}

TEST(OddTimes, StopTime) {
  EXPECT_EQ(run_to("model Case { }", kInfinity).time(), 0);
  EXPECT_EQ(run_to("model Case { }", -1).messages(), "the stop time -1 lies before the start time 0\n");
  EXPECT_EQ(run_to("model Case { }", std::nan("")).ending(), "not run");
  EXPECT_EQ(run_text("model Case { section Simulation { start_time = 5; stop_time = 2; } }").messages(),
            "the stop time 2 lies before the start time 5\n");
  EXPECT_EQ(run_text("model Case { section Simulation { start_time = -infinity; } }").ending(), "not run");
}

TEST(OddTimes, StopTimeFollowsParametersFromOutside) {
  const std::string text =
      "model Case { parameter days = 2.0; every 1 { } section Simulation { stop_time = 3 * days; } }";
  EXPECT_EQ(run_text(text).ending(), "reached the stop time 6 s");
  EXPECT_EQ(run_with(text, "days", "5").ending(), "reached the stop time 15 s");
  EXPECT_EQ(run_with(text, "days", "-5").messages(), "the stop time -15 lies before the start time 0\n");
}

TEST(OddTimes, StatisticsOfARunWithoutEnd) {
  const Ran ran = run_to("model Case { var n: Integer := 1; accumulate a = n; at 2 { n := 3; } }", kInfinity);
  EXPECT_EQ(ran.report.runs[0].statistics.at(0).figures.mean, 1);
}

TEST(OddTimes, TimeThatDoesNotAdvance) {
  RunRequest request;
  request.stop_time = 2e9;
  const std::string start = "section Simulation { start_time = 1e9; }";
  EXPECT_TRUE(run_text("model Case { auto process p { loop { wait 1e-9; } } " + start + "}", request)
                  .messages()
                  .starts_with("time stands still"));
  const std::string chart =
      "model Case { chart { initial -> A; state A { after 1e-9 -> B; } state B { after 1e-9 -> A; } } " + start + "}";
  EXPECT_TRUE(run_text(chart, request).messages().starts_with("time stands still"));
  EXPECT_TRUE(run_text("model Case { rate infinity { } }").messages().starts_with("time stands still"));
}

TEST(OddTimes, MultiplesOfAPeriodCountOn) {
  // Many periods fall on one representable time, and then on the next.
  RunRequest request;
  request.stop_time = 1e9 + 1e-6;
  const Ran ran = run_text("model Case { every 1e-9 { } section Simulation { start_time = 1e9; } }", request);
  EXPECT_EQ(ran.ending(), "reached the stop time 1e+09 s") << ran.messages();
  EXPECT_NEAR(static_cast<double>(ran.report.runs[0].events), 1000, 120);
  const std::string late =
      "model Case { parameter p = 1.0; every p from 1 { } section Simulation { start_time = 2; } }";
  EXPECT_EQ(run_with(late, "p", "1e-300").messages(), "too many periods of 1e-300 lie between 1 and now\n");
  EXPECT_EQ(run_with(late, "p", "0.5").ending(), "reached the stop time 10 s");
  request.event_limit = 10;
  EXPECT_EQ(run_text("model Case { every 1e-300 { } }", request).ending(),
            "reached the limit of events at t = 1e-299 s");
}

TEST(OddTimes, Large) {
  const Ran ran =
      run_to("model Case { at 1e300 { print(time); } every 9e299 { } when time > 5e300 { print(1); } }", 1e301);
  EXPECT_EQ(ran.printed, "1e+300\n1\n") << ran.messages();
}

TEST(OddTimes, ConditionsOverTimeAreExactFarAway) {
  const std::string text =
      "model Case { parameter p = 1.0; when time > p { print(if time == p then \"exact\" else string(time - p)); } }";
  for (const std::string value : {"3333333333.3333335", "1e12", "123456789012345.67", "1e17", "1e300"}) {
    RunRequest request;
    request.stop_time = 2e300;
    request.settings = {{"p", value, ""}};
    EXPECT_EQ(run_text(text, request).printed, "exact\n") << value;
  }
}

TEST(OddTimes, NotANumber) {
  const std::string head = "model Case { var x := 1.0; tally t; at 1 { x := t.mean; } ";
  const auto fails = [&](const std::string& text) { return run_text(head + text + " }").ending(); };
  EXPECT_EQ(fails("auto process p { wait 2; wait x; }"), "failed at t = 2 s");
  EXPECT_EQ(fails("chart { initial -> A; state A { after 2 -> B; } state B { after x -> A; } }"), "failed at t = 2 s");
  EXPECT_EQ(fails("chart { initial -> A; state A { after 2 -> B; } state B { every x { } } }"), "failed at t = 2 s");
  EXPECT_EQ(fails("chart { initial -> A; state A { after 2 -> B; } state B { at x -> A; } }"), "failed at t = 2 s");
  EXPECT_EQ(fails("var y := 1.0; at 2 { y := 0.0; } require y > 0 for x;"), "failed at t = 2 s");
  EXPECT_EQ(fails("at 2 { print(1); } rate x { }"), "failed at t = 1 s");
}

}  // namespace
}  // namespace hyla::service
