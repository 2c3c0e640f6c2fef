// `hyla init`: the plant of the examples against an independent solution, choices, refusals, files.
#include "service/init_model.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "diag/render.h"
#include "service/run_model.h"
#include "service/testing.h"

namespace hyla::service {
namespace {

const InitRow* find(const InitReport& report, const std::string& path) {
  const auto found =
      std::find_if(report.rows.begin(), report.rows.end(), [&](const InitRow& row) { return row.path == path; });
  return found == report.rows.end() ? nullptr : &*found;
}

double value(const InitReport& report, const std::string& path) {
  const InitRow* row = find(report, path);
  EXPECT_NE(row, nullptr) << path;
  return row == nullptr ? std::nan("") : row->value;
}

std::string messages(const InitReport& report) {
  std::string text = diag::render(report.diagnostics, report.sources);
  for (const std::string& failure : report.failures) text += failure + '\n';
  return text;
}

using Texts = std::map<std::string, std::string>;

constexpr const char* kTank = R"(
model Tank {
    parameter area = 2;
    parameter inflow = 3;
    var level := 1;
    var flow = area * sqrt(level);
    der(level) = inflow - flow;
}
)";

InitReport init_tank(InitRequest request) {
  MemoryFiles files(Texts{{"tank.hyla", kTank}});
  request.path = "tank.hyla";
  return init_model(request, files);
}

/// A start with values that are no numbers is none, and is not saved.
TEST(InitModel, TellsWhatHasNoValue) {
  InitRequest request;
  request.fixes = {"level=-1"};
  request.save_file = "tank.start";
  const InitReport report = init_tank(request);
  EXPECT_FALSE(report.is_solved);
  EXPECT_TRUE(report.failures.empty());
  EXPECT_NE(messages(report).find("`sqrt(level)` gives no number: the square root of a negative number"),
            std::string::npos)
      << messages(report);
}

// --- the plant

TEST(InitPlant, HasTheValuesOfAnIndependentSolution) {
  InitRequest request;
  request.path = "examples/thermo_hydraulic.hyla";
  Disk disk;
  const InitReport report = init_model(request, disk);
  ASSERT_TRUE(report.is_solved) << messages(report);
  // Eight nonlinear equations, written down by hand and solved with SciPy's fsolve, then by Newton's method.
  const std::pair<const char*, double> expected[] = {
      {"vessel.p", 188463.1715648433},        {"vessel.h", 374435.8077960195},
      {"supply.q", 18.2838120722838},         {"supply.h_out", 375089.51582087704},
      {"branch_a.q", 10.2838120722838},       {"branch_a.h_out", 373735.93208872015},
      {"branch_b.valve", 13.887851594667358}, {"branch_b.h_out", 372081.20598181564},
      {"vessel.T", 362.68183117760077},
  };
  for (const auto& [path, number] : expected) EXPECT_NEAR(value(report, path) / number, 1, 1e-8) << path;
  EXPECT_NEAR(value(report, "der(vessel.p)"), 0, 1e-6);
  EXPECT_NEAR(value(report, "der(vessel.h)"), 0, 1e-8);
}

TEST(InitPlant, IsReducedToADozenUnknowns) {
  InitRequest request;
  request.path = "examples/thermo_hydraulic.hyla";
  request.show = InitShow::Reduced;
  Disk disk;
  const InitReport report = init_model(request, disk);
  EXPECT_GE(report.unknowns, 120U);
  EXPECT_LE(report.unknowns, 145U);
  EXPECT_GE(report.iterated, 8U);
  EXPECT_LE(report.iterated, 16U);
  EXPECT_EQ(report.rows.size(), report.iterated);
}

// --- roles

TEST(Init, TellsWhatIsGivenAndComputed) {
  const InitReport report = init_tank({});
  ASSERT_TRUE(report.is_solved) << messages(report);
  EXPECT_EQ(find(report, "level")->status, InitStatus::Fixed);
  EXPECT_EQ(find(report, "level")->origin, "declared");
  EXPECT_EQ(find(report, "area")->status, InitStatus::Fixed);
  EXPECT_EQ(find(report, "flow")->status, InitStatus::Computed);
  EXPECT_EQ(find(report, "flow")->origin, "tank.hyla:6");
  EXPECT_EQ(find(report, "der(level)")->origin, "tank.hyla:7");
  EXPECT_EQ(value(report, "flow"), 2);
  EXPECT_EQ(value(report, "der(level)"), 1);
  EXPECT_EQ(report.unknowns, 2U);
  EXPECT_EQ(report.iterated, 0U);
}

TEST(Init, ListsWhatCouldBeGivenInstead) {
  const InitReport report = init_tank({});
  EXPECT_EQ(find(report, "flow")->instead, (std::vector<std::string>{"area", "level"}));
  EXPECT_EQ(find(report, "der(level)")->instead, (std::vector<std::string>{"area", "inflow", "level"}));
  EXPECT_EQ(find(report, "level")->instead, (std::vector<std::string>{"der(level)", "flow"}));
  EXPECT_EQ(find(report, "inflow")->instead, std::vector<std::string>{"der(level)"});
}

TEST(Init, ExchangesWhatIsGiven) {
  InitRequest request;
  request.fixes = {"der(level)=0"};
  request.frees = {"level"};
  InitReport report = init_tank(request);
  ASSERT_TRUE(report.is_solved) << messages(report);
  EXPECT_NEAR(value(report, "level"), 2.25, 1e-12);
  EXPECT_EQ(find(report, "level")->status, InitStatus::Free);
  EXPECT_EQ(find(report, "der(level)")->status, InitStatus::Fixed);
  EXPECT_EQ(find(report, "der(level)")->origin, "chosen");

  request.fixes = {"der(level)=0", "level=4"};
  request.frees = {"area"};
  report = init_tank(request);
  ASSERT_TRUE(report.is_solved) << messages(report);
  EXPECT_NEAR(value(report, "area"), 1.5, 1e-12);
  EXPECT_EQ(value(report, "level"), 4);
}

TEST(Init, RefusesWhatDoesNotFit) {
  InitRequest request;
  request.fixes = {"flow=3"};
  InitReport report = init_tank(request);
  EXPECT_FALSE(report.is_solved);
  EXPECT_NE(messages(report).find("error[start-overdetermined]"), std::string::npos) << messages(report);
  EXPECT_NE(messages(report).find("`level`"), std::string::npos) << messages(report);

  request.fixes = {};
  request.frees = {"level"};
  report = init_tank(request);
  EXPECT_NE(messages(report).find("error[start-undetermined]"), std::string::npos) << messages(report);

  // Structure tells that the inflow has no part in the flow.
  request.fixes = {"flow=3"};
  request.frees = {"inflow"};
  report = init_tank(request);
  EXPECT_NE(messages(report).find("error[start-overdetermined]"), std::string::npos) << messages(report);
}

constexpr const char* kShafts = R"(
model Shafts {
    output w1 := 5, w2;
    var pull;
    2 * der(w1) = 1 - pull;
    3 * der(w2) = pull;
    w1 = w2;
}
)";

InitReport init_shafts(const std::string& text, InitRequest request) {
  MemoryFiles files(Texts{{"shafts.hyla", text}});
  request.path = "shafts.hyla";
  return init_model(request, files);
}

TEST(Init, LetsConstraintsComputeWhatIsNotGiven) {
  InitReport report = init_shafts(kShafts, {});
  ASSERT_TRUE(report.is_solved) << messages(report);
  EXPECT_EQ(value(report, "w2"), 5);
  EXPECT_NEAR(value(report, "der(w2)"), 0.2, 1e-12);

  InitRequest request;
  request.frees = {"w1"};
  request.fixes = {"w2=1"};
  report = init_shafts(kShafts, request);
  ASSERT_TRUE(report.is_solved) << messages(report);
  EXPECT_EQ(value(report, "w1"), 1);
}

TEST(Init, RefusesGivenValuesThatContradictAsARunDoes) {
  InitRequest request;
  request.fixes = {"w2=1"};
  InitReport report = init_shafts(kShafts, request);
  EXPECT_FALSE(report.is_solved);
  EXPECT_NE(messages(report).find("`w1` = 5, but 1 would follow"), std::string::npos) << messages(report);

  for (const char* given : {"w2 := 0", "w2 := 1e-300"}) {
    std::string text = kShafts;
    text.replace(text.find("w2;"), 2, given);
    report = init_shafts(text, {});
    EXPECT_FALSE(report.is_solved) << given;
    EXPECT_NE(messages(report).find("error[constrained-states]"), std::string::npos) << messages(report);
  }
}

TEST(Init, NamesTheNearestName) {
  InitRequest request;
  request.fixes = {"levle=3"};
  EXPECT_NE(messages(init_tank(request)).find("did you mean `level`?"), std::string::npos);
  request.fixes = {"area=3"};
  EXPECT_NE(messages(init_tank(request)).find("`--set area=…`"), std::string::npos);
  request.fixes = {"level=many"};
  EXPECT_NE(messages(init_tank(request)).find("is not a number"), std::string::npos);
  request.fixes = {};
  request.selected = {"lefel"};
  request.show = InitShow::Selected;
  EXPECT_NE(messages(init_tank(request)).find("did you mean `level`?"), std::string::npos);
}

TEST(Init, RefusesToFreeWhatIsNeededEarly) {
  InitRequest request;
  request.path = "sized.hyla";
  request.frees = {"n"};
  MemoryFiles files(Texts{{"sized.hyla",
                           "model Sized {\n    parameter n = 2;\n    parameter twice = 2 * n;\n"
                           "    var x := 1;\n    der(x) = twice - n * x;\n}\n"}});
  EXPECT_NE(messages(init_model(request, files)).find("`n` cannot be free: another parameter"), std::string::npos);
}

TEST(Init, RefusesToFreeWhatNoEquationContains) {
  InitRequest request;
  request.path = "unused.hyla";
  request.frees = {"target"};
  MemoryFiles files(
      Texts{{"unused.hyla", "model Unused {\n    parameter target = 2;\n    var x := 1;\n    der(x) = -x;\n}\n"}});
  const InitReport report = init_model(request, files);
  EXPECT_EQ(messages(report), "`target` cannot be free: no equation of the start contains it\n");
  EXPECT_FALSE(report.has_table);
}

// --- display

TEST(Init, ShowsWhatIsAskedFor) {
  InitRequest request;
  request.show = InitShow::Changed;
  request.fixes = {"der(level)=0"};
  request.frees = {"level"};
  const InitReport changed = init_tank(request);
  EXPECT_NE(find(changed, "level"), nullptr);
  EXPECT_EQ(find(changed, "area"), nullptr);
  request.show = InitShow::Reduced;
  const InitReport reduced = init_tank(request);
  ASSERT_EQ(reduced.rows.size(), 1U);
  EXPECT_TRUE(reduced.rows[0].is_iterated);
  request.show = InitShow::Selected;
  request.selected = {"l*"};
  EXPECT_EQ(init_tank(request).rows.size(), 1U);
}

TEST(Init, TellsWhatABadGuessAffects) {
  MemoryFiles files(Texts{{"two.hyla",
                           "model Two {\n    var x := 1, a, b, c;\n    der(x) = c;\n    0 = a^3 + a - x;\n"
                           "    0 = b^3 + b - a;\n    c = a + b;\n}\n"}});
  InitRequest request;
  request.path = "two.hyla";
  const InitReport report = init_model(request, files);
  ASSERT_TRUE(report.is_solved) << messages(report);
  EXPECT_EQ(find(report, "a")->affects, (std::vector<std::string>{"der(x)", "b", "c"}));
  EXPECT_EQ(find(report, "b")->affects, (std::vector<std::string>{"der(x)", "c"}));
}

TEST(Init, MarksWhatWasNotFound) {
  MemoryFiles files(Texts{{"never.hyla",
                           "model Never {\n    var x := 1, a, b, c;\n    der(x) = b;\n    a = 2 * x;\n"
                           "    0 = c^2 + 1;\n    b = c + 1;\n}\n"}});
  InitRequest request;
  request.path = "never.hyla";
  const InitReport report = init_model(request, files);
  EXPECT_FALSE(report.is_solved);
  ASSERT_TRUE(report.has_table) << messages(report);
  EXPECT_TRUE(find(report, "c")->is_open);
  EXPECT_TRUE(find(report, "b")->is_open);
  EXPECT_NE(messages(report).find("no solution was found for `c`"), std::string::npos) << messages(report);
}

// --- files

TEST(InitFiles, AreSavedAndLoaded) {
  MemoryFiles files(Texts{{"tank.hyla", kTank}});
  InitRequest request;
  request.path = "tank.hyla";
  request.fixes = {"der(level)=0"};
  request.frees = {"level"};
  request.settings.push_back({"inflow", "5", ""});
  request.save_file = "rest.start";
  ASSERT_TRUE(init_model(request, files).is_solved);
  const std::string saved = files.read("rest.start").value();
  const std::size_t number = saved.find("free level = ") + 13, end = saved.find('\n', number);
  EXPECT_EQ(saved.substr(0, number), "hyla start values 1\nmodel Tank\nset inflow = 5\nfree level = ");
  EXPECT_NEAR(std::stod(saved.substr(number)), 6.25, 1e-12);
  EXPECT_EQ(saved.substr(end), "\nfix der(level) = 0\nguess flow = 5\n");

  InitRequest loading;
  loading.path = "tank.hyla";
  loading.load_file = "rest.start";
  const InitReport loaded = init_model(loading, files);
  ASSERT_TRUE(loaded.is_solved) << messages(loaded);
  EXPECT_NEAR(value(loaded, "level"), 6.25, 1e-12);
  EXPECT_EQ(find(loaded, "der(level)")->origin, "loaded");

  RunRequest run;
  run.path = "tank.hyla";
  run.start_values_file = "rest.start";
  run.stop_time = 1;
  const RunReport report = run_model(run, files, {});
  EXPECT_TRUE(report.has_run && !report.model_failed()) << diag::render(report.diagnostics, report.sources);
}

TEST(InitFiles, OfAnotherModelAreRefused) {
  MemoryFiles files(Texts{{"tank.hyla", kTank}, {"x.start", "hyla start values 1\nmodel Pump\n"}});
  InitRequest request;
  request.path = "tank.hyla";
  request.load_file = "x.start";
  EXPECT_NE(messages(init_model(request, files)).find("holds start values of `Pump`, not of `Tank`"),
            std::string::npos);
  request.load_file = "missing.start";
  EXPECT_FALSE(init_model(request, files).failures.empty());
}

TEST(Init, WritesItsTableAsTextAndJson) {
  const InitReport report = init_tank({});
  EXPECT_EQ(init_text(report).substr(0, init_text(report).find('\n')),
            "Tank: 2 unknowns in 2 blocks, 0 iterated; 3 values given; the start is found");
  EXPECT_NE(init_json(report).find("\"path\": \"der(level)\""), std::string::npos);
}

}  // namespace
}  // namespace hyla::service
