// Functions and objects of shared libraries, in actions and in equations; and functions of the model that equations
// call because they cannot be written out. The library is tests/external/test_functions.c.
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "service/expected_run_testing.h"
#include "service/init_model.h"
#include "service/run_testing.h"

namespace hyla::service {
namespace {

namespace fs = std::filesystem;

/// Where the build puts shared libraries.
std::string library_folder() {
  std::error_code error;
  return (fs::read_symlink("/proc/self/exe", error).parent_path().parent_path() / "lib").string();
}

struct Ran {
  std::string printed;   ///< line by line
  std::string messages;  ///< without the lines of the text
  std::uint64_t jacobians = 0;
};

RunRequest request_for(double stop_time) {
  RunRequest request;
  request.path = "model.hyla";
  request.model = "Case";
  request.stop_time = stop_time;
  request.allow_external = true;
  request.external_folders = {library_folder()};
  return request;
}

Ran run(const std::string& text, const RunRequest& request) {
  Ran result;
  RunWatcher watcher;
  watcher.print = [&](std::string_view line) { result.printed += std::string(line) + "\n"; };
  const RunReport report = run_model(request, MemoryFiles({{"model.hyla", text}}), watcher);
  for (const diag::Diagnostic& one : report.diagnostics) {
    if (one.severity() == diag::Severity::Error) result.messages += one.message + "\n";
  }
  for (const std::string& failure : report.failures) result.messages += failure + "\n";
  return result;
}

Ran run(const std::string& text, double stop_time = 1) { return run(text, request_for(stop_time)); }

/// The numbers that a run prints.
std::vector<double> numbers(const Ran& ran) {
  EXPECT_EQ(ran.messages, "");
  std::istringstream words(ran.printed);
  return read_values(words);
}

const std::string kFunctions = R"(
external function add(x: Real, y: Real = 10) -> Real = "libhyla_test_external.so:add";
external function cube(x: Real) -> Real = "libhyla_test_external.so:cube";
external function polynomial(c: Real[:], x: Real) -> Real = "libhyla_test_external.so:polynomial",
    derivative = "polynomial_d";
external function trace(a: Real[:, :]) -> Real = "libhyla_test_external.so:trace";
external function three(c: Real[3], x: Real) -> Real = "libhyla_test_external.so:polynomial";
external function count_if(wanted: Boolean, flags: Boolean[:]) -> Integer = "libhyla_test_external.so:count_if";
external function is_long(text: String, limit: Integer) -> Boolean = "libhyla_test_external.so:is_long";
external function greeting() -> String = "libhyla_test_external.so:greeting";
external function split(x: Real, at: Real) -> (below: Real, above: Real, sign: Integer, is_above: Boolean)
    = "libhyla_test_external.so:split";
external function powers(x: Real) -> Real[4] = "libhyla_test_external.so:powers";
external function signs(x: Real[:]) -> Boolean[2] = "libhyla_test_external.so:signs";
external function no_number(x: Real) -> Real = "libhyla_test_external.so:no_number";
external function half_filled() -> Real[2] = "libhyla_test_external.so:half_filled";
external object Counter(start: Integer, step: Real = 1) = "libhyla_test_external.so:counter" {
    function next() -> Integer;
    function reset();
}
)";

/// A text with all functions, whose model does something at once.
std::string doing(const std::string& actions) { return kFunctions + "model Case { initial {" + actions + "} }"; }

// --- actions --------------------------------------------------------------------------------------

TEST(External, FunctionsTakeAndGiveAllKindsOfValues) {
  const Ran ran = run(doing(R"(
        print(add(1, 2), add(1), cube(3));
        print(polynomial([1, 2, 3], 10), trace([[1, 2], [3, 4]]), three([1, 2, 3], 10));
        print(count_if(true, [true, false, true]), count_if(false, [true, false, true]));
        print(is_long("four", 3), is_long("four", 4), is_long("", 0), greeting());
        let (below, above, sign, is_above) = split(3, 5);
        print(below, above, sign, is_above);
        print(powers(2), signs([1, -1]));
)"));
  EXPECT_EQ(ran.messages, "");
  EXPECT_EQ(ran.printed, "3 11 27\n123 5 123\n2 1\ntrue false false hello\n3 5 -1 false\n[1, 2, 4, 8] [true, false]\n");
}

TEST(External, ObjectsKeepTheirStateAndAreFreed) {
  void* const library = dlopen((library_folder() + "/libhyla_test_external.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr);
  const auto living = reinterpret_cast<std::int64_t (*)()>(dlsym(library, "counters_living"));
  ASSERT_NE(living, nullptr);
  const std::string parts = R"(
external function counters_living() -> Integer = "libhyla_test_external.so:counters_living";
model Case {
    object a: Counter(start = 5);
    object b[i in 1..2]: Counter(start = 10 * i, step = 2);
)";
  const Ran ran = run(kFunctions + parts + R"(
    every 1 {
        print(a.next(), b[1].next(), b[2].next(), counters_living());
        if time > 1.5 { a.reset(); }
    }
})",
                      3);
  EXPECT_EQ(ran.messages, "");
  EXPECT_EQ(ran.printed, "6 12 22 3\n7 14 24 3\n1 16 26 3\n");
  EXPECT_EQ(living(), 0);
  const Ran failed = run(kFunctions + parts + "initial { print(no_number(1)); } }");
  EXPECT_EQ(failed.messages, "the external function `no_number` gives no number (NaN)\n");
  EXPECT_EQ(living(), 0) << "freed after a failure too";
  const Ran unmade = run(kFunctions + parts + "object c: Counter(start = -1); }");
  EXPECT_EQ(unmade.messages, "the external object `c` cannot be made: `counter_new` made no object\n");
  EXPECT_EQ(living(), 0) << "those made before are freed";
  dlclose(library);
}

TEST(External, ObjectsGoWithTheirContainers) {
  const Ran ran = run(kFunctions + R"(
external function counters_living() -> Integer = "libhyla_test_external.so:counters_living";
model Part {
    object counter: Counter(start = 0);
    output last := 0;
    every 1 { last := counter.next(); }
}
model Holder {
    object inner: Part;
    object both[i in 1..2]: Counter(start = 100 * i);
    output first := 0;
    initial { first := both[2].next(); }
}
model Case {
    population holders: Holder;
    dynamic place: Holder := Holder();
    every 2 {
        for i in 1..10 {
            let holder = new Holder() in holders;
        }
    }
    at 2.5 { print(sum(h.first for h in holders), counters_living()); }
    at 3.5 {
        print(sum(h.inner.last for h in holders), place.inner.last);
        for holder in holders {
            delete holder;
        }
    }
    at 3.75 {
        print(holders.size, counters_living());
        place := Holder();
    }
    at 3.9 { print(counters_living()); }
})",
                      4);
  EXPECT_EQ(ran.messages, "");
  EXPECT_EQ(ran.printed, "2010 33\n10 3\n0 3\n3\n");
}

TEST(External, TakesPartInStarts) {
  InitRequest request;
  request.path = "model.hyla";
  request.model = "Case";
  MemoryFiles files({{"model.hyla", kFunctions + "model Case { var x := 2; cube(x) = 27 + time; }"}});
  const InitReport refused = init_model(request, files);
  ASSERT_EQ(refused.diagnostics.size(), 1U);
  EXPECT_NE(refused.diagnostics[0].message.find("external code is not allowed"), std::string::npos);
  request.allow_external = true;
  request.external_folders = {library_folder()};
  const InitReport report = init_model(request, files);
  ASSERT_EQ(report.rows.size(), 1U);
  EXPECT_NEAR(report.rows[0].value, 3, 1e-9);
}

// --- what goes wrong ------------------------------------------------------------------------------

TEST(External, IsOffUnlessAllowed) {
  RunRequest request = request_for(1);
  request.allow_external = false;
  EXPECT_EQ(run(doing("print(cube(3));"), request).messages,
            "the external function `cube` cannot be called: external code is not allowed; run with `--allow-external` "
            "if you trust `libhyla_test_external.so`\n");
  EXPECT_EQ(run(kFunctions + "model Case { var x := 1; der(x) = cube(x); }", request).messages,
            "the external function `cube` cannot be called: external code is not allowed; run with `--allow-external` "
            "if you trust `libhyla_test_external.so`\n");
  EXPECT_EQ(run(kFunctions + "model Case { object a: Counter(start = 1); }", request).messages,
            "the external object `a` cannot be made: external code is not allowed; run with `--allow-external` if you "
            "trust `libhyla_test_external.so`\n");
  EXPECT_EQ(run(doing("print(1);"), request).printed, "1\n") << "what is not used does no harm";
}

TEST(External, TellsWhereAndWhenAnObjectWasToBeMade) {
  const std::string text = kFunctions + R"(
model Part {
    parameter start: Integer = 0;
    object counter: Counter(start = start);
}
model Case {
    population parts: Part;
    at 0.5 { let part = new Part(start = -1) in parts; }
})";
  const RunReport report = run_model(request_for(1), MemoryFiles({{"model.hyla", text}}), {});
  ASSERT_EQ(report.diagnostics.size(), 1U);
  const diag::Diagnostic& one = report.diagnostics[0];
  EXPECT_EQ(one.message, "the external object `counter` cannot be made: `counter_new` made no object");
  EXPECT_EQ(one.text, "in `Case.parts[1]`");
  ASSERT_EQ(one.labels.size(), 1U);
  EXPECT_EQ(one.labels[0].text, "made here, in `Case` at t = 0.5");
  EXPECT_EQ(report.sources.text(one.labels[0].span), "new Part(start = -1) in parts");
}

TEST(External, ObjectsCannotBeKept) {
  RunRequest request = request_for(1);
  request.checkpoint_time = 0.5;
  request.checkpoint_file = "/nowhere/kept";
  const std::string holder = kFunctions + R"(
model Holder { object counter: Counter(start = 0); }
model Case {
    population holders: Holder;
)";
  const Ran refused = run(holder + "at 0 { let one = new Holder in holders; } }", request);
  EXPECT_NE(refused.messages.find("the state of `Case.holders[1].counter` is known to its library only"),
            std::string::npos)
      << refused.messages;
  const Ran gone = run(holder + "at 0.1 { let one = new Holder in holders; delete one; } }", request);
  EXPECT_EQ(gone.messages.find("library only"), std::string::npos) << gone.messages;
}

TEST(External, SaysWhatIsMissing) {
  const std::string missing = run(R"(
external function f(x: Real) -> Real = "libnowhere.so:f";
model Case { initial { print(f(1)); } }
)")
                                  .messages;
  EXPECT_NE(missing.find("the external function `f` cannot be called: the library `libnowhere.so` cannot be loaded: "),
            std::string::npos)
      << missing;
  EXPECT_NE(missing.find("looked in `.`, `" + library_folder() + "` and where the system looks"), std::string::npos)
      << missing;
  const std::string symbol = run(R"(
external function f(x: Real) -> Real = "libhyla_test_external.so:nothing";
model Case { var y = f(time); }
)")
                                 .messages;
  EXPECT_EQ(symbol, "the external function `f` cannot be called: the library `" + library_folder() +
                        "/libhyla_test_external.so` has no function `nothing`\n");
  EXPECT_EQ(run(R"(
external object Endless = "libhyla_test_external.so:endless";
model Case { object e: Endless; }
)")
                .messages,
            "the external object `e` cannot be made: the library `" + library_folder() +
                "/libhyla_test_external.so` has no function `endless_free`\n");
}

TEST(External, SaysWhatCannotBePassed) {
  EXPECT_EQ(run(R"(
external function f(x: Real) -> Real[:] = "libhyla_test_external.so:powers";
model Case { initial { print(f(1)); } }
)")
                .messages,
            "the external function `f` cannot be called: it gives an array of open size; write the size, as in `-> "
            "Real[20]`\n");
  EXPECT_EQ(run(R"(
record R { a: Real; }
external function f(x: R) -> Real = "libhyla_test_external.so:add";
model Case { initial { print(f(R(a = 1))); } }
)")
                .messages,
            "the external function `f` cannot be called: its parameter `x` is neither a number, a Boolean, a text nor "
            "an array of numbers\n");
  EXPECT_EQ(run(kFunctions + R"(
model Case { parameter n: Integer = 2; initial { print(three(fill(1, n), 2)); } }
)")
                .messages,
            "the external function `polynomial` takes 3 elements for `c`, but gets 2\n");
}

TEST(External, ResultsMustBeNumbers) {
  EXPECT_EQ(run(doing("print(no_number(1));")).messages, "the external function `no_number` gives no number (NaN)\n");
  EXPECT_EQ(run(doing("print(half_filled());")).messages,
            "the external function `half_filled` gives no number (NaN) in element 2\n");
  const std::string in_equation = run(kFunctions + "model Case { var x := 0; der(x) = no_number(x) + 1; }").messages;
  EXPECT_NE(in_equation.find("`no_number(x)` gives no number: the external function `no_number` gives no number (NaN)"),
            std::string::npos)
      << in_equation;
}

// --- equations ------------------------------------------------------------------------------------

/// Every way of solving, explicit and implicit.
class ExternalEquations : public testing::TestWithParam<const char*> {
 protected:
  std::vector<double> solve(const std::string& text, double stop_time) {
    RunRequest request = request_for(stop_time);
    request.solver.solver = GetParam();
    request.solver.tolerance = 1e-8;
    return numbers(run(kFunctions + text, request));
  }
};

TEST_P(ExternalEquations, CallFunctions) {
  // x' = -x^3: x = 1 / sqrt(1 + 2 t).
  const std::vector<double> got = solve("model Case { var x := 1; der(x) = -cube(x); at 2 { print(x); } }", 2);
  ASSERT_EQ(got.size(), 1U);
  EXPECT_NEAR(got[0], 1 / std::sqrt(5.0), 1e-6);
}

TEST_P(ExternalEquations, PassArraysAndTakeSeveralResults) {
  const std::vector<double> got = solve(R"(
model Case {
    var x[3] := [0.5, 1, 2], s, u, p[4];
    der(x[1]) = -x[1];
    der(x[2]) = -polynomial(x, 1) / 4;
    der(x[3]) = -x[3];
    p = powers(x[1]);
    s = bounded(x[1], 0);
    u = bounded(x[1], 1);
    at 1 { print(x[2], p[4], s, u); }
}
function bounded(x: Real, upper: Real) -> Real {
    let (below, above, sign, is_above) = split(x, 0.1);
    return if upper > 0.5 then above else below;
}
)",
                                        1);
  // x2' = -(x2 + 2.5 e^-t) / 4: x2 = c e^(-t/4) + (2.5 / 3) e^-t.
  ASSERT_EQ(got.size(), 4U);
  const double a = 2.5 / 3;
  EXPECT_NEAR(got[0], (1 - a) * std::exp(-0.25) + a * std::exp(-1.0), 1e-6);
  EXPECT_NEAR(got[1], std::pow(0.5 * std::exp(-1.0), 3), 1e-6);
  EXPECT_NEAR(got[2], 0.1, 1e-12);
  EXPECT_NEAR(got[3], 0.5 * std::exp(-1.0), 1e-6);
}

TEST_P(ExternalEquations, StandInLoops) {
  // y^3 + y = x with x = 2 + t.
  const std::vector<double> got = solve(
      "model Case { var x := 2, y; der(x) = 1; cube(y) + y = x; "
      "at 8 { print(y); } }",
      8);
  ASSERT_EQ(got.size(), 1U);
  EXPECT_NEAR(got[0], 2, 1e-6);
}

TEST_P(ExternalEquations, CallFunctionsWithLoops) {
  // x' = -sqrt(x), the root by Newton's method: x = (1 - t / 2)^2.
  const std::vector<double> got = solve(R"(
function root(x: Real) -> Real {
    var y := 1.0;
    while abs(y * y - x) > 1e-14 * x {
        y := (y + x / y) / 2;
    }
    return y;
}
model Case { var x := 1; der(x) = -root(x); at 1 { print(x); } }
)",
                                        1);
  ASSERT_EQ(got.size(), 1U);
  EXPECT_NEAR(got[0], 0.25, 1e-6);
}

TEST_P(ExternalEquations, CallFunctionsThatCallThemselves) {
  // power(x, n) = x^n, by halving n.
  const std::vector<double> got = solve(R"(
function power(x: Real, n: Real) -> Real {
    if n < 1 { return 1; }
    let half = power(x, floor(n / 2));
    if n > 2 * floor(n / 2) { return half * half * x; }
    return half * half;
}
model Case { var x := 1; discrete n := 3; der(x) = -power(x, n); at 2 { print(x); } }
)",
                                        2);
  ASSERT_EQ(got.size(), 1U);
  EXPECT_NEAR(got[0], 1 / std::sqrt(5.0), 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Solvers, ExternalEquations, testing::Values("rk45", "rosenbrock", "cvode-bdf"),
                         [](const auto& one) { return std::string(one.param).substr(0, 5); });

TEST(External, DerivativesAreThoseThatAreGiven) {
  // Newton's method with twice the true slope converges slowly, but to the same solution; the slope is asked for.
  const std::string text = R"(
external function wrong(x: Real) -> Real = "libhyla_test_external.so:cube",
    derivative = "libhyla_test_external.so:cube_wrong_d";
model Case { var y; wrong(y) + y = 10 + time; initial { print(y); } }
)";
  const std::vector<double> got = numbers(run(text));
  ASSERT_EQ(got.size(), 1U);
  EXPECT_NEAR(got[0], 2, 1e-6);
  EXPECT_NE(run(R"(
external function f(x: Real) -> Real = "libhyla_test_external.so:cube", derivative = "nothing";
model Case { var x := 1; der(x) = f(x); }
)")
                .messages.find("has no function `nothing`"),
            std::string::npos);
}

TEST(External, ConditionsAreLocated) {
  const std::vector<double> got = numbers(run(kFunctions + R"(
function inside(x: Real, y: Real) -> Boolean {
    var d := x * x + y * y;
    while d > 4 { d := d / 4; }
    return d < 1.5;
}
model Case {
    var x := 2.5;
    der(x) = -1;
    when cube(x) < 8 { print(time); }
    when inside(x, 0) { print(time); }
}
)",
                                              2));
  // x^3 < 8 at t = 0.5; x^2 is 4 at the same time and falls to 1.5 at x = sqrt(1.5).
  ASSERT_EQ(got.size(), 3U);
  EXPECT_NEAR(got[0], 2.5 - std::sqrt(6.0), 1e-6) << "d = x^2 / 4 passes 1.5 from above";
  EXPECT_NEAR(got[1], 0.5, 1e-6);
  EXPECT_NEAR(got[2], 2.5 - std::sqrt(1.5), 1e-6);
}

TEST(External, EndlessFunctionsFailTheRun) {
  const std::string messages = run(R"(
function endless(x: Real) -> Real {
    var y := x;
    while y >= x { y := y + 1; }
    return y;
}
model Case { var x := 1; der(x) = endless(x); }
)")
                                   .messages;
  EXPECT_NE(messages.find("`endless(x)` gives no number: this loop does not come to an end"), std::string::npos)
      << messages;
}

TEST(External, ThreadsGiveTheSame) {
  const std::string text = kFunctions + R"(
model Part { parameter a: Real = 1; var x := a; der(x) = -cube(x); when x < 0.5 { print(time); } }
model Case { object parts[i in 1..8]: Part(a = 1 + i / 10); }
)";
  RunRequest request = request_for(3);
  const Ran one = run(text, request);
  request.threads = 4;
  const Ran four = run(text, request);
  EXPECT_EQ(one.messages, "");
  EXPECT_NE(one.printed, "");
  EXPECT_EQ(one.printed, four.printed);
}

TEST(External, ReplicationsShareTheLibraries) {
  RunRequest request = request_for(3);
  request.replications = 6;
  request.threads = 3;
  const std::string text = kFunctions + R"(
model Case {
    object a: Counter(start = 5);
    tally seen;
    every 1 { seen.add(cube(a.next())); }
}
)";
  const RunReport report = run_model(request, MemoryFiles({{"model.hyla", text}}), {});
  ASSERT_EQ(report.runs.size(), 6U) << diag::render(report.diagnostics, report.sources);
  for (const SingleRun& one : report.runs) {
    ASSERT_EQ(one.statistics.size(), 1U);
    EXPECT_EQ(one.statistics[0].figures.mean, (216.0 + 343 + 512) / 3);
  }
}

// --- the example ----------------------------------------------------------------------------------

/// The last row of the trajectories of a run, by column.
std::map<std::string, double> last_row(const RunRequest& asked) {
  RunRequest request = asked;
  const std::string file = scratch_path("external_zones.csv");
  request.output_file = file;
  const RunReport report = run_model(request, Disk(), {});
  EXPECT_TRUE(report.has_run && report.counts.errors == 0) << diag::render(report.diagnostics, report.sources);
  std::istringstream lines(text_of(file));
  std::string names, row;
  std::getline(lines, names);
  for (std::string line; std::getline(lines, line);) row = line;
  std::map<std::string, double> result;
  std::istringstream name_words(names), value_words(row);
  for (std::string name, value; std::getline(name_words, name, ',') && std::getline(value_words, value, ',');) {
    result[name] = std::strtod(value.c_str(), nullptr);
  }
  return result;
}

TEST(External, ZonesAreThoseOfTheEquations) {
  RunRequest request;
  request.path = "examples/external/zones.hyla";
  request.model = "Comparison";
  request.allow_external = true;
  request.external_folders = {library_folder()};
  request.output_variables = {"*"};
  std::map<std::string, double> end = last_row(request);
  for (int i = 1; i <= 10; ++i) {
    const std::string index = "[" + std::to_string(i) + "]";
    ASSERT_TRUE(end.contains("tank.T" + index) && end.contains("reference.T" + index));
    EXPECT_NEAR(end["tank.T" + index], end["reference.T" + index], 1e-4) << index;
    EXPECT_GT(end["tank.T" + index], 20);
  }
  EXPECT_EQ(end["tank.heat"], end["reference.heat"]);
}

}  // namespace
}  // namespace hyla::service
