#include "service/result_file.h"

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "diag/render.h"
#include "service/load_result.h"
#include "service/run_testing.h"
#include "service/testing.h"

namespace hyla::service {
namespace {

/// What a run has left in a file with this ending.
record::RunResult recorded(const std::string& text, const std::string& ending, const RunRequest& wishes = {},
                           RunReport* told = nullptr) {
  RunRequest request = wishes;
  request.path = "case.hyla";
  request.output_file = scratch_path("result_file_test" + ending);
  const RunReport report = run_model(request, MemoryFiles({{"case.hyla", text}}), {});
  EXPECT_EQ(report.counts.errors, 0U) << diag::render(report.diagnostics, report.sources);
  for (const std::string& failure : report.failures) ADD_FAILURE() << failure;
  if (told != nullptr) *told = report;
  auto result = load_result(request.output_file, Disk());
  EXPECT_TRUE(result.ok()) << result.message();
  std::filesystem::remove(request.output_file);
  return std::move(result).value();
}

std::vector<double> values(const record::RunResult& result, const std::string& name) {
  const auto place = record::find_column(result.columns, name);
  EXPECT_TRUE(place.ok()) << place.message();
  return place.ok() ? result.values(result.columns[place.value()]) : std::vector<double>();
}

RunRequest up_to(double stop_time, double interval, std::vector<std::string> variables = {}) {
  RunRequest request;
  request.stop_time = stop_time;
  request.output_interval = interval;
  request.output_variables = std::move(variables);
  return request;
}

constexpr const char* kTank = R"(
model Tank {
    parameter area: Real(unit = "m2") = 2;
    output level: Real(unit = "m") := 1;
    var drop: Real(unit = "m");
    var same: Real(unit = "m");
    discrete full: Boolean := false;
    der(level) = -0.1 [m2/s] * level / area;
    drop = -level;
    same = level;
    when level < 0.5 { full := true; }
}
)";

TEST(ResultFile, FormatsHoldTheSame) {
  const record::RunResult csv = recorded(kTank, ".csv", up_to(20, 0.25));
  for (const char* ending : {".mat", ".h5", ".hdf5"}) {
    const record::RunResult other = recorded(kTank, ending, up_to(20, 0.25));
    EXPECT_EQ(other.time, csv.time);
    EXPECT_EQ(other.columns.size(), csv.columns.size());
    for (const record::ResultColumn& column : csv.columns) {
      EXPECT_EQ(values(other, column.name), csv.values(column)) << ending << ' ' << column.name;
    }
    EXPECT_EQ(other.model, "Tank");
    EXPECT_EQ(other.seed, 1U);
    EXPECT_EQ(other.version, program_version());
    EXPECT_EQ(other.time_unit, "s");
    ASSERT_EQ(other.parameters.size(), 1U);
    EXPECT_EQ(other.parameters[0].name, "area");
    EXPECT_EQ(other.parameters[0].unit, "m2");
    EXPECT_EQ(other.parameters[0].value, 2);
    EXPECT_EQ(other.columns[record::find_column(other.columns, "level").value()].unit, "m");
  }
}

TEST(ResultFile, StoresAliasesOnce) {
  for (const char* ending : {".mat", ".h5"}) {
    const record::RunResult result = recorded(kTank, ending, up_to(20, 0.25));
    EXPECT_EQ(result.columns.size(), 4U);
    EXPECT_EQ(result.series.size(), 2U) << ending;  // level and full
    const auto column = [&](const char* name) {
      return result.columns[record::find_column(result.columns, name).value()];
    };
    EXPECT_EQ(column("same").series, column("level").series);
    EXPECT_EQ(column("drop").series, column("level").series);
    EXPECT_TRUE(column("drop").is_negated);
  }
}

TEST(ResultFile, StoresConnectedValuesOnceUnlessTheStructureCanChange) {
  const std::string parts = R"(
model Source { output y := 0; der(y) = 1; }
model Sink { input u := 0; }
)";
  const std::string fixed = parts + R"(
model Top { object a: Source; object b: Sink; connect a.y -> b.u; }
)";
  const record::RunResult joined = recorded(fixed, ".h5", up_to(1, 0.1, {"*"}));
  EXPECT_EQ(joined.columns.size(), 2U);
  EXPECT_EQ(joined.series.size(), 1U);
  const std::string changing = parts + R"(
model Top {
    object a: Source; object b: Sink;
    dynamic other: Sink := none;
    connect a.y -> b.u;
}
)";
  const record::RunResult apart = recorded(changing, ".h5", up_to(1, 0.1, {"a.y", "b.u"}));
  EXPECT_EQ(apart.series.size(), 2U);
  EXPECT_EQ(values(apart, "a.y"), values(apart, "b.u"));
}

TEST(ResultFile, KeepsEventsAndTheTextOfTheModelInHdf5) {
  const record::RunResult result = recorded(kTank, ".h5", up_to(20, 1));
  EXPECT_EQ(result.model_text, kTank);
  ASSERT_TRUE(result.events);
  EXPECT_TRUE(result.events->is_complete);
  EXPECT_EQ(result.events->model, "Tank");
  EXPECT_EQ(result.events->entries.back().kind, "stop");
}

constexpr const char* kRoad = R"(
model Car {
    parameter speed = 1;
    output way := 0;
    der(way) = speed;
}
model Road {
    discrete traffic: Integer := 0;
    population cars: Car;
    at 1 { new Car(speed = 2) in cars; traffic := traffic + 1; }
    at 2 { new Car(speed = 3) in cars; }
    at 3 { for car in cars { if car.speed < 2.5 { delete car; } } }
}
)";

/// A car that came at `begin` has gone `speed` times the time since then.
void expect_car(const record::RunResult& result, const std::string& name, double begin, double end, double speed) {
  const std::vector<double> way = values(result, name);
  bool was_there = false;
  for (std::size_t i = 0; i < way.size(); ++i) {
    const double time = result.time[i];
    if (time < begin || time > end) {
      EXPECT_TRUE(record::is_absent(way[i])) << name << " at " << time;
    } else if (time > begin && time < end) {
      EXPECT_NEAR(way[i], speed * (time - begin), 1e-9) << name << " at " << time;
      was_there = true;
    }
  }
  EXPECT_TRUE(was_there);
}

TEST(ResultFile, TakesObjectsThatComeAndGoInHdf5) {
  RunReport report;
  const record::RunResult result = recorded(kRoad, ".h5", up_to(4, 0.125), &report);
  expect_car(result, "cars[1].way", 1, 3, 2);
  expect_car(result, "cars[2].way", 2, 4, 3);
  EXPECT_TRUE(report.notes.empty());
}

TEST(ResultFile, SaysWhatFixedColumnsCannotTake) {
  for (const char* ending : {".csv", ".mat"}) {
    RunReport report;
    const record::RunResult result = recorded(kRoad, ending, up_to(4, 0.125), &report);
    EXPECT_EQ(result.columns.size(), 1U);
    EXPECT_EQ(report.notes, (std::vector<std::string>{
                                "2 variables of objects that were made during the run could not be recorded: only "
                                "HDF5 files (`.h5`) can take them"}));
  }
}

TEST(ResultFile, GoesOnWithTheNextOccupant) {
  const std::string text = R"(
abstract model Engine { output y := 0; }
model Slow extends Engine { der(y) = 1; }
model Fast extends Engine { output z := 5; der(y) = 10; }
model Top {
    dynamic engine: Engine := Slow();
    at 1 { engine := Fast(); }
}
)";
  for (const char* ending : {".csv", ".mat", ".h5"}) {
    RunReport report;
    const record::RunResult result = recorded(text, ending, up_to(2, 0.5), &report);
    const std::vector<double> y = values(result, "engine.y");
    EXPECT_NEAR(y.back(), 10, 1e-9);
    EXPECT_NEAR(y[1], 0.5, 1e-9);
    EXPECT_EQ(report.notes.size(), ending == std::string(".h5") ? 0U : 1U);
  }
}

TEST(ResultFile, FormatIsToldByTheEndOfTheName) {
  EXPECT_EQ(result_format("a.b/x.CSV").value(), ResultFormat::Csv);
  EXPECT_EQ(result_format("x.mat").value(), ResultFormat::Mat);
  EXPECT_EQ(result_format("x.csv.h5").value(), ResultFormat::Hdf5);
  EXPECT_EQ(result_format("-").value(), ResultFormat::Csv);
  EXPECT_EQ(result_format("/dev/null").value(), ResultFormat::Csv);
  EXPECT_FALSE(result_format("x").ok());
  EXPECT_FALSE(result_format("a.csv/x").ok());
}

}  // namespace
}  // namespace hyla::service
