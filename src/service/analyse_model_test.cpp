// Linear models against closed forms, and against differences of the derivatives themselves.
#include "service/analyse_model.h"

#include <cmath>
#include <cstring>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "service/testing.h"

namespace hyla::service {
namespace {

constexpr double kExact = 1e-12;

LinearRequest request_for(std::vector<std::string> inputs = {}, std::vector<std::string> outputs = {}) {
  LinearRequest request;
  request.path = "m.hyla";
  request.inputs = std::move(inputs);
  request.outputs = std::move(outputs);
  return request;
}

AnalysisReport linearise(const std::string& text, const LinearRequest& request) {
  MemoryFiles files({{"m.hyla", text}});
  return linearise_model(request, files);
}

AnalysisReport good(const std::string& text, const LinearRequest& request) {
  AnalysisReport report = linearise(text, request);
  EXPECT_TRUE(report.failures.empty()) << report.failures.front();
  EXPECT_TRUE(report.has_result) << diag::render(report.diagnostics, report.sources);
  return report;
}

void expect_matrix(const std::vector<double>& actual, const std::vector<double>& expected, double tolerance = kExact) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    EXPECT_NEAR(actual[i], expected[i], tolerance * std::max(1.0, std::abs(expected[i]))) << "entry " << i;
  }
}

std::vector<std::string> names(const std::vector<AnalysedQuantity>& quantities) {
  std::vector<std::string> result;
  for (const AnalysedQuantity& one : quantities) result.push_back(one.name);
  return result;
}

const std::string kPendulum = R"(
model Pendulum {
    parameter g = 9.81, L = 2.0, m = 0.5, d = 0.1;
    input torque := 0.3;
    output phi := 0.4;
    output omega := 0;
    output height = L * (1 - cos(phi));
    der(phi) = omega;
    der(omega) = -g / L * sin(phi) - d * omega + torque / (m * L^2);
}
)";

TEST(Linearise, Pendulum) {
  const AnalysisReport report = good(kPendulum, request_for());
  EXPECT_EQ(names(report.states), (std::vector<std::string>{"phi", "omega"}));
  EXPECT_EQ(names(report.inputs), (std::vector<std::string>{"torque"}));
  EXPECT_EQ(names(report.outputs), (std::vector<std::string>{"phi", "omega", "height"}));
  expect_matrix(report.a, {0, 1, -9.81 / 2 * std::cos(0.4), -0.1});
  expect_matrix(report.b, {0, 1 / (0.5 * 4)});
  expect_matrix(report.c, {1, 0, 0, 1, 2 * std::sin(0.4), 0});
  expect_matrix(report.d, {0, 0, 0});
  EXPECT_NEAR(report.states[1].derivative, -9.81 / 2 * std::sin(0.4) + 0.3 / 2, kExact);
  EXPECT_NEAR(std::abs(report.eigenvalues[0]), std::sqrt(9.81 / 2 * std::cos(0.4)), 1e-12);
  EXPECT_EQ(report.stability, Stability::Stable);
}

TEST(Linearise, ParametersAndDiscreteVariablesCanBeInputs) {
  const std::string text =
      "model M {\n    parameter k = 3.0;\n    discrete u := 2.0;\n    var x := 0.5;\n"
      "    output y = k * x + u;\n    der(x) = -k * x^2 + sin(u);\n}\n";
  const AnalysisReport report = good(text, request_for({"k", "u"}, {"y", "u"}));
  expect_matrix(report.a, {-2 * 3 * 0.5});
  expect_matrix(report.b, {-0.25, std::cos(2.0)});
  expect_matrix(report.c, {3, 0});
  expect_matrix(report.d, {0.5, 1, 0, 1});
}

// What an input gives to a part through connections and formulas does not change between events, and counts all the
// same.
TEST(Linearise, InputsReachPartsThroughFormulas) {
  const std::string text = R"(
model Lag {
    input u;
    output y := 0.0;
    der(y) = (u - y) / 4;
}
model M {
    input command := 1.0;
    var shaped = 3 * command^2;
    object lag: Lag;
    connect shaped -> lag.u;
    output direct = command + 1;
    output y = 2 * lag.y;
}
)";
  const AnalysisReport report = good(text, request_for());
  expect_matrix(report.a, {-0.25});
  expect_matrix(report.b, {6.0 / 4});
  EXPECT_EQ(names(report.outputs), (std::vector<std::string>{"direct", "y"}));
  expect_matrix(report.c, {0, 2});
  expect_matrix(report.d, {1, 0});
}

TEST(Linearise, TwoTanksByHand) {
  const std::string text = R"(
model Tanks {
    parameter A1 = 0.5, A2 = 0.2, k1 = 0.3, k2 = 0.1;
    input q := 0.05;
    output h1 := 0.8, h2 := 0.3;
    der(h1) = (q - k1 * sqrt(h1 - h2)) / A1;
    der(h2) = (k1 * sqrt(h1 - h2) - k2 * sqrt(h2)) / A2;
}
)";
  const AnalysisReport report = good(text, request_for());
  const double between = 0.3 / (2 * std::sqrt(0.5));
  const double out = 0.1 / (2 * std::sqrt(0.3));
  expect_matrix(report.a, {-between / 0.5, between / 0.5, between / 0.2, -(between + out) / 0.2});
  expect_matrix(report.b, {1 / 0.5, 0});
}

// The voltage of the capacitor over that of the source is 1 / (L C s^2 + R C s + 1).
TEST(Linearise, TransferFunctionOfANetwork) {
  const std::string text = R"(
import electrical;

model Rlc {
    input u;
    output y = capacitor.v;
    object source: electrical.SignalVoltage;
    object resistor: electrical.Resistor(R = 5);
    object inductor: electrical.Inductor(L = 0.1);
    object capacitor: electrical.Capacitor(C = 2e-3);
    object ground: electrical.Ground;
    connect u -> source.u;
    connect source.p -- resistor.p;
    connect resistor.n -- inductor.p;
    connect inductor.n -- capacitor.p;
    connect capacitor.n -- ground.p;
    connect source.n -- ground.p;
}
)";
  const AnalysisReport report = good(text, request_for());
  ASSERT_EQ(report.states.size(), 2u);
  const double r = 5, l = 0.1, c = 2e-3;
  const double trace = report.a[0] + report.a[3];
  const double determinant = report.a[0] * report.a[3] - report.a[1] * report.a[2];
  EXPECT_NEAR(trace, -r / l, 1e-9);
  EXPECT_NEAR(determinant, 1 / (l * c), 1e-8);
  // C (sI - A)^-1 B + D at s = 0 is the gain, 1; and its second derivative term vanishes: C B = 0, C A B = 1 / (L C).
  const double cb = report.c[0] * report.b[0] + report.c[1] * report.b[1];
  const double ab0 = report.a[0] * report.b[0] + report.a[1] * report.b[1];
  const double ab1 = report.a[2] * report.b[0] + report.a[3] * report.b[1];
  EXPECT_NEAR(cb, 0, 1e-12);
  EXPECT_NEAR(report.c[0] * ab0 + report.c[1] * ab1, 1 / (l * c), 1e-8);
  EXPECT_NEAR(report.d[0], 0, 1e-12);
  EXPECT_NEAR(std::abs(report.eigenvalues[0]), 1 / std::sqrt(l * c), 1e-9);
}

TEST(Linearise, DirectCurrentMotor) {
  const std::string text = R"(
model Motor {
    parameter R = 1.2, L = 5e-3, K = 0.08, J = 2e-4, b = 1e-4;
    input u := 12;
    output w := 0.0;
    var i := 0.0;
    L * der(i) + R * i + K * w = u;
    J * der(w) + b * w = K * i;
}
)";
  const AnalysisReport report = good(text, request_for());
  const bool is_w_first = report.states[0].name == "w";
  const double r = 1.2, l = 5e-3, k = 0.08, j = 2e-4, b = 1e-4;
  if (is_w_first) {
    expect_matrix(report.a, {-b / j, k / j, -k / l, -r / l});
    expect_matrix(report.b, {0, 1 / l});
  } else {
    expect_matrix(report.a, {-r / l, -k / l, k / j, -b / j});
    expect_matrix(report.b, {1 / l, 0});
  }
}

TEST(Linearise, ThroughALoop) {
  const std::string text =
      "model M {\n    input u := 0.2;\n    var x := 0.7, y;\n    y + y^3 = x + 2 * u;\n"
      "    der(x) = -y;\n    output z = y^2;\n}\n";
  const AnalysisReport report = good(text, request_for());
  double y = 0.5;
  for (int i = 0; i < 50; ++i) y -= (y + y * y * y - 1.1) / (1 + 3 * y * y);
  const double slope = 1 / (1 + 3 * y * y);
  expect_matrix(report.a, {-slope}, 1e-9);
  expect_matrix(report.b, {-2 * slope}, 1e-9);
  expect_matrix(report.c, {2 * y * slope}, 1e-9);
  expect_matrix(report.d, {4 * y * slope}, 1e-9);
}

// A pendulum in Cartesian coordinates has one degree of freedom; hanging down it swings with sqrt(g / L).
TEST(Linearise, EquationsOfHigherIndex) {
  const std::string text = R"(
model Pendulum {
    parameter L = 2.0, g = 9.81, m = 1.0;
    var x := 0.0, y := -2.0;
    var vx := 0.0, vy := 0.0;
    var F;
    der(x) = vx;
    der(y) = vy;
    m * der(vx) = -F * x;
    m * der(vy) = -F * y - m * g;
    x^2 + y^2 = L^2;
}
)";
  const AnalysisReport report = good(text, request_for());
  ASSERT_EQ(report.states.size(), 2u);
  ASSERT_EQ(report.eigenvalues.size(), 2u);
  for (const std::complex<double>& one : report.eigenvalues) {
    EXPECT_NEAR(one.real(), 0, 1e-9);
    EXPECT_NEAR(std::abs(one.imag()), std::sqrt(9.81 / 2), 1e-9);
  }
  EXPECT_EQ(report.stability, Stability::Marginal);
}

TEST(Linearise, TellsTheActiveStates) {
  const std::string text = R"(
model M {
    output x := 1.0;
    chart c {
        initial -> Slow;
        state Slow {
            der(x) = -x;
            after 2 -> Fast;
        }
        state Fast {
            der(x) = -5 * x;
        }
    }
}
)";
  LinearRequest request = request_for();
  AnalysisReport report = good(text, request);
  expect_matrix(report.a, {-1});
  ASSERT_EQ(report.configuration.size(), 1u);
  EXPECT_EQ(report.configuration[0].second, "c.Slow");
  request.at = 3;
  report = good(text, request);
  expect_matrix(report.a, {-5});
  EXPECT_EQ(report.configuration[0].second, "c.Fast");
  EXPECT_EQ(report.time, 3);
  EXPECT_NEAR(report.states[0].value, std::exp(-2.0 - 5.0), 1e-6);
}

/// The derivatives with some states moved, by a file of start values.
std::vector<double> derivatives_at(const std::string& text, const std::vector<AnalysedQuantity>& states,
                                   std::size_t moved, double by) {
  std::string file = "hyla start values 1\n";
  for (std::size_t i = 0; i < states.size(); ++i) {
    file += fmt::format("fix {} = {:.17g}\n", states[i].name, states[i].value + (i == moved ? by : 0));
  }
  MemoryFiles files({{"m.hyla", text}, {"start", file}});
  LinearRequest request = request_for();
  request.start_values_file = "start";
  const AnalysisReport report = linearise_model(request, files);
  EXPECT_TRUE(report.has_result) << file;
  std::vector<double> result;
  for (const AnalysedQuantity& one : report.states) result.push_back(one.derivative);
  return result;
}

TEST(Linearise, AgreesWithDifferences) {
  for (const char* path : {"examples/van_der_pol.hyla", "examples/wheelchair.hyla", "examples/drive_train.hyla",
                           "examples/ejection_seat.hyla", "examples/pwm_servo.hyla"}) {
    SCOPED_TRACE(path);
    const std::string text = text_of(path);
    const AnalysisReport report = good(text, request_for());
    const std::size_t size = report.states.size();
    ASSERT_GT(size, 0u);
    for (std::size_t j = 0; j < size; ++j) {
      const double step = 1e-5 * (1 + std::abs(report.states[j].value));
      const std::vector<double> above = derivatives_at(text, report.states, j, step);
      const std::vector<double> below = derivatives_at(text, report.states, j, -step);
      ASSERT_EQ(above.size(), size);
      for (std::size_t i = 0; i < size; ++i) {
        const double difference = (above[i] - below[i]) / (2 * step);
        EXPECT_NEAR(report.a[i * size + j], difference, 1e-5 * (1 + std::abs(difference)))
            << report.states[i].name << " by " << report.states[j].name;
      }
    }
  }
}

TEST(Linearise, SaysWhatCannotBe) {
  const std::string text =
      "model M {\n    parameter k = 2.0;\n    parameter twice = 2 * k;\n    var x := 1.0;\n"
      "    der(x) = -twice * x;\n}\n";
  EXPECT_EQ(linearise(text, request_for({"kk"})).failures.front(),
            "there is no Real variable or parameter `kk`; did you mean `k`?");
  EXPECT_EQ(linearise(text, request_for({"x"})).failures.front(),
            "`x` cannot be an input: the model computes it; inputs, parameters and discrete variables are given");
  EXPECT_EQ(linearise(text, request_for({"k"})).failures.front(),
            "`k` cannot be an input: another parameter, a start value or a size depends on it");
  EXPECT_EQ(linearise(text, request_for({}, {"z"})).failures.front(), "there is no Real variable or parameter `z`");
  LinearRequest request = request_for();
  request.output = "m.csv";
  EXPECT_EQ(linearise(text, request).failures.front(), "-o takes a name that ends with `.json` or `.mat`, not `m.csv`");
  request = request_for();
  request.at = 5;
  const std::string late = "model M {\n    section Simulation { start_time = 9; }\n}\n";
  EXPECT_EQ(linearise(late, request).failures.front(), "t = 5 lies before the start time 9");
  const std::string ending = "model M {\n    var x := 1.0;\n    der(x) = 1;\n    at 2 { terminate(\"done\"); }\n}\n";
  EXPECT_EQ(linearise(ending, request).failures.front(), "the run has ended at t = 2, before t = 5");
}

TEST(Linearise, AModelWithoutStates) {
  const AnalysisReport report = good("model M {\n    input u := 1.0;\n    output y = 3 * u;\n}\n", request_for());
  EXPECT_TRUE(report.states.empty());
  expect_matrix(report.d, {3});
}

TEST(Linearise, WritesMatrices) {
  MemoryFiles files({{"m.hyla", kPendulum}});
  LinearRequest request = request_for();
  request.output = "m.mat";
  EXPECT_TRUE(linearise_model(request, files).failures.empty());
  const std::string bytes = files.read("m.mat").value();
  // Type, rows, columns, no imaginary part, length of the name: then `A`, column by column.
  std::int32_t head[5] = {};
  std::memcpy(head, bytes.data(), sizeof head);
  EXPECT_EQ(std::vector<std::int32_t>(head, head + 5), (std::vector<std::int32_t>{0, 2, 2, 0, 2}));
  double numbers[4] = {};
  std::memcpy(numbers, bytes.data() + sizeof head + 2, sizeof numbers);
  EXPECT_EQ(numbers[0], 0);
  EXPECT_EQ(numbers[2], 1);
  EXPECT_NEAR(numbers[1], -9.81 / 2 * std::cos(0.4), kExact);
}

}  // namespace
}  // namespace hyla::service
