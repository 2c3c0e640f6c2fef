#include "service/compare_files.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "service/compare_testing.h"
#include "service/expected_run_testing.h"

namespace hyla::service {
namespace {

// --- Solvers against each other
// ------------------------------------------------------------------------------------------------------------------

struct SolverPair {
  std::string example, solver;
  double tolerance = 1e-8;
};
void PrintTo(const SolverPair& pair, std::ostream* out) { *out << pair.example << " with " << pair.solver; }

class SolversAgree : public testing::TestWithParam<SolverPair> {};

RunTexts texts_of(const SolverPair& pair, const std::string& solver) {
  Expectation run;
  run.request.path = "examples/" + pair.example + ".hyla";
  run.request.solver.solver = solver;
  run.request.solver.tolerance = pair.tolerance;
  const RunResult result = run_expected(run, "agree_" + pair.example + "_" + solver);
  EXPECT_TRUE(result.report.has_run && !result.report.model_failed()) << result.messages();
  return {result.events_text, result.rows_text};
}

TEST_P(SolversAgree, InEventsAndValues) {
  EXPECT_EQ(parting(texts_of(GetParam(), "auto"), texts_of(GetParam(), GetParam().solver)), "");
}

std::vector<SolverPair> solver_pairs() {
  std::vector<SolverPair> pairs;
  for (const char* example :
       {"bouncing_ball", "buck_converter", "c7_constrained_pendulum", "careful_tank", "drive_train", "ejection_seat",
        "pwm_servo", "rc_diode", "relay", "string_pendulum", "thermal_storage", "two_tanks", "wheelchair"}) {
    for (const char* solver : {"rk8", "rosenbrock", "cvode-adams", "cvode-bdf", "arkode-erk", "arkode-dirk", "ida"}) {
      pairs.push_back({example, solver});
    }
  }
  return pairs;
}

std::string pair_name(const testing::TestParamInfo<SolverPair>& info) {
  std::string name = info.param.example + "_" + info.param.solver;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Examples, SolversAgree, testing::ValuesIn(solver_pairs()), pair_name);

// --- Files
// ------------------------------------------------------------------------------------------------------------------

const std::string kEvents =
    "{\"hyla\":\"events\",\"version\":1,\"model\":\"Room\",\"seed\":1}\n"
    "{\"seq\":1,\"t\":1,\"step\":1,\"kind\":\"transition\",\"object\":\"Room\",\"from\":\"Off\",\"to\":\"On\"}\n"
    "{\"seq\":2,\"t\":2,\"step\":0,\"kind\":\"stop\",\"object\":\"Room\",\"text\":\"stop-time\"}\n";
const std::string kValues = "time,x\n0,0.5\n1,0.5\n1,1.5\n2,1.5\n";

CompareReport compare(const MemoryFiles& files, const std::string& a, const std::string& b) {
  CompareRequest request;
  request.a = a;
  request.b = b;
  return compare_files(request, files);
}

TEST(CompareFiles, FindsEventsBesideTheResults) {
  const MemoryFiles files(
      {{"a/run.csv", kValues}, {"a/run.jsonl", kEvents}, {"b.csv", kValues}, {"b.jsonl", kEvents}, {"c.csv", kValues}});
  const CompareReport both = compare(files, "a/run.csv", "b.csv");
  ASSERT_TRUE(both.comparison);
  EXPECT_TRUE(both.comparison->has_events && both.comparison->has_values);
  EXPECT_EQ(both.a->events_path, "a/run.jsonl");
  const CompareReport one = compare(files, "a/run.csv", "c.csv");
  ASSERT_TRUE(one.comparison);
  EXPECT_FALSE(one.comparison->has_events);
  EXPECT_EQ(one.notes, std::vector<std::string>{"only A has events, so the runs are not aligned by them"});
  const CompareReport mixed = compare(files, "a/run.jsonl", "b.csv");
  EXPECT_TRUE(mixed.comparison->has_events && !mixed.comparison->has_values);
  EXPECT_EQ(compare(files, "a/run.jsonl", "c.csv").failures.size(), 1u);
}

TEST(CompareFiles, OtherModelsAndSeedsAreNoted) {
  std::string other = kEvents;
  other.replace(other.find("\"seed\":1"), 8, "\"seed\":7");
  const CompareReport report = compare(MemoryFiles({{"a.jsonl", kEvents}, {"b.jsonl", other}}), "a.jsonl", "b.jsonl");
  EXPECT_EQ(report.notes, std::vector<std::string>{"A has the seed 1, B 7"});
  EXPECT_TRUE(report.alike());
}

TEST(CompareFiles, DamagedFilesAreFailures) {
  const MemoryFiles files({{"a.jsonl", kEvents}, {"b.jsonl", "{\"hyla\":\"events\""}, {"c.csv", ""}});
  EXPECT_EQ(compare(files, "a.jsonl", "b.jsonl").failures.size(), 1u);
  EXPECT_EQ(compare(files, "b.jsonl", "c.csv").failures.size(), 2u) << "both are told";
}

TEST(Tubes, AreReadFromTexts) {
  const record::TubeChoice both = parse_tube("tank.*=1e-6,1e-3").value();
  EXPECT_EQ(both.pattern, "tank.*");
  EXPECT_EQ(both.tube.absolute, 1e-6);
  EXPECT_EQ(both.tube.relative, 1e-3);
  EXPECT_EQ(parse_tube("x = inf").value().tube.relative, 0);
  for (const char* bad : {"", "x", "=1", "x=", "x=1,", "x=1,2,3", "x=nan", "x=-1", "x=1 m"}) {
    EXPECT_FALSE(parse_tube(bad).ok()) << bad;
  }
}

}  // namespace
}  // namespace hyla::service
