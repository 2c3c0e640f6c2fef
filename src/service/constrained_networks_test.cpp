// Random networks in which capacitors and sources of voltage form loops and inductors cut parts off, anywhere in the
// network, against dense nodal analysis: E y' = A y + b for the potentials of the nodes and the currents of inductors
// and sources, integrated by Radau IIA of order five with small steps, which does not mind that E is singular.
#include <algorithm>
#include <array>
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

struct Branch {
  enum class Kind : std::uint8_t { Resistor, Inductor, Capacitor, Sine };
  Kind kind = Kind::Resistor;
  std::size_t from = 0, to = 0;  ///< nodes; 0 is the ground
  double value = 1;              ///< of a sine: its amplitude
  double frequency = 0;
  double start = 0;  ///< voltage at the start: of a capacitor, of a sine its offset
};

struct Network {
  std::vector<double> potentials{0};  ///< of the nodes, at the start
  std::vector<Branch> branches;
};

// --- random networks ------------------------------------------------------------------------------

/// Nodes come in groups. Resistors and capacitors join the nodes of a group, inductors and capacitors one group with
/// another. Sources form no loops. Potentials at the start are given, so voltages agree; no current flows in inductors.
class Maker {
 public:
  explicit Maker(std::uint32_t seed) : random_(seed) {}

  Network make() {
    const std::size_t groups = whole(1, 3);
    for (std::size_t group = 0; group < groups; ++group) add_group(group);
    for (std::size_t node = 0; node < network_.potentials.size(); ++node) joined_.push_back(node);
    const std::size_t others = whole(2, 8);
    for (std::size_t i = 0; i < others; ++i) add_any();
    return network_;
  }

 private:
  using Kind = Branch::Kind;

  double number(double low, double high) { return std::uniform_real_distribution(low, high)(random_); }
  std::size_t whole(std::size_t low, std::size_t high) { return std::uniform_int_distribution(low, high)(random_); }

  void add(Kind kind, std::size_t from, std::size_t to) {
    if (whole(0, 1) == 0) std::swap(from, to);
    network_.branches.push_back(
        {kind, from, to, number(0.3, 3), number(0.2, 1), network_.potentials[from] - network_.potentials[to]});
  }

  void add_group(std::size_t group) {
    const std::size_t first = network_.potentials.size(), nodes = whole(1, 4);
    for (std::size_t i = 0; i < nodes; ++i) {
      network_.potentials.push_back(number(-5, 5));
      groups_.push_back(group);
      if (i > 0) add(whole(0, 3) == 0 ? Kind::Capacitor : Kind::Resistor, first + i, whole(first, first + i - 1));
    }
    if (group == 0) {
      add(Kind::Resistor, first, 0);
      return;
    }
    const std::size_t joints = whole(2, 3);
    for (std::size_t i = 0; i < joints; ++i) {
      add(whole(0, 3) == 0 ? Kind::Capacitor : Kind::Inductor, whole(first, first + nodes - 1), whole(0, first - 1));
    }
  }

  std::size_t root(std::size_t node) const { return joined_[node] == node ? node : root(joined_[node]); }

  void add_any() {
    const std::size_t last = network_.potentials.size() - 1, from = whole(0, last), to = whole(0, last);
    if (from == to) return;
    constexpr std::array kKinds = {Kind::Resistor,  Kind::Inductor, Kind::Capacitor, Kind::Capacitor,
                                   Kind::Capacitor, Kind::Sine,     Kind::Sine};
    Kind kind = kKinds[whole(0, kKinds.size() - 1)];
    if (kind == Kind::Resistor && groups_[from] != groups_[to]) kind = Kind::Inductor;
    if (kind == Kind::Sine && root(from) == root(to)) kind = Kind::Capacitor;
    if (kind == Kind::Sine) joined_[root(from)] = root(to);
    add(kind, from, to);
  }

  std::mt19937 random_;
  Network network_;
  std::vector<std::size_t> groups_{0};  ///< by node
  std::vector<std::size_t> joined_;     ///< by node, by sources: towards one that stands for all of them
};

// --- the dense solver -----------------------------------------------------------------------------

using Matrix = std::vector<std::vector<double>>;

Matrix zeros(std::size_t size) { return Matrix(size, std::vector<double>(size)); }

Matrix inverse(Matrix a) {
  Matrix b = zeros(a.size());
  for (std::size_t k = 0; k < a.size(); ++k) b[k][k] = 1;
  for (std::size_t k = 0; k < a.size(); ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < a.size(); ++i) {
      if (std::fabs(a[i][k]) > std::fabs(a[pivot][k])) pivot = i;
    }
    std::swap(a[k], a[pivot]);
    std::swap(b[k], b[pivot]);
    const double unit = 1 / a[k][k];
    for (std::size_t j = 0; j < a.size(); ++j) a[k][j] *= unit, b[k][j] *= unit;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double factor = a[i][k];
      if (i == k || factor == 0) continue;
      for (std::size_t j = 0; j < a.size(); ++j) a[i][j] -= factor * a[k][j], b[i][j] -= factor * b[k][j];
    }
  }
  return b;
}

class NodalAnalysis {
 public:
  explicit NodalAnalysis(const Network& network) : network_(network), nodes_(network.potentials.size() - 1) {
    size_ = nodes_;
    for (const Branch& branch : network.branches) size_ += has_current(branch) ? 1 : 0;
    e_ = a_ = zeros(size_);
    y_.assign(size_, 0.0);
    std::copy(network.potentials.begin() + 1, network.potentials.end(), y_.begin());
    std::size_t current = nodes_;
    for (const Branch& branch : network.branches) {
      if (branch.kind == Branch::Kind::Resistor) add_conductance(branch, a_, -1 / branch.value);
      if (branch.kind == Branch::Kind::Capacitor) add_conductance(branch, e_, branch.value);
      if (!has_current(branch)) continue;
      if (branch.from != 0) a_[branch.from - 1][current] -= 1, a_[current][branch.from - 1] += 1;
      if (branch.to != 0) a_[branch.to - 1][current] += 1, a_[current][branch.to - 1] -= 1;
      if (branch.kind == Branch::Kind::Inductor) e_[current][current] = branch.value;
      ++current;
    }
  }

  /// Potentials of all nodes but the ground.
  std::vector<double> potentials_at(double end) {
    constexpr int kSteps = 400;
    const double root = std::sqrt(6.0), h = end / kSteps;
    const double c[3] = {(4 - root) / 10, (4 + root) / 10, 1};
    const double b[3][3] = {
        {(88 - 7 * root) / 360, (296 - 169 * root) / 1800, (-2 + 3 * root) / 225},
        {(296 + 169 * root) / 1800, (88 + 7 * root) / 360, (-2 - 3 * root) / 225},
        {(16 - root) / 36, (16 + root) / 36, 1.0 / 9},
    };
    Matrix all = zeros(3 * size_);
    for (std::size_t s = 0; s < 9; ++s) {
      const std::size_t row = s / 3, column = s % 3;
      for (std::size_t i = 0; i < size_ * size_; ++i) {
        all[row * size_ + i / size_][column * size_ + i % size_] =
            (row == column ? e_[i / size_][i % size_] : 0) - h * b[row][column] * a_[i / size_][i % size_];
      }
    }
    all = inverse(all);
    std::vector<double> right(3 * size_), slopes(3 * size_);
    for (int step = 0; step < kSteps; ++step) {
      for (std::size_t s = 0; s < 3; ++s) set_right(h * (step + c[s]), right.data() + s * size_);
      for (std::size_t i = 0; i < slopes.size(); ++i) {
        slopes[i] = 0;
        for (std::size_t j = 0; j < slopes.size(); ++j) slopes[i] += all[i][j] * right[j];
      }
      for (std::size_t i = 0; i < slopes.size(); ++i) y_[i % size_] += h * b[2][i / size_] * slopes[i];
    }
    return {y_.begin(), y_.begin() + static_cast<std::ptrdiff_t>(nodes_)};
  }

 private:
  static bool has_current(const Branch& branch) {
    return branch.kind == Branch::Kind::Inductor || branch.kind == Branch::Kind::Sine;
  }

  void add_conductance(const Branch& branch, Matrix& matrix, double value) const {
    const std::size_t ends[2] = {branch.from, branch.to};
    for (const int one : {0, 1}) {
      if (ends[one] == 0) continue;
      matrix[ends[one] - 1][ends[one] - 1] += value;
      if (ends[1 - one] != 0) matrix[ends[one] - 1][ends[1 - one] - 1] -= value;
    }
  }

  void set_right(double time, double* right) const {
    for (std::size_t i = 0; i < size_; ++i) {
      right[i] = 0;
      for (std::size_t j = 0; j < size_; ++j) right[i] += a_[i][j] * y_[j];
    }
    std::size_t current = nodes_;
    for (const Branch& branch : network_.branches) {
      if (!has_current(branch)) continue;
      if (branch.kind == Branch::Kind::Sine) {
        right[current] -= branch.start + branch.value * std::sin(2 * M_PI * branch.frequency * time);
      }
      ++current;
    }
  }

  const Network& network_;
  std::size_t nodes_ = 0, size_ = 0;
  Matrix e_, a_;
  std::vector<double> y_;
};

// --- the same network as a model ------------------------------------------------------------------

std::string text_of_branch(const Branch& branch) {
  switch (branch.kind) {
    case Branch::Kind::Resistor:
      return fmt::format("Resistor(R = {})", branch.value);
    case Branch::Kind::Inductor:
      return fmt::format("Inductor(L = {})", branch.value);
    case Branch::Kind::Capacitor:
      return fmt::format("Capacitor(C = {}, v := {})", branch.value, branch.start);
    case Branch::Kind::Sine:
      break;
  }
  return fmt::format("SineVoltage(amplitude = {}, frequency = {}, offset = {})", branch.value, branch.frequency,
                     branch.start);
}

std::string text_of_network(const Network& network) {
  std::string text = fmt::format(
      "import electrical;\nmodel Case {{\n    object node[{}]: Node;\n    object ground: electrical.Ground;\n",
      network.potentials.size() - 1);
  for (std::size_t i = 0; i < network.branches.size(); ++i) {
    const Branch& branch = network.branches[i];
    const auto pin = [](std::size_t node) { return node == 0 ? "ground.p" : fmt::format("node[{}].p", node); };
    text += fmt::format("    object b{}: electrical.{};\n", i, text_of_branch(branch));
    text += fmt::format("    connect b{}.p -- {};\n    connect b{}.n -- {};\n", i, pin(branch.from), i, pin(branch.to));
  }
  return text + "}\n/// A place where branches meet.\nmodel Node {\n    plug p: electrical.Pin;\n    p.i = 0;\n}\n";
}

class ConstrainedNetwork : public testing::TestWithParam<std::uint32_t> {};

TEST_P(ConstrainedNetwork, AgreesWithNodalAnalysis) {
  constexpr double kStop = 2;
  const Network network = Maker(GetParam()).make();
  Expectation expected;
  expected.request.path = "case.hyla";
  expected.request.model = "Case";
  expected.request.stop_time = kStop;
  expected.request.solver.tolerance = 1e-9;
  for (std::size_t node = 1; node < network.potentials.size(); ++node) {
    expected.columns.push_back(fmt::format("node[{}].p.v", node));
  }
  expected.end = ExpectedSample{kStop, NodalAnalysis(network).potentials_at(kStop)};
  const std::string text = text_of_network(network);
  const std::string name = fmt::format("constrained_{}", GetParam());
  const RunResult result = run_expected(expected, name, MemoryFiles({{"case.hyla", text}}));
  EXPECT_EQ(result.messages(), "") << text;
  ASSERT_TRUE(result.report.has_run);
  const Comparison comparison(expected, result);
  EXPECT_LE(comparison.errors().value, 1e-6) << comparison.worst() << "\n" << text;
}

INSTANTIATE_TEST_SUITE_P(Seeds, ConstrainedNetwork, testing::Range<std::uint32_t>(1, 61));

}  // namespace
}  // namespace hyla::service
