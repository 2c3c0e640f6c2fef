// Requirements over time, beside closed forms: when they are violated, by how much they hold, what is undecided.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "diag/render.h"
#include "service/run_model.h"
#include "service/testing.h"

namespace hyla::service {
namespace {

constexpr double kPi = std::numbers::pi;

RunReport run(const std::string& body, double stop_time, bool keep_going = false, const std::string& before = "") {
  RunRequest request;
  request.path = "model.hyla";
  request.model = "Case";
  request.stop_time = stop_time;
  request.keep_going = keep_going;
  request.solver.tolerance = 1e-9;
  const RunReport report =
      run_model(request, MemoryFiles({{"model.hyla", before + "model Case {\n" + body + "\n}\n"}}), {});
  EXPECT_TRUE(report.has_run) << diag::render(report.diagnostics, report.sources);
  return report;
}

/// The only requirement of a model.
RequirementReport outcome_of(const std::string& body, double stop_time, bool keep_going = false) {
  const RunReport report = run(body, stop_time, keep_going);
  if (report.runs.empty() || report.runs.front().requirements.size() != 1) {
    ADD_FAILURE() << "not one requirement: " << body;
    return {};
  }
  const RequirementReport& only = report.runs.front().requirements.front();
  EXPECT_EQ(report.runs.front().violations, only.violations);
  EXPECT_EQ(report.model_failed(), only.violations > 0);
  const bool ends = !keep_going && only.violations > 0;
  EXPECT_EQ(report.runs.front().ending == RunEnding::Requirement, ends);
  return only;
}

std::string message_of(const RunReport& report) {
  return report.diagnostics.empty() ? "" : report.diagnostics.back().message;
}

// 1 - exp(-t)
const std::string kRise = "var x := 0.0; der(x) = 1 - x; ";
// sin(t)
const std::string kSine = "var x := 0.0, v := 1.0; der(x) = v; der(v) = -x; ";

void expect_violated(const RequirementReport& found, double time) {
  EXPECT_EQ(found.verdict, Verdict::Violated);
  EXPECT_NEAR(found.violated_at, time, 1e-7);
}

TEST(Requirements, AViolationIsLocated) {
  for (const char* form : {"require x < 0.5;", "require always x < 0.5;", "require not x >= 0.5;"}) {
    const RequirementReport found = outcome_of(kRise + form, 10);
    expect_violated(found, std::log(2));
    EXPECT_NEAR(found.margin, 0, 1e-9);
    EXPECT_NEAR(found.margin_at, std::log(2), 1e-7);
  }
}

TEST(Requirements, AMarginIsTheSmallestDistance) {
  const RequirementReport thrown = outcome_of(  // 10 t - 5 t^2
      "var h := 0.0, v := 10.0; der(h) = v; der(v) = -10; require h < 6;", 2);
  EXPECT_EQ(thrown.verdict, Verdict::Held);
  EXPECT_NEAR(thrown.margin, 1, 1e-8);
  EXPECT_NEAR(thrown.margin_at, 1, 1e-4);

  const RequirementReport sine = outcome_of(kSine + "require x < 1.25;", 6);
  EXPECT_NEAR(sine.margin, 0.25, 1e-7);
  EXPECT_NEAR(sine.margin_at, kPi / 2, 1e-3);

  const RequirementReport both = outcome_of(kSine + "require x < 1.25 and x > -3;", 6);
  EXPECT_NEAR(both.margin, 0.25, 1e-7);
  const RequirementReport either = outcome_of(kSine + "require x > 0.1 or v > -3;", 6);
  EXPECT_NEAR(either.margin, 2, 1e-6);
  const RequirementReport size = outcome_of(kSine + "require abs(x) < 2;", 6);
  EXPECT_NEAR(size.margin, 1, 1e-6);
  const RequirementReport computed = outcome_of(kSine + "var y = x * x; require y < 3;", 6);
  EXPECT_NEAR(computed.margin, 2, 1e-6);
}

TEST(Requirements, AMarginBehindALoopAndOverDerivatives) {
  // y^3 + y = x has the slope 1 / (1 + 3 y^2); x = sin(t), so y is largest where y^3 + y = 1
  double largest = 0.7;
  for (int i = 0; i < 50; ++i) largest -= (std::pow(largest, 3) + largest - 1) / (3 * largest * largest + 1);
  const RequirementReport loop = outcome_of(kSine + "var y; 0 = y^3 + y - x; require y < 1;", 3);
  EXPECT_NEAR(loop.margin, 1 - largest, 1e-6);
  const RequirementReport slope = outcome_of(kRise + "require der(x) < 1.5;", 3);
  EXPECT_NEAR(slope.margin, 0.5, 1e-9);
  EXPECT_EQ(slope.margin_at, 0);
}

TEST(Requirements, ABreakMayLast) {
  // sin(t) > 1/2 between pi/6 and 5 pi/6
  const RequirementReport longer = outcome_of(kSine + "require x < 0.5 for 2;", 6);
  expect_violated(longer, kPi / 6 + 2);
  const RequirementReport shorter = outcome_of(kSine + "require x < 0.5 for 2.5;", 6);
  EXPECT_EQ(shorter.verdict, Verdict::Held);
  EXPECT_NEAR(shorter.spare, 2.5 - 2 * kPi / 3, 1e-6);
  EXPECT_NEAR(shorter.spare_at, 5 * kPi / 6, 1e-6);
  EXPECT_NEAR(shorter.margin, -0.5, 1e-6);  // of the condition itself
  EXPECT_EQ(outcome_of(kSine + "require x < 0.5 for 2.5;", 2).verdict, Verdict::Undecided);
  // mended in the very instant at which the time is over
  EXPECT_EQ(outcome_of("discrete a := true; at 1 { a := false; } at 3 { a := true; } require a for 2;", 9).verdict,
            Verdict::Held);
  expect_violated(outcome_of("discrete a := true; at 1 { a := false; } at 3 { a := true; } require a for 1.5;", 9),
                  2.5);
}

TEST(Requirements, AlwaysWithin) {
  const std::string shorter = "require always x < 0.5 within 0.5;", longer = "require always x < 0.5 within 1;";
  EXPECT_EQ(outcome_of(kRise + shorter, 10).verdict, Verdict::Held);
  EXPECT_NEAR(outcome_of(kRise + shorter, 10).margin, std::exp(-0.5) - 0.5, 1e-8);
  EXPECT_EQ(outcome_of(kRise + shorter, 0.25).verdict, Verdict::Undecided);
  expect_violated(outcome_of(kRise + longer, 10), std::log(2));
}

TEST(Requirements, EventuallyWithin) {
  const RequirementReport met = outcome_of(kRise + "require eventually x > 0.9 within 2.5;", 10);
  EXPECT_EQ(met.verdict, Verdict::Held);
  EXPECT_NEAR(met.spare, 2.5 - std::log(10), 1e-7);
  EXPECT_EQ(met.tests, 1U);
  const RequirementReport late = outcome_of(kRise + "require eventually x > 0.9 within 2;", 10);
  EXPECT_EQ(late.violated_at, 2);
  EXPECT_NEAR(late.margin, 0.1 - std::exp(-2), 1e-8);
  EXPECT_EQ(outcome_of(kRise + "require eventually x > 0.9 within 20;", 1).verdict, Verdict::Undecided);
  EXPECT_EQ(outcome_of(kRise + "require eventually x > 0.9;", 1).verdict, Verdict::Undecided);
  EXPECT_EQ(outcome_of(kRise + "require eventually x > 0.9;", 3).verdict, Verdict::Held);
  // just at the limit
  EXPECT_EQ(outcome_of("discrete a := false; at 2 { a := true; } require eventually a within 2;", 9).verdict,
            Verdict::Held);
  const RunReport report = run(kRise + "require eventually x > 0.9 within 2 \"slow\";", 10);
  EXPECT_EQ(message_of(report).substr(0, 46), "slow: `x > 0.9` did not come within 2 of t = 0") << message_of(report);
}

TEST(Requirements, Until) {
  EXPECT_EQ(outcome_of(kRise + "require x < 0.8 until time >= 1;", 10).verdict, Verdict::Held);
  expect_violated(outcome_of(kRise + "require x < 0.5 until time >= 1;", 10), std::log(2));
  expect_violated(outcome_of(kRise + "require x < 2 until x > 0.9 within 2;", 10), 2);
  EXPECT_EQ(outcome_of(kRise + "require x < 2 until x > 0.9;", 2).verdict, Verdict::Undecided);
  const RequirementReport met = outcome_of(kRise + "require x < 2 until x > 0.9 within 4;", 10);
  EXPECT_NEAR(met.spare, 4 - std::log(10), 1e-7);
  EXPECT_NEAR(met.margin, 1.1, 1e-7);  // what comes later does not count
  // both change at once: met
  EXPECT_EQ(outcome_of("discrete a := true, b := false; at 2 { a := false; b := true; } require a until b;", 9).verdict,
            Verdict::Held);
}

TEST(Requirements, AnAnswerIsDue) {
  const std::string alarm = "discrete a := false, b := false; at 1 { a := true; } at 4 { a := false; } ";
  EXPECT_EQ(outcome_of(alarm + "at 2.5 { b := true; } require when a: eventually b within 2;", 9).spare, 0.5);
  expect_violated(outcome_of(alarm + "at 3.5 { b := true; } require when a: eventually b within 2;", 9), 3);
  EXPECT_EQ(outcome_of(alarm + "require when b: eventually a within 2;", 9).verdict, Verdict::NeverTested);
  // each time anew; a second alarm while the first is open changes nothing
  const std::string again = "discrete a := false, b := false; every 2 { a := true; } every 2 from 1 { a := false; } ";
  const RequirementReport often = outcome_of(again + "require when a: eventually not a within 1.5;", 9);
  EXPECT_EQ(often.verdict, Verdict::Held);
  EXPECT_EQ(often.tests, 4U);
  EXPECT_EQ(often.spare, 0.5);
  expect_violated(outcome_of(again + "require when a: eventually b within 3;", 9), 5);
  // a continuous one: sin(t) passes 1/2 at pi/6, and is above 0.9 from asin(0.9) on
  const RequirementReport sine = outcome_of(kSine + "require when x > 0.5: eventually x > 0.9 within 1;", 7);
  EXPECT_NEAR(sine.spare, 1 - (std::asin(0.9) - kPi / 6), 1e-6);
  EXPECT_EQ(sine.verdict, Verdict::Undecided);  // it has passed 1/2 again, at 13 pi/6
  EXPECT_EQ(sine.tests, 2U);
}

TEST(Requirements, AlwaysAfterATrigger) {
  expect_violated(outcome_of(kSine + "require when x > 0.5: v > 0;", 6), kPi / 2);
  EXPECT_EQ(outcome_of(kSine + "require when x > 0.5: always v > 0 within 1;", 6).verdict, Verdict::Held);
  // a later trigger makes it count longer
  const std::string twice = "discrete a := false, b := true; every 2 { a := true; } every 2 from 1 { a := false; } ";
  expect_violated(outcome_of(twice + "at 4.5 { b := false; } require when a: always b within 2.5;", 9), 4.5);
}

const std::string kStates = R"(
    var x := 0.0; der(x) = 1;
    chart {
        initial -> A;
        state A { REQUIREMENT when x >= 2 -> B; }
        state B { after 1 -> A { x := 0; } }
    })";

std::string in_state(const std::string& requirement) {
  std::string text = kStates;
  return text.replace(text.find("REQUIREMENT"), 11, requirement);
}

TEST(Requirements, AStateBeginsAndEndsThem) {
  const RequirementReport met = outcome_of(in_state("require eventually x > 1.5;"), 8.5);
  EXPECT_EQ(met.verdict, Verdict::Held);
  EXPECT_EQ(met.tests, 3U);  // at 0, 3 and 6
  const RequirementReport open = outcome_of(in_state("require eventually x > 1.5 within 1.75;"), 10);
  EXPECT_EQ(open.verdict, Verdict::Undecided);
  EXPECT_NEAR(open.spare, 0.25, 1e-7);
  expect_violated(outcome_of(in_state("require eventually x > 2.5;"), 10), 2);
  expect_violated(outcome_of(in_state("require eventually x > 2.5 within 5;"), 10), 2);
  // what makes the state be left is what was required
  EXPECT_EQ(outcome_of(in_state("require eventually x >= 2;"), 8.5).verdict, Verdict::Held);
  EXPECT_EQ(outcome_of(in_state("require x < 2;"), 8).verdict, Verdict::Held);
  EXPECT_NEAR(outcome_of(in_state("require x < 3;"), 8).margin, 1, 1e-9);
  expect_violated(outcome_of(in_state("require x < 1;"), 8), 1);
}

TEST(Requirements, TheInstantOfLeavingCounts) {
  const std::string chart = R"(
    discrete done := false;
    chart { initial -> A; state A { require eventually done; after 2 -> B { done := ANSWER; } } state B; })";
  std::string good = chart, bad = chart;
  good.replace(good.find("ANSWER"), 6, "true");
  bad.replace(bad.find("ANSWER"), 6, "false");
  EXPECT_EQ(outcome_of(good, 5).verdict, Verdict::Held);
  expect_violated(outcome_of(bad, 5), 2);
  EXPECT_NE(message_of(run(bad, 5)).find("did not come before its state was left"), std::string::npos);
}

TEST(Requirements, NeverEntered) {
  const RequirementReport found =
      outcome_of("chart { initial -> A; state A { after 5 -> B; } state B { require time < 3; } }", 4);
  EXPECT_EQ(found.verdict, Verdict::NeverTested);
  EXPECT_EQ(found.tests, 0U);
}

TEST(Requirements, KeepGoingCountsEachBreak) {
  const RequirementReport found = outcome_of(kSine + "require x < 0.5;", 4 * kPi, true);
  EXPECT_EQ(found.violations, 2U);
  EXPECT_NEAR(found.violated_at, kPi / 6, 1e-7);
  EXPECT_NEAR(found.margin, -0.5, 1e-6);
  const std::string again = "discrete a := false, b := false; every 2 { a := true; } every 2 from 1 { a := false; } ";
  EXPECT_EQ(outcome_of(again + "require when a: eventually b within 0.5;", 9, true).violations, 4U);
}

TEST(Requirements, DiscreteMarginsAndMarginsOverTime) {
  const RequirementReport count =
      outcome_of("var n: Integer := 5; every 1 { n := n - 1; } require n > -1 or n == 3;", 4.5);
  EXPECT_EQ(count.margin, 2);
  EXPECT_EQ(count.margin_at, 4);
  const RequirementReport alive =
      outcome_of("discrete last := 0.0; every 3 { last := time; } require time - last < 5;", 10);
  EXPECT_EQ(alive.verdict, Verdict::Held);
  EXPECT_NEAR(alive.margin, 2, 1e-12);
  EXPECT_NEAR(alive.margin_at, 3, 1e-12);
  const RequirementReport end = outcome_of("require time < 12;", 10);
  EXPECT_NEAR(end.margin, 2, 1e-12);
  // the second relation cannot be computed while the first does not hold
  EXPECT_EQ(outcome_of("var x[3] := fill(1.0, 3); discrete i: Integer := 0; at 2 { i := 1; } "
                       "require i < 1 or x[i] < 2;",
                       4)
                .verdict,
            Verdict::Held);
}

TEST(Requirements, FamiliesAndObjectsThatCome) {
  const RunReport family = run("var x[3] := fill(0.0, 3); for i in 1..3 { der(x[i]) = i; require x[i] < 4; }", 1);
  ASSERT_EQ(family.runs.front().requirements.size(), 3U);
  EXPECT_EQ(family.runs.front().requirements[1].indices, "i = 2");
  EXPECT_NEAR(family.runs.front().requirements[1].margin, 2, 1e-9);

  const std::string car = "model Car { var x := 0.0; der(x) = 1; require x < 3; require eventually x > 1.5; }\n";
  const RunReport cars =
      run("population cars: Car; every 1 { new Car() in cars; } "
          "every 1 from 2.25 { delete cars.first(); }",
          8, true, car);
  ASSERT_EQ(cars.runs.front().requirements.size(), 2U);
  const RequirementReport& bound = cars.runs.front().requirements[0];
  EXPECT_EQ(bound.object, "all Car made in the run");
  EXPECT_EQ(bound.verdict, Verdict::Held);
  EXPECT_NEAR(bound.margin, 1.75, 1e-9);
  EXPECT_EQ(cars.runs.front().requirements[1].violations, cars.runs.front().violations);
  EXPECT_GT(cars.runs.front().violations, 0U);
  EXPECT_EQ(cars.runs.front().requirements[1].violated_by, "Case.cars[1]");
}

TEST(Requirements, TheSameWithManyIslandsAndThreads) {
  RunRequest request;
  request.path = "model.hyla";
  request.stop_time = 3;
  const std::string text =
      "model Part { parameter a = 1.0; var x := 0.0; der(x) = a - x; require x < 1.5; }\n"
      "model Case { object part[200]: Part; }\n";
  const MemoryFiles files({{"model.hyla", text}});
  std::vector<double> margins[2];
  for (const unsigned threads : {1U, 2U}) {
    request.threads = threads;
    const RunReport report = run_model(request, files, {});
    ASSERT_TRUE(report.has_run);
    for (const RequirementReport& one : report.runs.front().requirements) margins[threads - 1].push_back(one.margin);
  }
  EXPECT_EQ(margins[0], margins[1]);
  ASSERT_EQ(margins[0].size(), 200U);
  EXPECT_NEAR(margins[0][17], 0.5 + std::exp(-3), 1e-6);
}

// --- coverage

TEST(Coverage, CountsAndMerges) {
  const std::string text = R"(
model Lamp {
    parameter n: Integer = 1;
    var count: Integer := 0;
    chart light {
        initial -> Off;
        state Off { after 1 -> Check { count := count + 1; } }
        choice Check { if count > n -> On; else -> Off; }
        state On { when count > 5 -> Broken; after 1 if count < 4 -> Off; }
        state Broken;
    }
}
)";
  RunRequest request;
  request.path = "model.hyla";
  request.stop_time = 8;
  request.coverage = true;
  const RunReport report = run_model(request, MemoryFiles({{"model.hyla", text}}), {});
  ASSERT_TRUE(report.has_run);
  const CoverageReport& found = report.coverage;
  ASSERT_EQ(found.states.size(), 3U);
  EXPECT_EQ(found.states[0].name, "Lamp.light.Off");
  EXPECT_EQ(found.states[0].place, "model.hyla:7");
  // off until 1, 2; on from 2 to 3; off until 4; on from 4 on with count 3 until 5; off until 6; count 4: stays on
  EXPECT_EQ(found.states[0].yes, 4U);
  EXPECT_EQ(found.states[1].yes, 3U);
  EXPECT_EQ(found.states[2].yes, 0U);
  ASSERT_EQ(found.transitions.size(), 5U);
  EXPECT_EQ(found.transitions[0].yes, 4U);  // out of Off
  EXPECT_EQ(found.transitions[1].yes, 0U);  // when count > 5
  EXPECT_EQ(found.transitions[2].yes, 2U);  // back to Off
  EXPECT_EQ(found.transitions[3].yes, 3U);  // if count > n
  EXPECT_EQ(found.transitions[4].yes, 1U);  // else
  ASSERT_EQ(found.conditions.size(), 3U);
  EXPECT_EQ(found.conditions[0].yes, 0U);
  EXPECT_GT(found.conditions[0].no, 0U);
  EXPECT_EQ(found.conditions[1].yes, 2U);
  EXPECT_EQ(found.conditions[1].no, 1U);
  EXPECT_EQ(found.conditions[2].yes, 3U);
  EXPECT_EQ(found.conditions[2].no, 1U);

  request.replications = 3;
  const RunReport many = run_model(request, MemoryFiles({{"model.hyla", text}}), {});
  EXPECT_EQ(many.coverage.states[0].yes, 12U);
  request.coverage = false;
  EXPECT_TRUE(run_model(request, MemoryFiles({{"model.hyla", text}}), {}).coverage.empty());
}

}  // namespace
}  // namespace hyla::service
