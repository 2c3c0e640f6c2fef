// Runs the examples against the numbers of tests/reference: the sequence of events exactly, their times and the values
// around them within the limits of each file, and errors that shrink with the tolerance for every solver that suits.
#include <algorithm>
#include <cmath>

#include "service/expected_run_testing.h"

namespace hyla::service {
namespace {

const std::string kFolder = "tests/reference/";

std::vector<std::string> problems() {
  std::vector<std::string> names;
  for (const std::string& name : Disk().names_in(kFolder)) {
    if (name.ends_with(".txt")) names.push_back(name.substr(0, name.rfind('.')));
  }
  return names;
}

/// Rounding: no tolerance makes errors smaller.
constexpr double kFloor = 2e-12;

struct Measured {
  Errors errors;
  std::string worst;
};

Measured measure(Expectation expected, const std::string& name, const std::string& solver, double tolerance) {
  expected.request.solver.solver = solver;
  expected.request.solver.tolerance = tolerance;
  const RunResult result = run_expected(expected, name);
  expect_ending(expected, result);
  if (testing::Test::HasFatalFailure()) return {{INFINITY, INFINITY}, ""};
  const Comparison comparison(expected, result);
  return {comparison.errors(), comparison.worst()};
}

class Reference : public testing::TestWithParam<std::string> {};

TEST_P(Reference, IsReachedWithDefaultSettings) {
  constexpr double kDefaultTolerance = 1e-6;
  const Expectation expected = read_expectation(kFolder + GetParam() + ".txt");
  const RunResult result = run_expected(expected, GetParam());
  expect_ending(expected, result);
  ASSERT_TRUE(result.report.has_run);
  const Comparison comparison(expected, result);
  const double time_limit = expected.exact ? expected.time_limit : expected.time_factor * kDefaultTolerance;
  const double value_limit = expected.exact ? expected.value_limit : expected.value_factor * kDefaultTolerance;
  EXPECT_LE(comparison.errors().time, time_limit) << comparison.worst();
  EXPECT_LE(comparison.errors().value, value_limit) << comparison.worst();
  EXPECT_EQ(result.report.runs[0].continuous.uncleared, 0u) << "a crossing could have been missed";
}

TEST_P(Reference, IsReachedWithinItsLimits) {
  const Expectation expected = read_expectation(kFolder + GetParam() + ".txt");
  const Measured found = measure(expected, GetParam(), "auto", 1e-10);
  EXPECT_LE(found.errors.time, expected.time_limit) << found.worst;
  EXPECT_LE(found.errors.value, expected.value_limit) << found.worst;
}

TEST(Reference, TheLastEventOfTheServoIsShorterThanTimeResolves) {
  Expectation expected = read_expectation(kFolder + "pwm_servo.txt");
  expected.request.stop_time = 10;
  const RunResult result = run_expected(expected, "servo_to_10");
  const auto is_change = [](const LoggedEvent& event) { return event.kind == "transition" && event.time < 9.95; };
  EXPECT_EQ(std::count_if(result.events.begin(), result.events.end(), is_change), 199);
}

TEST(Reference, TheSummaryTellsWhatSolvingTook) {
  const Expectation expected = read_expectation(kFolder + "c5_two_state.txt");
  const RunResult result = run_expected(expected, "c5_summary");
  ASSERT_TRUE(result.report.has_run);
  const ContinuousReport& work = result.report.runs[0].continuous;
  EXPECT_EQ(work.islands, 1u);
  EXPECT_EQ(work.configurations, 1u);  // the states differ in values that are held, not in equations
  EXPECT_EQ(work.crossings, 5u);
  EXPECT_GE(work.to_stiff, 1u);
  EXPECT_GT(work.steps, 100u);
  EXPECT_GT(work.evaluations, work.steps);
  EXPECT_GT(work.jacobians, 0u);
}

struct SolverRun {
  std::string problem, solver;
};
void PrintTo(const SolverRun& one, std::ostream* out) { *out << one.problem << " with " << one.solver; }

std::vector<SolverRun> solver_cases() {
  std::vector<SolverRun> cases;
  for (const std::string& problem : problems()) {
    const Expectation expected = read_expectation(kFolder + problem + ".txt");
    cases.push_back({problem, "auto"});
    cases.push_back({problem, "rosenbrock"});
    // Explicit methods take minutes for C5. The zones of the store only limit their steps. In
    // such a step the interpolant of rk8, of degree 7 from evaluations six time constants apart, magnifies what the
    // error estimate has let pass in the fast modes: events inside it come up to 1e4 tolerances too late or too early.
    const bool is_mild = problem == "thermal_storage";
    if (!expected.stiff || is_mild) cases.push_back({problem, "rk45"});
    if (!expected.stiff) cases.push_back({problem, "rk8"});
  }
  return cases;
}

/// What a coarse tolerance may move beyond the stop time is left out.
void shorten(Expectation& expected) {
  const double stop = expected.converges_until;
  if (!(stop < expected.request.stop_time)) return;
  expected.request.stop_time = stop;
  expected.end.reset();
  std::erase_if(expected.events, [&](const ExpectedEvent& event) { return event.time >= stop; });
  std::erase_if(expected.samples, [&](const ExpectedSample& sample) { return sample.time >= stop; });
}

class Convergence : public testing::TestWithParam<SolverRun> {};

TEST_P(Convergence, ErrorsShrinkInProportionToTheTolerance) {
  const auto& [problem, solver] = GetParam();
  Expectation expected = read_expectation(kFolder + problem + ".txt");
  shorten(expected);
  // Errors need not follow the tolerance at every single step: a coarse run may be lucky.
  constexpr double kSlack = 100;
  constexpr double kFinest = 1e-10;
  double promised = 0;  // by the coarser runs, for the finest
  double last = 0;
  for (const double tolerance : {1e-4, 1e-6, 1e-8, kFinest}) {
    const Measured found = measure(expected, problem + "_" + solver, solver, tolerance);
    ASSERT_FALSE(HasFailure()) << "at the tolerance " << tolerance;
    if (!expected.rough) {
      EXPECT_LE(found.errors.time, expected.time_factor * tolerance + kFloor) << tolerance << " " << found.worst;
      EXPECT_LE(found.errors.value, expected.value_factor * tolerance + kFloor) << tolerance << " " << found.worst;
    }
    last = std::max(found.errors.time, found.errors.value);
    if (tolerance == kFinest) break;
    const double decades = std::log10(tolerance / kFinest) * (expected.rough ? 0.5 : 1);
    promised = std::max(promised, last * std::pow(10, -decades));
  }
  EXPECT_LE(last, std::max(kSlack * promised, 10 * kFinest)) << "the error is not in proportion to the tolerance";
}

std::string problem_name(const testing::TestParamInfo<std::string>& info) { return info.param; }
std::string case_name(const testing::TestParamInfo<SolverRun>& info) {
  return info.param.problem + "_" + info.param.solver;
}

INSTANTIATE_TEST_SUITE_P(Files, Reference, testing::ValuesIn(problems()), problem_name);
INSTANTIATE_TEST_SUITE_P(Files, Convergence, testing::ValuesIn(solver_cases()), case_name);

}  // namespace
}  // namespace hyla::service
