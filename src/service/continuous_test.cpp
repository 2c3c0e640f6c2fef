// Runs the cases of tests/continuous and compares them with what stands in them.
#include <random>

#include "base/text.h"
#include "service/compare_testing.h"
#include "service/expected_run_testing.h"

namespace hyla::service {
namespace {

const std::string kFolder = "tests/continuous/";

std::vector<std::string> case_files() {
  std::vector<std::string> names;
  for (const std::string& name : Disk().names_in(kFolder)) {
    if (name == "CMakeLists.txt") continue;
    if (name.ends_with(".hyla") || name.ends_with(".txt")) names.push_back(name);
  }
  return names;
}

std::string stem_of(const std::string& file) { return file.substr(0, file.rfind('.')); }
std::string file_name(const testing::TestParamInfo<std::string>& info) { return stem_of(info.param); }

void expect_near(const Expectation& expected, const RunResult& result) {
  if (!result.report.has_run) return;
  const Comparison comparison(expected, result);
  EXPECT_LE(comparison.errors().time, expected.time_limit) << comparison.worst();
  EXPECT_LE(comparison.errors().value, expected.value_limit) << comparison.worst();
}

class ContinuousCase : public testing::TestWithParam<std::string> {};

TEST_P(ContinuousCase, LeadsToWhatIsExpected) {
  const Expectation expected = read_expectation(kFolder + GetParam());
  const RunResult result = run_expected(expected, stem_of(GetParam()));
  expect_ending(expected, result);
  expect_near(expected, result);
}

INSTANTIATE_TEST_SUITE_P(Files, ContinuousCase, testing::ValuesIn(case_files()), file_name);

// --- other solvers

struct SolverCase {
  std::string file, solver;
};
void PrintTo(const SolverCase& one, std::ostream* out) { *out << one.file << " with " << one.solver; }

std::vector<SolverCase> solver_cases() {
  struct Group {
    std::vector<std::string> files, solvers;
  };
  const std::vector<Group> groups = {
      {{"matrix", "containers", "chain", "pleiades", "van_der_pol", "implicit", "linear_loop", "saturating_loop"},
       {"rk45", "rk8", "rosenbrock", "cvode-adams", "cvode-bdf", "arkode-erk", "arkode-dirk", "ida"}},
      {{"cartesian_pendulum", "joined_angle", "two_constraints", "driven_inductors", "formula_for_another"},
       {"rk45", "rk8", "rosenbrock", "cvode-adams", "cvode-bdf", "arkode-erk", "arkode-dirk", "ida"}},
      {{"bounce_rearm", "relations"},
       {"rk45", "rk8", "rosenbrock", "cvode-adams", "cvode-bdf", "arkode-erk", "arkode-dirk", "ida"}},
      {{"van_der_pol_1000", "robertson", "hires", "heat", "brusselator"},
       {"rosenbrock", "cvode-bdf", "arkode-dirk", "ida"}},
  };
  std::vector<SolverCase> cases;
  for (const Group& group : groups) {
    for (const std::string& solver : group.solvers) {
      for (const std::string& file : group.files) cases.push_back({file, solver});
    }
  }
  return cases;
}

class OtherSolver : public testing::TestWithParam<SolverCase> {};

TEST_P(OtherSolver, LeadsToTheSame) {
  const auto& [name, solver] = GetParam();
  const bool is_variant = name.find("1000") != name.npos;
  Expectation expected = read_expectation(kFolder + name + (is_variant ? ".txt" : ".hyla"));
  expected.request.solver.solver = solver;
  // Multistep methods keep the error of a step within the tolerance, not that of the whole run.
  expected.request.solver.tolerance = std::min(1e-8, expected.request.solver.tolerance.value_or(1));
  expected.value_limit = std::max(expected.value_limit, 1e-5);
  expected.time_limit = std::max(expected.time_limit, 1e-6);
  const RunResult result = run_expected(expected, name + "_" + solver);
  expect_ending(expected, result);
  expect_near(expected, result);
}

std::string solver_name(const testing::TestParamInfo<SolverCase>& info) {
  std::string name = info.param.file + "_" + info.param.solver;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Solvers, OtherSolver, testing::ValuesIn(solver_cases()), solver_name);

// --- fixed steps

/// Errors of x(1) for x' = y, y' = -x with a fixed step.
double fixed_step_error(const std::string& solver, double step) {
  Expectation expected = read_expectation(kFolder + "matrix.hyla");
  expected.request.solver.solver = solver;
  expected.request.solver.step_size = step;
  const RunResult result = run_expected(expected, "fixed");
  expect_ending(expected, result);
  return result.report.has_run ? Comparison(expected, result).errors().value : NAN;
}

TEST(FixedSteps, HaveTheOrderOfTheirMethod) {
  const double euler = fixed_step_error("euler", 0.01) / fixed_step_error("euler", 0.005);
  EXPECT_NEAR(euler, 2, 0.1);
  const double rk4 = fixed_step_error("rk4", 0.1) / fixed_step_error("rk4", 0.05);
  EXPECT_NEAR(rk4, 16, 2);
}

// --- same bits

class SameBits : public testing::TestWithParam<std::string> {};

TEST_P(SameBits, WhateverTheNumberOfThreads) {
  Expectation expected = read_expectation(GetParam());
  const RunResult one = run_expected(expected, "bits");
  expected.request.threads = 4;
  const RunResult four = run_expected(expected, "bits");
  ASSERT_TRUE(one.report.has_run) << one.messages();
  EXPECT_EQ(parting_of_bits({one.events_text, one.rows_text}, {four.events_text, four.rows_text}), "");
  const RunResult again = run_expected(expected, "bits");
  EXPECT_EQ(four.rows_text, again.rows_text);
}

TEST_P(SameBits, WhetherCompiledOrNot) {
  Expectation expected = read_expectation(GetParam());
  expected.request.solver.jit = "off";
  const RunResult interpreted = run_expected(expected, "bits");
  expected.request.solver.jit = "on";
  const RunResult compiled = run_expected(expected, "bits");
  ASSERT_TRUE(compiled.report.has_run) << compiled.messages();
  EXPECT_EQ(
      parting_of_bits({interpreted.events_text, interpreted.rows_text}, {compiled.events_text, compiled.rows_text}),
      "");
}

TEST_P(SameBits, WhetherRecordedOrNot) {
  Expectation expected = read_expectation(GetParam());
  const RunResult few = run_expected(expected, "bits");
  ASSERT_TRUE(few.report.has_run) << few.messages();
  // Many rows are read from interpolants: they change nothing of the run.
  expected.samples.push_back({expected.request.stop_time.value() / 1000, {}});
  const RunResult many = run_expected(expected, "bits");
  EXPECT_EQ(few.events_text, many.events_text);
}

INSTANTIATE_TEST_SUITE_P(Models, SameBits,
                         testing::Values("tests/continuous/pleiades.hyla", "tests/continuous/hires.hyla",
                                         "tests/continuous/chain.hyla", "tests/continuous/brusselator.hyla",
                                         "tests/continuous/islands.hyla", "tests/continuous/islands_join.hyla",
                                         "tests/continuous/message_in_mid_step.hyla",
                                         "tests/reference/two_tanks_stroke_2s.txt", "tests/reference/pwm_servo.txt"));

// --- crossings at random places

/// A polynomial in s with the roots given, s being the time; some lie close together.
class RandomRoots : public testing::TestWithParam<unsigned> {};

TEST_P(RandomRoots, AreAllFoundWhereTheyAre) {
  std::mt19937 random(GetParam());
  const auto fraction = [&] { return static_cast<double>(random()) / 4294967296.0; };
  std::vector<double> roots;
  for (int i = 0; i < 4; ++i) roots.push_back(0.1 + 2.4 * (i + fraction()));
  // A pair at a distance of 1e-2 to 1e-5: positive or negative for so long only.
  roots.push_back(roots[random() % 4] + std::pow(10, -2 - 3 * fraction()));
  std::sort(roots.begin(), roots.end());
  std::string product;
  for (const double root : roots) product += " * (s - " + base::format_number(root) + ")";
  Expectation expected;
  expected.lists_events = true;
  expected.request.path = "roots.hyla";
  expected.request.stop_time = 10;
  expected.columns = {"s"};
  // Behind the last root the product is positive; it changes its sign at every root.
  for (std::size_t i = 0; i < roots.size(); ++i) {
    const bool rises = (roots.size() - i) % 2 == 1;
    expected.events.push_back({roots[i], rises ? "up" : "down", {}, {}});
  }
  const bool starts_above = roots.size() % 2 == 0;
  if (starts_above) expected.events.insert(expected.events.begin(), {0, "up", {}, {}});
  if (!starts_above) expected.events.insert(expected.events.begin(), {0, "down", {}, {}});
  const MemoryFiles files({{"roots.hyla", "model Roots { output s := 0; der(s) = 1; output g = 1" + product +
                                              "; up: when g >= 0 { } down: when g <= 0 { } }"}});
  const RunResult result = run_expected(expected, "roots", files);
  ASSERT_TRUE(result.report.has_run) << result.messages();
  const Comparison comparison(expected, result);
  EXPECT_LE(comparison.errors().time, 1e-9) << comparison.worst();
  EXPECT_EQ(result.report.runs[0].continuous.uncleared, 0u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomRoots, testing::Range(1u, 41u));

// --- random linear systems

using Matrix = std::vector<std::vector<long double>>;

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix result(a.size(), std::vector<long double>(a.size(), 0));
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < a.size(); ++j) {
      for (std::size_t k = 0; k < a.size(); ++k) result[i][j] += a[i][k] * b[k][j];
    }
  }
  return result;
}

/// exp(A) by its series for A / 2^20, squared twenty times.
Matrix exponential(Matrix a) {
  constexpr int kSquarings = 20;
  const std::size_t n = a.size();
  Matrix sum(n, std::vector<long double>(n, 0)), term = sum;
  for (std::size_t i = 0; i < n; ++i) {
    sum[i][i] = term[i][i] = 1;
    for (long double& element : a[i]) element = std::ldexp(element, -kSquarings);
  }
  for (int k = 1; k < 12; ++k) {
    term = product(term, a);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) sum[i][j] += (term[i][j] /= k);
    }
  }
  for (int k = 0; k < kSquarings; ++k) sum = product(sum, sum);
  return sum;
}

class RandomLinear : public testing::TestWithParam<unsigned> {};

/// x' = A x with the eigenvalues of A to the left of the axis, some far to the left.
TEST_P(RandomLinear, FollowsTheMatrixExponential) {
  std::mt19937 random(GetParam());
  const auto between = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random()) / 4294967296.0;
  };
  const std::size_t n = 1 + random() % 6;
  const double spread = std::pow(10, between(0, 3));
  Matrix a(n, std::vector<long double>(n));
  std::string rows, start;
  for (std::size_t i = 0; i < n; ++i) {
    std::string row;
    for (std::size_t j = 0; j < n; ++j) {
      const double element = i == j ? -between(1, 2) * (i % 2 == 0 ? 1 : spread) : between(-0.5, 0.5) / double(n);
      a[i][j] = element;
      row += (j == 0 ? "" : ", ") + base::format_number(element);
    }
    rows += (i == 0 ? "[" : ", [") + row + "]";
    start += (i == 0 ? "" : ", ") + base::format_number(static_cast<double>(i) - 1.5);
  }
  const std::string size = std::to_string(n);
  const MemoryFiles files({{"linear.hyla", "model Linear { parameter A[" + size + ", " + size + "] = [" + rows +
                                               "]; var x[" + size + "] := [" + start + "]; der(x) = A * x; }"}});
  Expectation expected;
  expected.request.path = "linear.hyla";
  expected.request.stop_time = 2;
  const Matrix growth = exponential(a);
  ExpectedSample sample{1, Values(n)};
  for (std::size_t i = 0; i < n; ++i) {
    expected.columns.push_back("x[" + std::to_string(i + 1) + "]");
    long double value = 0;
    for (std::size_t j = 0; j < n; ++j) value += growth[i][j] * (static_cast<long double>(j) - 1.5L);
    sample.values[i] = static_cast<double>(value);
  }
  expected.samples.push_back(sample);
  for (const char* solver : {"auto", "rk45", "rk8", "rosenbrock"}) {
    expected.request.solver.solver = solver;
    expected.request.solver.tolerance = 1e-8;
    const RunResult result = run_expected(expected, "linear", files);
    ASSERT_TRUE(result.report.has_run) << result.messages();
    const Comparison comparison(expected, result);
    EXPECT_LE(comparison.errors().value, 1e-6) << solver << " " << comparison.worst();
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomLinear, testing::Range(1u, 31u));

// --- where values lie at events

const ExpectedSample& row_at(const RunResult& result, double time) {
  static const ExpectedSample none;
  const auto row =
      std::find_if(result.rows.begin(), result.rows.end(), [&](const ExpectedSample& one) { return one.time == time; });
  EXPECT_NE(row, result.rows.end()) << "no row at t = " << time;
  return row == result.rows.end() ? none : *row;
}

RunResult one_sided_servo(const std::string& events, double tolerance) {
  Expectation expected = read_expectation("tests/reference/pwm_servo.txt");
  expected.columns = {"omega", "phi", "saw", "x"};
  expected.request.stop_time = 2;
  expected.request.solver.events = events;
  expected.request.solver.tolerance = tolerance;
  RunResult result = run_expected(expected, "one_sided");
  EXPECT_TRUE(result.report.has_run) << result.messages();
  const auto is_reset = [](const LoggedEvent& event) { return event.kind != "transition"; };
  std::erase_if(result.events, is_reset);
  return result;
}

/// After a one-sided location the state has not crossed the boundary.
TEST(OneSided, ValuesAtEventsAreOnTheInnerSide) {
  const Expectation expected = read_expectation("tests/reference/pwm_servo.txt");
  const RunResult result = one_sided_servo("one_sided", 1e-6);
  ASSERT_GE(result.events.size(), 39u);
  for (std::size_t i = 0; i < 39; ++i) {
    const LoggedEvent& event = result.events[i];
    EXPECT_EQ(event.from + " -> " + event.to, expected.events[i].label);
    EXPECT_NEAR(event.time, expected.events[i].time, 1e-6);
    if (event.to != "pwm.Off") continue;
    const Values& values = row_at(result, event.time).values;
    ASSERT_EQ(values.size(), 4u);
    EXPECT_GE(0.1 * std::fabs(values[3]), values[2]) << "at t = " << event.time;
  }
}

/// Table 1 of the comparison of ISMA, SimInTech, MATLAB and Ptolemy II on this servo drive gives the errors of the
/// first and the seventh event at a tolerance of 1e-4. Those of ISMA, whose location is one-sided too, are not
/// exceeded.
TEST(OneSided, ErrorsAreAtMostThoseOfThePublishedTable) {
  struct Row {
    std::size_t event;
    double time, omega, phi;
  };
  const Expectation expected = read_expectation("tests/reference/pwm_servo.txt");
  const RunResult result = one_sided_servo("one_sided:0.6", 1e-4);
  ASSERT_GE(result.events.size(), 39u);
  for (const Row& row : {Row{1, 1.5e-6, 1.5e-4, 6.5e-6}, Row{7, 1.3e-5, 8.4e-5, 7.1e-5}}) {
    const ExpectedEvent& truth = expected.events[row.event - 1];
    const LoggedEvent& event = result.events[row.event - 1];
    const Values& values = row_at(result, event.time).values;
    ASSERT_EQ(values.size(), 4u);
    EXPECT_NEAR(event.time, truth.time, row.time);
    EXPECT_NEAR(values[0], truth.after[0], row.omega);
    EXPECT_NEAR(values[1], truth.after[1], row.phi);
  }
}

// --- failures

/// The form of a report about a run that fails.
TEST(ContinuousFailures, NameTheirCircumstances) {
  const Expectation expected = read_expectation(kFolder + "bad_blow_up.hyla");
  const RunResult result = run_expected(expected, "blow_up");
  ASSERT_TRUE(result.report.has_run);
  EXPECT_TRUE(result.report.model_failed());
  ASSERT_FALSE(result.rows.empty());
  EXPECT_GT(result.rows.back().time, 0.99) << "results are kept to the last good time";
  EXPECT_TRUE(result.rows_text.ends_with('\n')) << "the last row is complete";
  EXPECT_NE(result.events_text.find("\"kind\":\"stop\""), std::string::npos);
}

}  // namespace
}  // namespace hyla::service
