// Leaving `min` and `max` is told for every kind of variable, with the first time and object, and changes nothing.
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "service/run_testing.h"
#include "service/solver_options.h"

namespace hyla::service {
namespace {

/// What is told of ranges, one line for each variable: message and circumstances.
std::vector<std::string> told(const std::string& body, double stop_time = 5, const std::string& others = "") {
  RunRequest request;
  request.path = "model.hyla";
  request.model = "Case";
  request.stop_time = stop_time;
  const RunReport report =
      run_model(request, MemoryFiles({{"model.hyla", others + "model Case {\n" + body + "\n}\n"}}), {});
  EXPECT_TRUE(report.has_run) << diag::render(report.diagnostics, report.sources);
  std::vector<std::string> result;
  for (const diag::Diagnostic& one : report.diagnostics) {
    EXPECT_EQ(one.kind, diag::Kind::LeavesRange) << diag::render(report.diagnostics, report.sources);
    result.push_back(one.message + " | " + one.text);
  }
  return result;
}

using Lines = std::vector<std::string>;

TEST(Ranges, OfIntegratedVariables) {
  // The steps are as long as the run lets them be: the time at which it leaves is located.
  EXPECT_EQ(told("var x: Real(max = 2.5) := 1; der(x) = 0.5;", 4),
            Lines({"`x` passes its limit 2.5; it is 3 at t = 4 | in `Case` at t = 3"}));
  EXPECT_EQ(told("var x: Real(min = -1) := 1; der(x) = -1;", 3),
            Lines({"`x` passes its limit -1; it is -2 at t = 3 | in `Case` at t = 2"}));
  EXPECT_EQ(told("var x: Real(max = 3) := 1; der(x) = 0.5;", 4), Lines());
  // a start outside
  EXPECT_EQ(told("object part: Part(start = 7);", 4,
                 "model Part { parameter start = 0; var x: Real(max = 3) := start; der(x) = -10; }\n"),
            Lines({"`x` becomes 7, beyond its limit 3 | in `Case.part` at t = 0"}));
}

/// No solution lies inside: the run begins with one outside, and this is told.
TEST(Ranges, OfStartsThatHaveNoOtherSolution) {
  EXPECT_EQ(told("output y: Real(min = 2) := 3; (y - 1) * (y + 3) = 0;"),
            Lines({"`y` becomes 1, beyond its limit 2 | in `Case` at t = 0"}));
  EXPECT_EQ(told("parameter k: Real(fixed = false, min = 3, max = 3.5) = 3; output x := 0; der(x) = k;"
                 "initial { k^2 = 49; }"),
            Lines({"`k` becomes 7, beyond its limit 3.5 | in `Case` at t = 0"}));
}

TEST(Ranges, OfComputedVariables) {
  const std::string ramp = "var x := 0; der(x) = 1; ";
  EXPECT_EQ(told(ramp + "output y: Real(max = 6) = 2 * x;"),
            Lines({"`y` passes its limit 6; it is 10 at t = 5 | in `Case` at t = 3"}));
  // an unknown of a loop: z^3 + z = 10 at z = 2
  EXPECT_EQ(told(ramp + "var z: Real(max = 2) := 0; z^3 + z = 5 * x;", 6),
            Lines({"`z` passes its limit 2; it is 3 at t = 6 | in `Case` at t = 2"}));
  // of time alone, without integrator
  EXPECT_EQ(told("output s: Real(max = 0.5) = sin(time);"),
            Lines({"`s` passes its limit 0.5; it is 0.522687 at t = 0.55 | in `Case` at t = 0.523599"}));
  // computed at events only
  EXPECT_EQ(told("discrete n := 0; every 1 { n := n + 1; } output m: Real(max = 3) = 2 * n;"),
            Lines({"`m` becomes 4, beyond its limit 3 | in `Case` at t = 2"}));
  // an input
  EXPECT_EQ(told(ramp + "object part: Part(u = x);", 5, "model Part { input u: Real(max = 4); output v = u; }\n"),
            Lines({"`u` passes its limit 4; it is 5 at t = 5 | in `Case.part` at t = 4"}));
  EXPECT_EQ(told("discrete n := 0; every 1 { n := n + 1; } object part: Part(u = n);", 5,
                 "model Part { input u: Real(max = 4); output v = u; }\n"),
            Lines({"`u` becomes 5, beyond its limit 4 | in `Case.part` at t = 5"}));
}

TEST(Ranges, OfElements) {
  EXPECT_EQ(told("var x[2]: Real(max = 3) := [1, 1]; der(x[1]) = 1; der(x[2]) = 2 * x[1];"),
            Lines({"`x[2]` passes its limit 3; it is 12.564 at t = 2.54458 | in `Case` at t = 0.732051"}));
  EXPECT_EQ(told("output z[2, 2]: Real(max = 1.52); z = [[time, 0], [0, 2 * time]];"),
            Lines({"`z[2, 2]` passes its limit 1.52; it is 1.6 at t = 0.8 | in `Case` at t = 0.76"}));
  EXPECT_EQ(told("discrete v[3]: Real(max = 1) := [0, 0, 0]; every 1 { v[2] := time - 2; }"),
            Lines({"`v[2]` becomes 2, beyond its limit 1 | in `Case` at t = 4"}));
  EXPECT_EQ(told("discrete v[3]: Real(min = 0) := [0, 0, 0]; every 1 { v := [1, 2, 3 - time]; }"),
            Lines({"`v[3]` becomes -1, beyond its limit 0 | in `Case` at t = 4"}));
}

TEST(Ranges, TheFirstObjectIsToldWithItsOwnLimit) {
  const std::string tank =
      "model Tank { parameter height = 1, ripple = 0; "
      "var level: Real(max = height) := 0; der(level) = 1 + ripple * cos(1000 * time); }\n";
  // The first one leaves first, but the steps of the other one are shorter: it is seen before.
  EXPECT_EQ(told("object tank[i in 1..2]: Tank(height = [1.5, 1.6][i], ripple = i - 1);", 5, tank),
            Lines({"`level` passes its limit 1.5; it is 5 at t = 5 | in `Case.tank[1]` at t = 1.5"}));
  const Lines later = told("object tank[i in 1..2]: Tank(height = [1.7, 1.6][i], ripple = i - 1);", 5, tank);
  ASSERT_EQ(later.size(), 1u);
  EXPECT_TRUE(later[0].starts_with("`level` passes its limit 1.6;")) << later[0];
}

TEST(Ranges, OfObjectsThatComeAndGo) {
  EXPECT_EQ(
      told("population tanks: Tank; every 1 { for t in tanks { delete t; } new Tank(height = 5 - 2 * time) in tanks; }",
           3.9, "model Tank { parameter height = 1; var level: Real(max = height) := -2; der(level) = 1.5; }\n"),
      Lines({"`level` passes its limit -1; it is -0.65 at t = 3.9 | in `Case.tanks[3]` at t = 3.66667"}));
}

TEST(Ranges, TheToleranceCounts) {
  // An event is located a little beyond: that is no departure.
  EXPECT_EQ(told("var h: Real(min = 0) := 1, v := 0; der(h) = v; der(v) = -10; when h <= 0 { v := -0.8 * v; }", 2),
            Lines());
  const std::string late = "discrete x: Real(max = 3{}) := 0; at 1 {{ x := 3 + 1e-4; }}";
  EXPECT_EQ(told(fmt::format(fmt::runtime(late), "")),
            Lines({"`x` becomes 3.0001, beyond its limit 3 | in `Case` at t = 1"}));
  EXPECT_EQ(told(fmt::format(fmt::runtime(late), ", nominal = 1e6")), Lines());
  EXPECT_EQ(told("discrete x: Real(max = 3) := 0; at 1 { x := 3 + 1e-7; }"), Lines());
  EXPECT_EQ(told("var x: Real(max = 3, nominal = 1e6) := 3; der(x) = 1e-4;", 1), Lines());
  EXPECT_EQ(told("var x: Real(max = 3) := 3; der(x) = 1e-4;", 1),
            Lines({"`x` passes its limit 3; it is 3.00002 at t = 0.197448 | in `Case` at t = 0.03001"}));
  // whole numbers have none
  EXPECT_EQ(told("discrete n: Integer(max = 10000000) := 0; at 1 { n := 10000001; }").size(), 1u);
}

TEST(Ranges, OnlyWhatIsActiveCounts) {
  const std::string chart = R"(
    var x := 0; der(x) = 1;
    chart c {
        initial -> A;
        state A { when x >= 1 -> B; }
        state B { var y: Real(min = 2) := 3; der(y) = -1; when y <= 2 -> C; }
        state C { var z: Real(min = 2) := 3; der(z) = -1; when z <= 1 -> A; }
    })";
  EXPECT_EQ(told(chart, 3.5),
            Lines({"`z` passes its limit 2; it is 1.5 at t = 3.5 | in `Case` at t = 3, in state c.C"}));
}

/// Everything that a run tells of its solution: values of all slots at the end, bit for bit, and its work.
std::string solution(const std::string& text, const std::string& solver, bool& has_left) {
  const CheckedText checked(text);
  EXPECT_TRUE(checked.good()) << checked.errors();
  diag::Sink sink;
  const std::unique_ptr<engine::World> world = checked.build(checked.request(1, {{"start", "1"}}), sink);
  if (!world) return "";
  engine::RunOptions options;
  options.stop_time = 3;
  options.continuous = continuous_options({}, {solver, "", "", "", {}, {}}, 0.01).value();
  const engine::RunOutcome outcome = engine::run(*world, options, nullptr, sink);
  EXPECT_FALSE(sink.has_errors());
  has_left = !sink.sorted().empty();
  std::string result = fmt::format("{} steps, {} rejected, {} events", outcome.continuous.steps,
                                   outcome.continuous.rejected, outcome.events);
  const std::size_t slots = world->layout.classes[world->objects[0].object_class.index].slots.size();
  for (std::size_t i = 0; i < slots; ++i) result += fmt::format(" {:x}", world->objects[0].slots[i].integer);
  return result;
}

TEST(Ranges, ChangeNoBit) {
  const std::string model = R"(
model Case {{
    parameter start = 0;
    var x: Real{0} := start;
    var v := 0;
    var a: Real{0} := 0;
    var b: Real{0} := 0;
    var c: Real{0} := 0;
    output y: Real{0} = x * c;
    der(x) = v;
    der(v) = -a - 0.1 * b;
    a^3 + a + b = 9 * x;
    b^3 + b - a = v;
    c + 0.1 * sin(c + a) = time;
    when v >= 0 {{ v := 0.9 * v; }}
}}
)";
  for (const char* solver : {"auto", "rk45", "rk8", "rosenbrock", "rk4", "cvode-bdf", "ida", "arkode-erk"}) {
    bool has_left = false;
    const std::string without = solution(fmt::format(fmt::runtime(model), ""), solver, has_left);
    EXPECT_FALSE(has_left);
    EXPECT_EQ(solution(fmt::format(fmt::runtime(model), "(min = -100, max = 100)"), solver, has_left), without)
        << solver;
    EXPECT_FALSE(has_left);
    EXPECT_EQ(solution(fmt::format(fmt::runtime(model), "(min = -0.1, max = 0.1)"), solver, has_left), without)
        << solver;
    EXPECT_TRUE(has_left);
  }
}

}  // namespace
}  // namespace hyla::service
