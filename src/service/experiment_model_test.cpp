// `hyla experiment`: observations against closed forms, designs, settings, refusals, journals.
#include "service/experiment_model.h"

#include "service/experiment_testing.h"
#include "service/report_requirements.h"
#include "service/testing.h"

namespace hyla::service {
namespace {

/// x = sin t.
const std::string kOscillator = R"(
model M {
    parameter w = 1;
    output x := 0, v := 1;
    der(x) = v;
    der(v) = -w^2 * x;
    output wave = sin(3 * time);
    output n: Integer := 0;
    every 1 { n := n + 1; }
}
)";

ExperimentReport observe(const std::string& items) {
  return do_experiment(kOscillator + "experiment E of M { stop_time = 10; tolerance = 1e-10;" + items + "}");
}

// --- folds over time ------------------------------------------------------------------------------

TEST(ExperimentFolds, ExtremaInsideSteps) {
  const ExperimentReport report = observe(
      "observe a = max(x); observe b = min(x); observe c = max(wave);"
      "observe d = max(x^2 + x);");
  EXPECT_NEAR(observed(report, "a"), 1, 1e-8);
  EXPECT_NEAR(observed(report, "b"), -1, 1e-8);
  EXPECT_NEAR(observed(report, "c"), 1, 1e-12);
  EXPECT_NEAR(observed(report, "d"), 2, 1e-8);
}

TEST(ExperimentFolds, IntegralsOverTime) {
  const ExperimentReport report = observe(
      "observe a = mean(x); observe b = stddev(x); observe c = mean(wave);"
      "observe d = mean(x * v);");
  const double mean = (1 - std::cos(10.0)) / 10;
  EXPECT_NEAR(observed(report, "a"), mean, 1e-8);
  EXPECT_NEAR(observed(report, "b"), std::sqrt((5 - std::sin(20.0) / 4) / 10 - mean * mean), 1e-8);
  EXPECT_NEAR(observed(report, "c"), (1 - std::cos(30.0)) / 30, 1e-9);
  EXPECT_NEAR(observed(report, "d"), std::sin(10.0) * std::sin(10.0) / 20, 1e-8);
}

TEST(ExperimentFolds, ConditionsAndEnds) {
  const ExperimentReport report = observe(
      "observe a = count(x > 0.5); observe b = time_of(x < -0.5);"
      "observe c = final_value(x); observe d = count(x > 0.5 and v > 0);"
      "observe e = time_of(wave < -0.9 and x > 0.9);");
  EXPECT_EQ(observed(report, "a"), 2);
  EXPECT_NEAR(observed(report, "b"), std::acos(-1.0) + std::asin(0.5), 1e-8);
  EXPECT_NEAR(observed(report, "c"), std::sin(10.0), 1e-8);
  EXPECT_EQ(observed(report, "d"), 2);
  EXPECT_NEAR(observed(report, "e"), (std::asin(0.9) + std::acos(-1.0)) / 3, 1e-8);
}

/// n = floor(t).
TEST(ExperimentFolds, WhatJumps) {
  const ExperimentReport report = observe(
      "observe a = max(n); observe b = mean(n); observe c = time_of(n >= 3);"
      "observe d = count(n > 2); observe e = final_value(n); observe f = stddev(n);"
      "observe g = quantile(n, 0.5); observe h = a / 2 + w;");
  EXPECT_EQ(observed(report, "a"), 10);
  EXPECT_NEAR(observed(report, "b"), 4.5, 1e-12);
  EXPECT_EQ(observed(report, "c"), 3);
  EXPECT_EQ(observed(report, "d"), 1);
  EXPECT_EQ(observed(report, "e"), 10);
  EXPECT_NEAR(observed(report, "f"), std::sqrt(8.25), 1e-12);
  EXPECT_NEAR(observed(report, "g"), 4.5, 1);
  EXPECT_EQ(observed(report, "h"), 6);
}

TEST(ExperimentFolds, FollowingDoesNotChangeTheRun) {
  const std::string text = kOscillator;
  const auto final_x = [&](const std::string& more) {
    return observed(do_experiment(text + "experiment E of M { stop_time = 10; observe z = x;" + more + "}"), "z");
  };
  EXPECT_EQ(final_x(""), final_x("observe a = max(x); observe b = count(x > 0.3); observe c = mean(v);"));
}

// --- designs --------------------------------------------------------------------------------------

TEST(ExperimentDesign, GridsListsAndRanges) {
  const ExperimentReport report = do_experiment(R"(
model M { parameter a = 0, b = 0; parameter c: Boolean = false; output y = a + 10 * b + (if c then 100 else 0); }
experiment E of M { vary a in 1..2 step 0.5; vary b in [3, 7]; vary c in [true, false]; observe z = y; }
)");
  ASSERT_EQ(report.conclusion.groups.size(), 12U) << messages(report);
  EXPECT_EQ(observed(report, "z", 0), 131);
  EXPECT_EQ(observed(report, "z", 1), 31);
  EXPECT_EQ(observed(report, "z", 3), 71);
  EXPECT_EQ(observed(report, "z", 11), 72);
}

TEST(ExperimentDesign, SettingsByPrecedence) {
  const std::string text = R"(
model M { parameter a = 1; output x := 0; der(x) = a; section Simulation { stop_time = 2 * a; } }
experiment Plain of M { observe z = x; }
experiment E of M { stop_time = 7; a = 3; observe z = x; }
experiment Varies of M { vary a in [1, 2]; observe z = x; }
experiment Stops of M { vary stop_time in [4, 5]; observe z = x; }
)";
  ExperimentRequest request;
  request.name = "Plain";
  EXPECT_NEAR(observed(do_experiment(text, request), "z"), 2, 1e-9);
  EXPECT_NEAR(observed(do_experiment(text), "z"), 21, 1e-9);
  request.name = "Varies";
  EXPECT_NEAR(observed(do_experiment(text, request), "z", 1), 8, 1e-9);
  request.name = "Stops";
  EXPECT_NEAR(observed(do_experiment(text, request), "z", 1), 5, 1e-9);
  request = {};
  request.run.stop_time = 1;
  request.run.settings = {{"a", "5", ""}};
  EXPECT_NEAR(observed(do_experiment(text, request), "z"), 5, 1e-9);
}

/// y = a + b: mean 3, variance 4 + 1/12.
TEST(ExperimentDesign, MonteCarloOverParameters) {
  for (const char* sampling : {"random", "latin_hypercube", "sobol"}) {
    ExperimentRequest request;
    request.sampling = sampling;
    const ExperimentReport report = do_experiment(R"(
model M { parameter a = 0, b = 0; output y = a + b; }
experiment E of M { samples = 1024; vary a in normal(1, 2); vary b in 1.5..2.5; observe z = y; }
)",
                                                  request);
    ASSERT_EQ(report.conclusion.groups.size(), 1U) << messages(report);
    const experiment::Figures& figures = report.conclusion.groups[0].figures[0];
    EXPECT_EQ(figures.count, 1024U);
    EXPECT_NEAR(figures.mean, 3, figures.half_width);
    EXPECT_NEAR(figures.stddev, std::sqrt(4 + 1.0 / 12), 0.1);
  }
}

TEST(ExperimentDesign, RandomNumbersAreCommonToAllPoints) {
  const ExperimentReport report = do_experiment(R"(
model M { parameter a = 0; output x := 0; at 1 { x := a + uniform(0, 1); } }
experiment E of M { stop_time = 2; vary a in [0, 10]; replicate 5; observe z = x; }
)");
  ASSERT_EQ(report.conclusion.groups.size(), 2U) << messages(report);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(report.conclusion.groups[1].results[i].values[0] - report.conclusion.groups[0].results[i].values[0], 10,
                1e-12);
  }
  EXPECT_NE(report.conclusion.groups[0].results[0].values[0], report.conclusion.groups[0].results[1].values[0]);
}

TEST(ExperimentDesign, ReplicatesUntilTheHalfWidthIsSmall) {
  const std::string text = R"(
model M { output x := 0; at 1 { x := normal(5, 1); } }
experiment E of M { stop_time = 2; replicate 5 until half_width(z) < 0.2; observe z = x; }
)";
  const ExperimentReport report = do_experiment(text);
  ASSERT_EQ(report.conclusion.groups.size(), 1U) << messages(report);
  const experiment::Group& group = report.conclusion.groups[0];
  EXPECT_TRUE(group.is_enough);
  EXPECT_LT(group.figures[0].half_width, 0.2);
  EXPECT_GT(group.members.size(), 50U);  // 1.96 / sqrt(n) < 0.2
  EXPECT_LT(group.members.size(), 300U);
  ExperimentRequest request;
  request.max_replications = 10;
  const ExperimentReport short_one = do_experiment(text, request);
  EXPECT_FALSE(short_one.conclusion.groups[0].is_enough);
  EXPECT_TRUE(short_one.has_failed());
}

TEST(ExperimentDesign, ThreadsDoNotChangeResults) {
  const auto csv = [](unsigned threads) {
    ExperimentRequest request;
    request.run.threads = threads;
    return experiment_csv(do_experiment(
        kOscillator + "experiment E of M { stop_time = 5; vary w in 1..3 step 0.1; observe a = max(x); replicate 2; }",
        request));
  };
  const std::string one = csv(1);
  EXPECT_NE(one.find("1.1"), std::string::npos) << one;
  EXPECT_EQ(one, csv(3));
}

TEST(ExperimentDesign, FromTheCommandLine) {
  ExperimentRequest request;
  request.ad_hoc.vary = {"w in [1, 2]"};
  request.ad_hoc.observe = {"peak = max(x);"};
  request.run.stop_time = 10;
  const ExperimentReport report = do_experiment(kOscillator, request);
  EXPECT_NEAR(observed(report, "peak", 0), 1, 1e-5);
  EXPECT_NEAR(observed(report, "peak", 1), 0.5, 1e-5);
}

TEST(ExperimentDesign, OneThatFailsDoesNotEndTheOthers) {
  const ExperimentReport report = do_experiment(R"(
model N { parameter i: Integer = 1; var v[2] := [1, 2]; output x := 0; at 1 { x := v[i]; } }
experiment E of N { stop_time = 2; vary i in [1, 3, 2]; observe z = x; }
)");
  ASSERT_EQ(report.conclusion.groups.size(), 3U) << messages(report);
  EXPECT_EQ(report.failed, 1U);
  EXPECT_TRUE(report.has_failed());
  EXPECT_EQ(report.conclusion.groups[2].figures[0].mean, 2);
  EXPECT_NE(experiment_text(report).find("failed"), std::string::npos);
}

TEST(ExperimentDesign, RequirementsMarkPoints) {
  const ExperimentReport report = do_experiment(R"(
model M { parameter a = 1; output y = a; }
experiment E of M { vary a in 1..4 step 1; observe z = y; require z < 2.5 "too large"; minimize -z; }
)");
  ASSERT_EQ(report.conclusion.groups.size(), 4U) << messages(report);
  EXPECT_EQ(report.conclusion.groups[1].violations[0], 0U);
  EXPECT_EQ(report.conclusion.groups[2].violations[0], 1U);
  EXPECT_EQ(report.conclusion.best, 1U);
}

TEST(ExperimentDesign, RequirementsOverTimeHoldAllTheTime) {
  const ExperimentReport report = do_experiment(kOscillator + R"(
experiment E of M {
    stop_time = 5; vary w in [1, 2]; observe z = x; require x < 0.6 "too far"; require always x < 0.6;
}
)");
  ASSERT_EQ(report.conclusion.groups.size(), 2U) << messages(report);
  EXPECT_EQ(report.conclusion.groups[0].violations[0], 1U);  // sin t comes to 1
  EXPECT_EQ(report.conclusion.groups[1].violations[0], 0U);  // sin(2 t) / 2 to 0.5
  EXPECT_EQ(report.conclusion.groups[0].violations[1], 1U);
  EXPECT_EQ(report.conclusion.groups[1].violations[1], 0U);
}

TEST(ExperimentDesign, TimesHaveTheUnitOfTheModel) {
  const ExperimentReport report = do_experiment(R"(
model M { var x := 0; der(x) = 1; section Simulation { stop_time = 5; time_unit = "h"; } }
experiment E of M {
    observe early = time_of(x > 2);
    observe between = time_of(x > 3) - time_of(x > 2);
    observe rate = 1 / time_of(x > 2);
}
)");
  EXPECT_NEAR(observed(report, "between"), 1, 1e-9);
  EXPECT_EQ(report.plan.observed[0].unit, "h");
  EXPECT_EQ(report.plan.observed[1].unit, "h");
  EXPECT_EQ(report.plan.observed[2].unit, "");
  EXPECT_NE(experiment_text(report).find("early [h]"), std::string::npos);
}

// --- coverage -------------------------------------------------------------------------------------

/// x = t: High is entered at t = limit, Over at t = 8.
const std::string kGate = R"(
model Gate {
    parameter limit = 3;
    var x := 0;
    der(x) = 1;
    chart phase {
        initial -> Low;
        state Low { when x > limit -> High; }
        state High { when x > 8 -> Over; }
        state Over;
    }
}
experiment E of Gate { stop_time = 7; vary limit in [1, 3, 6, 9]; observe end = x; }
)";

std::uint64_t count_of(const std::vector<CoverageItem>& items, const std::string& name) {
  for (const CoverageItem& item : items) {
    if (item.name == name) return item.yes;
  }
  ADD_FAILURE() << "no " << name;
  return 0;
}

TEST(ExperimentCoverage, AddsUpAllRuns) {
  std::string first;
  for (const unsigned threads : {1U, 3U}) {
    ExperimentRequest request;
    request.run.coverage = true;
    request.run.threads = threads;
    const ExperimentReport report = do_experiment(kGate, request);
    EXPECT_EQ(count_of(report.coverage.states, "Gate.phase.Low"), 4U) << messages(report);
    EXPECT_EQ(count_of(report.coverage.states, "Gate.phase.High"), 3U);
    EXPECT_EQ(count_of(report.coverage.states, "Gate.phase.Over"), 0U);
    ASSERT_EQ(report.coverage.conditions.size(), 2U);
    EXPECT_EQ(report.coverage.conditions[0].yes, 3U);
    const std::string text = experiment_text(report);
    EXPECT_NE(text.find("states       2 of 3 entered"), std::string::npos) << text;
    EXPECT_NE(experiment_json(report).find(R"("name": "Gate.phase.High", "place": "model.hyla:9", "entered": 3})"),
              std::string::npos)
        << experiment_json(report);
    if (first.empty()) first = text;
    EXPECT_EQ(text, first);
  }
  EXPECT_TRUE(do_experiment(kGate).coverage.empty());
}

TEST(ExperimentCoverage, ComesFromJournalsThatHaveIt) {
  std::map<std::string, std::string> files;
  const auto run_part = [&](std::uint64_t part, bool coverage) {
    ExperimentRequest request;
    request.run.coverage = coverage;
    request.part = part;
    request.parts = 2;
    request.journal_file = ::testing::TempDir() + "hyla_coverage" + std::to_string(part);
    EXPECT_EQ(messages(do_experiment(kGate, request)), "");
    files[request.journal_file] = Disk().read(request.journal_file).value();
    return request.journal_file;
  };
  ExperimentRequest merge;
  merge.merged_files = {run_part(1, true), run_part(2, true)};
  merge.run.coverage = true;
  const ExperimentReport merged = do_experiment(kGate, merge, files);
  ExperimentRequest at_once;
  at_once.run.coverage = true;
  EXPECT_EQ(coverage_text(merged.coverage), coverage_text(do_experiment(kGate, at_once).coverage));
  EXPECT_FALSE(merged.coverage.empty());
  run_part(2, false);
  EXPECT_EQ(messages(do_experiment(kGate, merge, files)),
            merge.merged_files[1] +
                " was written without --coverage, so nobody knows what its runs have reached: "
                "repeat them with --coverage, or leave it out here\n");
}

// --- refusals -------------------------------------------------------------------------------------

std::string refusal(const std::string& items, ExperimentRequest request = {}) {
  const ExperimentReport report = do_experiment(R"(
model M { parameter area: Real(min = 0.1, max = 10) = 1; parameter free = 1; output h := 0; der(h) = area; }
experiment E of M { )" + items + " }",
                                                std::move(request));
  EXPECT_FALSE(report.has_run);
  return messages(report);
}

TEST(ExperimentRefusals, SayWhatAndWhere) {
  EXPECT_NE(refusal("vary aera in 1..3; observe z = h;").find("did you mean `area`?"), std::string::npos);
  EXPECT_NE(refusal("vary area in 1..20 step 1; observe z = h;").find("cannot be 20: its max is 10"),
            std::string::npos);
  EXPECT_NE(refusal("vary area in 3..1 step 1; observe z = h;").find("this range is empty"), std::string::npos);
  EXPECT_NE(refusal("vary area in normal(1, -1); observe z = h;").find("normal"), std::string::npos);
  EXPECT_NE(refusal("observe z = maximum(h);").find("maximum"), std::string::npos);
  EXPECT_NE(refusal("observe z = max(mean(h));").find("taken over time already"), std::string::npos);
  EXPECT_NE(refusal("observe z = h; minimize h;").find("one number of each run is needed"), std::string::npos);
  EXPECT_NE(refusal("observe z = half_width(h);").find("over runs"), std::string::npos);
  EXPECT_NE(refusal("sampling = \"sobl\"; vary area in 1..3; samples = 4; observe z = h;").find("did you mean `sobol`"),
            std::string::npos);
  EXPECT_NE(refusal("vary free; observe z = h;").find("has no bounds"), std::string::npos);
  EXPECT_NE(refusal("observe z = misfit(h, \"none.csv\", \"h\");").find("none.csv"), std::string::npos);
  EXPECT_NE(refusal("observe z = h; require eventually h > 2 within 3;").find("`require time_of(h > 2) <= 3;`"),
            std::string::npos);
  EXPECT_NE(refusal("observe z = h; require when h > 1: eventually h > 2;").find("put it into the model"),
            std::string::npos);
  ExperimentRequest request;
  request.run.settings = {{"area", "2", ""}};
  EXPECT_NE(refusal("vary area in [1, 2]; observe z = h;", request).find("set and varied"), std::string::npos);
  request = {};
  request.name = "e";
  EXPECT_NE(refusal("observe z = h;", request).find("did you mean `E`?"), std::string::npos);
}

// --- journals and parts ---------------------------------------------------------------------------

TEST(ExperimentJournal, PartsMergeToTheWhole) {
  const std::string text =
      kOscillator + "experiment E of M { stop_time = 3; vary w in 1..7 step 1; observe a = max(x); }";
  std::vector<std::string> journals;
  for (std::uint64_t part = 1; part <= 3; ++part) {
    ExperimentRequest request;
    request.part = part;
    request.parts = 3;
    request.journal_file = ::testing::TempDir() + "hyla_part" + std::to_string(part);
    const ExperimentReport report = do_experiment(text, request);
    EXPECT_EQ(messages(report), "");
    EXPECT_EQ(report.members, part == 1 ? 3U : 2U);
    EXPECT_FALSE(report.has_failed());
    journals.push_back(request.journal_file);
  }
  Disk disk;
  std::map<std::string, std::string> files;
  for (const std::string& path : journals) files[path] = disk.read(path).value();
  ExperimentRequest request;
  request.merged_files = journals;
  const ExperimentReport merged = do_experiment(text, request, files);
  EXPECT_EQ(messages(merged), "");
  EXPECT_FALSE(merged.has_failed());
  EXPECT_EQ(experiment_csv(merged), experiment_csv(do_experiment(text)));
  // A part that is missing is told.
  files[journals[0]].resize(files[journals[0]].size() - 5);
  const ExperimentReport incomplete = do_experiment(text, request, files);
  EXPECT_FALSE(incomplete.conclusion.is_complete);
  EXPECT_TRUE(incomplete.has_failed());
}

}  // namespace
}  // namespace hyla::service
