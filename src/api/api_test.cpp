#include <cmath>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "api/hyla.h"

namespace hyla {
namespace {

const char* const kTank = R"(
model Tank {
    parameter area = 2.0;
    discrete inflow := 1.0;
    var level := 0.0;
    der(level) = (inflow - level) / area;
    output twice = 2 * level;
    chart fill {
        initial -> Low;
        state Low { when level > 0.5 -> High { print("high"); } }
        state High { }
    }
    section Simulation { stop_time = 4; tolerance = 1e-9; }
}
)";

/// Level of the tank at a time, with inflow 1 and area 2.
double level_at(double time) { return 1 - std::exp(-time / 2); }

std::string failure_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no failure";
}

TEST(Api, RunsToAnyTimeAndReads) {
  Simulation tank(Model::from_text(kTank));
  const Variable level = tank.find("level");
  EXPECT_EQ(tank.time(), 0);
  EXPECT_EQ(tank.get(level), 0);
  for (double time = 0.125; time < 4; time += 0.125) {
    EXPECT_TRUE(tank.run_to(time));
    EXPECT_EQ(tank.time(), time);
    EXPECT_NEAR(tank.get(level), level_at(time), 1e-8);
    EXPECT_EQ(tank.get("twice"), 2 * tank.get(level));
  }
  tank.run();
  EXPECT_TRUE(tank.has_ended());
  EXPECT_EQ(tank.summary().ending, Ending::StopTime);
  EXPECT_EQ(tank.time(), 4);
}

TEST(Api, HoldingARunChangesNothingOfIt) {
  const Model model = Model::from_text(kTank);
  Simulation whole(model), pieces(model);
  whole.run();
  while (pieces.run_to(pieces.time() + 0.0371)) {
  }
  EXPECT_EQ(whole.get("level"), pieces.get("level"));
  EXPECT_EQ(whole.summary().steps, pieces.summary().steps);
  EXPECT_GT(whole.summary().steps, 0U);
}

TEST(Api, StepsFromInstantToInstant) {
  Simulation tank(Model::from_text(kTank));
  EXPECT_EQ(tank.state(), "fill.Low");
  EXPECT_TRUE(tank.step());
  EXPECT_NEAR(tank.time(), 2 * std::log(2.0), 1e-8);
  EXPECT_EQ(tank.state(), "fill.High");
  EXPECT_FALSE(tank.step());
  EXPECT_EQ(tank.time(), 4);
}

TEST(Api, WhatIsSetActsAtOnce) {
  Simulation tank(Model::from_text(kTank), {.parameters = {{"area", "1"}}});
  tank.run_to(1);
  tank.set("inflow", 0);
  EXPECT_EQ(tank.state(), "fill.High");
  tank.run_to(2);
  EXPECT_NEAR(tank.get("level"), (1 - std::exp(-1)) * std::exp(-1), 1e-8);
  tank.set("level", 3);
  EXPECT_EQ(tank.get("twice"), 6);
  tank.run_to(3);
  EXPECT_NEAR(tank.get("level"), 3 * std::exp(-1), 1e-8);
}

TEST(Api, ASetValueFiresConditions) {
  Simulation tank(Model::from_text(kTank));
  tank.set("level", 0.75);
  EXPECT_EQ(tank.state(), "fill.High");
  EXPECT_EQ(tank.time(), 0);
}

TEST(Api, SaysWhatCannotBeSet) {
  Simulation tank(Model::from_text(kTank));
  EXPECT_EQ(failure_of([&] { tank.set("twice", 1); }), "`twice` cannot be set: an equation computes it");
  EXPECT_EQ(failure_of([&] { tank.set("area", 1); }),
            "`area` cannot be set: it is fixed during a run; Options::parameters sets parameters");
  EXPECT_EQ(failure_of([&] { tank.get("levle"); }), "`Tank` has no variable `levle`; did you mean `level`?");
  EXPECT_EQ(failure_of([&] { tank.get(Variable()); }), "this hyla::Variable is of no simulation: get it with find()");
  tank.run();
  EXPECT_EQ(failure_of([&] { tank.set("inflow", 1); }), "`inflow` cannot be set: the run has ended");
  EXPECT_EQ(failure_of([&] { tank.run_to(1); }), "time is 4 already");
}

TEST(Api, TellsEventsPrintsAndSamples) {
  Simulation tank(Model::from_text(kTank));
  std::vector<std::string> events, prints;
  std::vector<double> times;
  tank.on_event([&](const Event& event) {
    events.push_back(std::string(event.kind) + ' ' + std::string(event.from) + ' ' + std::string(event.to));
  });
  tank.on_print([&](double, std::string_view text) { prints.emplace_back(text); });
  tank.on_sample(0.75, [&](const Simulation& now) {
    times.push_back(now.time());
    EXPECT_NEAR(now.get("level"), level_at(now.time()), 1e-8);
  });
  while (tank.step()) {
  }
  EXPECT_EQ(events, (std::vector<std::string>{"transition fill.Low fill.High", "stop  "}));
  EXPECT_EQ(prints, std::vector<std::string>{"high"});
  EXPECT_EQ(times, (std::vector<double>{0, 0.75, 1.5, 2.25, 3, 3.75}));
}

TEST(Api, CallsFunctionsOfTheProgram) {
  const Model model = Model::from_text(R"(
external function pull(x: Real, n: Integer) -> Real = "host:pull";
model Spring { var x := 1.0; der(x) = pull(x, 2); section Simulation { stop_time = 1; tolerance = 1e-9; } }
)");
  int calls = 0;
  const Function pull = [&](std::span<const double> arguments) {
    ++calls;
    return -arguments[1] * arguments[0];
  };
  Simulation spring(model, {.functions = {{"host:pull", pull}}});
  spring.run();
  EXPECT_NEAR(spring.get("x"), std::exp(-2), 1e-8);
  EXPECT_GT(calls, 0);
  EXPECT_NE(failure_of([&] {
              Simulation(model, {.functions = {{"host:pul", pull}}});
            }).find("did you mean `host:pul`"),
            std::string::npos);
}

TEST(Api, ExceptionsOfTheProgramComeThrough) {
  Simulation tank(Model::from_text(kTank));
  tank.on_event([](const Event&) { throw std::out_of_range("enough"); });
  EXPECT_THROW(tank.run(), std::out_of_range);
  EXPECT_NEAR(tank.time(), 2 * std::log(2.0), 1e-8);
  const Model model = Model::from_text(R"(
external function f(x: Real) -> Real = "host:f";
model M { var x := 1.0; der(x) = f(x); }
)");
  const Function fails = [](std::span<const double>) -> double { throw std::out_of_range("enough"); };
  EXPECT_THROW(Simulation(model, {.functions = {{"host:f", fails}}}).run(), std::out_of_range);
}

TEST(Api, ErrorsHavePlaces) {
  try {
    Model::from_text("model M { var x := 0; der(x) = y; }", "wrong.hyla");
    FAIL();
  } catch (const Error& error) {
    ASSERT_EQ(error.messages().size(), 1U);
    EXPECT_EQ(error.messages()[0].kind, "unknown-name");
    EXPECT_EQ(error.messages()[0].file, "wrong.hyla");
    EXPECT_EQ(error.messages()[0].line, 1U);
    EXPECT_EQ(error.messages()[0].column, 32U);
  }
  EXPECT_NE(failure_of([] { Model::load("no/such.hyla"); }).find("no/such.hyla"), std::string::npos);
  const Model model = Model::from_text(kTank);
  EXPECT_NE(failure_of([&] { Simulation(model, {.parameters = {{"aera", "1"}}}); }).find("area"), std::string::npos);
  EXPECT_NE(failure_of([&] { Simulation(model, {.solver = "rk54"}); }).find("rk45"), std::string::npos);
}

TEST(Api, AFailedRunKeepsItsLastTime) {
  Simulation run(Model::from_text(R"(
model M { var x := 1.0; der(x) = x * x; section Simulation { stop_time = 2; } }
)"));
  EXPECT_NE(failure_of([&] { run.run(); }), "no failure");
  EXPECT_TRUE(run.has_ended());
  EXPECT_EQ(run.summary().ending, Ending::Failed);
  EXPECT_NEAR(run.time(), 1, 1e-3);
  EXPECT_GT(run.get("x"), 1e3);
}

TEST(Api, ManyWorldsLiveSideBySide) {
  const Model model = Model::from_text(kTank);
  std::vector<Simulation> tanks;
  for (int i = 1; i <= 4; ++i) tanks.emplace_back(model, Options{.parameters = {{"area", std::to_string(i)}}});
  for (double time = 0.5; time <= 3.5; time += 0.5) {
    for (Simulation& tank : tanks) tank.run_to(time);
  }
  for (int i = 1; i <= 4; ++i)
    EXPECT_NEAR(tanks[static_cast<std::size_t>(i - 1)].get("level"), 1 - std::exp(-3.5 / i), 1e-8);
  std::vector<std::thread> threads;
  for (Simulation& tank : tanks) threads.emplace_back([&tank] { tank.run(); });
  for (std::thread& thread : threads) thread.join();
  for (int i = 1; i <= 4; ++i)
    EXPECT_NEAR(tanks[static_cast<std::size_t>(i - 1)].get("level"), 1 - std::exp(-4.0 / i), 1e-8);
}

TEST(Api, ObjectsMadeByTheRunCanBeRead) {
  Simulation run(Model::from_text(R"(
model Cell { var age := 0.0; der(age) = 1; }
model Dish {
    population cells: Cell;
    initial { new Cell() in cells; }
    every 1 { new Cell() in cells; }
    section Simulation { stop_time = 3.5; }
}
)"));
  run.run_to(2.5);
  std::vector<std::string> paths;
  for (const VariableInfo& variable : run.variables()) paths.push_back(variable.path);
  ASSERT_EQ(paths.size(), 3U) << testing::PrintToString(paths);
  EXPECT_NEAR(run.get(paths[0]) + run.get(paths[1]) + run.get(paths[2]), 2.5 + 1.5 + 0.5, 1e-9);
}

}  // namespace
}  // namespace hyla
