// Random networks of resistors, sources and ideal diodes against trying all combinations of their states: in the right
// one every diode that conducts has a current from p to n, and every one that blocks a voltage from n to p.
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "service/expected_run_testing.h"

namespace hyla::service {
namespace {

constexpr double kBlocking = 1e-6;  ///< conductance

struct Branch {
  enum class Kind : std::uint8_t { Resistor, Sine, Diode };
  Kind kind = Kind::Resistor;
  std::size_t from = 0, to = 0;  ///< nodes; 0 is the ground
  double value = 1;              ///< resistance or amplitude
  double frequency = 0, phase = 0;
};

struct Network {
  std::size_t nodes = 1;
  std::vector<Branch> branches;
};

/// Sources go from the ground to nodes of their own, each followed by a resistor; every node has a resistor to the
/// ground. So there is one solution, whatever the diodes are.
Network make_network(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto number = [&](double low, double high) { return std::uniform_real_distribution(low, high)(random); };
  const auto whole = [&](int low, int high) { return std::uniform_int_distribution(low, high)(random); };
  Network network;
  const int inner = whole(2, 5), sources = whole(1, 3), diodes = whole(2, 7);
  const auto any = [&] { return static_cast<std::size_t>(whole(0, inner)); };
  for (int i = 0; i < inner; ++i) {
    network.branches.push_back({Branch::Kind::Resistor, network.nodes++, 0, number(1, 50)});
  }
  for (int i = 0; i < sources; ++i) {
    const std::size_t node = network.nodes++;
    const double phase = whole(0, 1) == 0 ? 0 : number(-3, 3);
    network.branches.push_back({Branch::Kind::Sine, node, 0, number(1, 10), number(0.5, 3), phase});
    network.branches.push_back(
        {Branch::Kind::Resistor, node, static_cast<std::size_t>(whole(1, inner)), number(0.2, 5)});
  }
  for (int i = 0; i < diodes; ++i) {
    const std::size_t from = any();
    std::size_t to = any();
    if (from == to) to = from == 0 ? 1 : 0;
    network.branches.push_back({Branch::Kind::Diode, from, to});
  }
  return network;
}

/// Voltages of the nodes and currents of the branches that fix a voltage, by elimination with pivots. False: none.
bool solve(std::vector<std::vector<double>> a, std::vector<double>& b) {
  const std::size_t size = b.size();
  for (std::size_t k = 0; k < size; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < size; ++i) {
      if (std::fabs(a[i][k]) > std::fabs(a[pivot][k])) pivot = i;
    }
    if (std::fabs(a[pivot][k]) < 1e-12) return false;
    std::swap(a[k], a[pivot]);
    std::swap(b[k], b[pivot]);
    for (std::size_t i = 0; i < size; ++i) {
      if (i == k) continue;
      const double factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < size; ++j) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = 0; k < size; ++k) b[k] /= a[k][k];
  return true;
}

/// The network at a time, its diodes in given states. False: they do not agree with what follows.
bool solve_with(const Network& network, double time, std::uint32_t conducting, std::vector<double>& voltages) {
  constexpr double kSlack = 1e-9;
  const std::size_t nodes = network.nodes - 1;
  std::vector<std::size_t> fixing;
  std::vector<bool> is_on;
  std::uint32_t diode = 0;
  for (std::size_t i = 0; i < network.branches.size(); ++i) {
    const bool is_diode = network.branches[i].kind == Branch::Kind::Diode;
    is_on.push_back(is_diode && (conducting >> diode & 1) != 0);
    diode += is_diode ? 1 : 0;
    if (network.branches[i].kind == Branch::Kind::Sine || is_on.back()) fixing.push_back(i);
  }
  const std::size_t size = nodes + fixing.size();
  std::vector<std::vector<double>> a(size, std::vector<double>(size));
  std::vector<double> b(size);
  for (std::size_t i = 0; i < network.branches.size(); ++i) {
    const Branch& branch = network.branches[i];
    if (branch.kind == Branch::Kind::Sine || is_on[i]) continue;
    const double conductance = branch.kind == Branch::Kind::Diode ? kBlocking : 1 / branch.value;
    const std::size_t ends[2] = {branch.from, branch.to};
    for (const int one : {0, 1}) {
      if (ends[one] == 0) continue;
      a[ends[one] - 1][ends[one] - 1] += conductance;
      if (ends[1 - one] != 0) a[ends[one] - 1][ends[1 - one] - 1] -= conductance;
    }
  }
  for (std::size_t k = 0; k < fixing.size(); ++k) {
    const Branch& branch = network.branches[fixing[k]];
    if (branch.from != 0) a[nodes + k][branch.from - 1] = a[branch.from - 1][nodes + k] = 1;
    if (branch.to != 0) a[nodes + k][branch.to - 1] = a[branch.to - 1][nodes + k] = -1;
    if (branch.kind == Branch::Kind::Sine) {
      b[nodes + k] = branch.value * std::sin(2 * M_PI * branch.frequency * time + branch.phase);
    }
  }
  if (!solve(a, b)) return false;
  for (std::size_t k = 0; k < fixing.size(); ++k) {
    if (is_on[fixing[k]] && b[nodes + k] < -kSlack) return false;
  }
  const auto voltage = [&](std::size_t node) { return node == 0 ? 0 : b[node - 1]; };
  for (std::size_t i = 0; i < network.branches.size(); ++i) {
    const Branch& branch = network.branches[i];
    const bool blocks = branch.kind == Branch::Kind::Diode && !is_on[i];
    if (blocks && voltage(branch.from) - voltage(branch.to) > kSlack) return false;
  }
  voltages.assign(b.begin(), b.begin() + static_cast<std::ptrdiff_t>(nodes));
  return true;
}

std::vector<double> voltages_at(const Network& network, double time) {
  std::uint32_t diodes = 0;
  for (const Branch& branch : network.branches) diodes += branch.kind == Branch::Kind::Diode ? 1 : 0;
  std::vector<double> voltages;
  for (std::uint32_t states = 0; states < 1U << diodes; ++states) {
    if (solve_with(network, time, states, voltages)) return voltages;
  }
  ADD_FAILURE() << "no combination agrees at " << time;
  return std::vector<double>(network.nodes - 1);
}

std::string text_of(const Network& network) {
  std::string text = fmt::format(
      "import electrical;\nmodel Case {{\n    object node[{}]: Node;\n    object ground: electrical.Ground;\n",
      network.nodes - 1);
  for (std::size_t i = 0; i < network.branches.size(); ++i) {
    const Branch& branch = network.branches[i];
    const auto pin = [](std::size_t node) { return node == 0 ? "ground.p" : fmt::format("node[{}].p", node); };
    std::string part = fmt::format("Resistor(R = {})", branch.value);
    if (branch.kind == Branch::Kind::Diode) part = fmt::format("Diode(G_off = {})", kBlocking);
    if (branch.kind == Branch::Kind::Sine) {
      part = fmt::format("SineVoltage(amplitude = {}, frequency = {}, phase = {})", branch.value, branch.frequency,
                         branch.phase);
    }
    text += fmt::format("    object b{}: electrical.{};\n", i, part);
    text += fmt::format("    connect b{}.p -- {};\n    connect b{}.n -- {};\n", i, pin(branch.from), i, pin(branch.to));
  }
  return text + "}\n/// A place where branches meet.\nmodel Node {\n    plug p: electrical.Pin;\n    p.i = 0;\n}\n";
}

class RandomDiodes : public testing::TestWithParam<std::uint32_t> {};

TEST_P(RandomDiodes, AgreeWithTheCombinationThatFits) {
  constexpr double kStop = 1.5;
  const Network network = make_network(GetParam());
  Expectation expected;
  expected.request.path = "case.hyla";
  expected.request.model = "Case";
  expected.request.stop_time = kStop;
  for (std::size_t node = 1; node < network.nodes; ++node)
    expected.columns.push_back(fmt::format("node[{}].p.v", node));
  for (const double time : {0.1, 0.37, 0.59, 0.83, 1.21})
    expected.samples.push_back({time, voltages_at(network, time)});
  expected.end = ExpectedSample{kStop, voltages_at(network, kStop)};
  const std::string text = text_of(network);
  const RunResult result =
      run_expected(expected, fmt::format("diodes_{}", GetParam()), MemoryFiles({{"case.hyla", text}}));
  EXPECT_EQ(result.messages(), "") << text;
  ASSERT_TRUE(result.report.has_run);
  const Comparison comparison(expected, result);
  EXPECT_LE(comparison.errors().value, 1e-8) << comparison.worst() << "\n" << text;
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomDiodes, testing::Range<std::uint32_t>(1, 101));

/// Ten times as many commutations, and the same number of combinations that had to be analysed.
TEST(DiodeNetworks, CombinationsThatWereMetAreLookedUp) {
  const auto work_until = [](double stop) {
    Expectation expected = read_expectation("tests/continuous/network_rectifier.hyla");
    expected.request.stop_time = stop;
    return run_expected(expected, "looked_up").report.runs.at(0);
  };
  const SingleRun few = work_until(0.04), many = work_until(0.4);
  EXPECT_EQ(few.continuous.configurations, many.continuous.configurations);
  EXPECT_GE(many.events, 9 * few.events);
}

}  // namespace
}  // namespace hyla::service
