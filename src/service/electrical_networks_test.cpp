// Random electrical networks against dense nodal analysis: the network with its capacitors as sources of voltage and
// its inductors as sources of current is resistive; its solutions give the matrix of a linear differential equation for
// every setting of the switches, and the exponential of that matrix the exact solution from one switching to the next.
#include <algorithm>
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
  enum class Kind : std::uint8_t { Resistor, Inductor, Capacitor, Voltage, Sine, Current, Switch };
  Kind kind = Kind::Resistor;
  std::size_t from = 0, to = 0;  ///< nodes; 0 is the ground
  double value = 1;              ///< of a sine: its amplitude
  double frequency = 0;
  double start = 0;  ///< of a capacitor or inductor
};

struct Flip {
  double time = 0;
  std::size_t branch = 0;
};

struct Network {
  std::size_t nodes = 1;
  std::vector<Branch> branches;
  std::vector<Flip> flips;
  double stop = 0;
};

// --- random networks ------------------------------------------------------------------------------

/// Every node has a resistor to the ground, and neither capacitors and sources of voltage form loops nor inductors and
/// sources of current cuts, whatever the switches do: then all capacitors and inductors are states.
class Maker {
 public:
  explicit Maker(std::uint32_t seed) : random_(seed) {}

  Network make() {
    network_.stop = number(0.5, 2);
    const int nodes = whole(2, 6), branches = whole(3, 12);
    for (int i = 0; i < nodes; ++i) new_node();
    for (int i = 0; i < branches; ++i) add_branch();
    for (std::size_t i = 0; i < network_.branches.size(); ++i) {
      if (network_.branches[i].kind != Branch::Kind::Switch) continue;
      const int flips = whole(0, 4);
      for (int k = 0; k < flips; ++k) network_.flips.push_back({number(0.01, network_.stop), i});
    }
    std::sort(network_.flips.begin(), network_.flips.end(),
              [](const Flip& a, const Flip& b) { return a.time < b.time; });
    return network_;
  }

 private:
  double number(double low, double high) { return std::uniform_real_distribution(low, high)(random_); }
  int whole(int low, int high) { return std::uniform_int_distribution(low, high)(random_); }

  std::size_t new_node() {
    const std::size_t node = network_.nodes++;
    add(Branch::Kind::Resistor, node, 0, number(0.5, 20));
    return node;
  }
  /// A node of the beginning, or the ground.
  std::size_t any() {
    return static_cast<std::size_t>(whole(0, static_cast<int>(std::min<std::size_t>(network_.nodes, 6)) - 1));
  }
  void add(Branch::Kind kind, std::size_t from, std::size_t to, double value, double start = 0, double frequency = 0) {
    network_.branches.push_back({kind, from, to, value, frequency, start});
  }

  void add_branch() {
    const std::size_t from = any();
    std::size_t to = any();
    if (from == to) to = from == 0 ? 1 : 0;
    switch (whole(0, 6)) {
      case 0:
        return add(Branch::Kind::Resistor, from, to, number(0.2, 10));
      case 1:
        return add(Branch::Kind::Inductor, from, to, number(0.1, 2), number(-1, 1));
      case 2:
        return add_stiff(Branch::Kind::Capacitor, from, number(0.05, 1), number(-5, 5), 0);
      case 3:
        return add_stiff(Branch::Kind::Voltage, from, number(-10, 10), 0, 0);
      case 4:
        return add_stiff(Branch::Kind::Sine, from, number(1, 10), 0, number(0.2, 3));
      case 5:
        return add(Branch::Kind::Current, from, to, number(-2, 2));
      default:
        return add(Branch::Kind::Switch, from, new_node(), 0);
    }
  }

  /// A branch that fixes a voltage goes to a node of its own, so that it can form no loop.
  void add_stiff(Branch::Kind kind, std::size_t from, double value, double start, double frequency) {
    add(kind, from, new_node(), value, start, frequency);
  }

  std::mt19937 random_;
  Network network_;
};

// --- the dense solver -----------------------------------------------------------------------------

using Matrix = std::vector<std::vector<double>>;

Matrix zeros(std::size_t rows, std::size_t columns) { return Matrix(rows, std::vector<double>(columns)); }

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix result = zeros(a.size(), b[0].size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t k = 0; k < b.size(); ++k) {
      for (std::size_t j = 0; j < b[0].size(); ++j) result[i][j] += a[i][k] * b[k][j];
    }
  }
  return result;
}

/// A X = B by elimination with pivots.
Matrix solution(Matrix a, Matrix b) {
  for (std::size_t k = 0; k < a.size(); ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < a.size(); ++i) {
      if (std::fabs(a[i][k]) > std::fabs(a[pivot][k])) pivot = i;
    }
    std::swap(a[k], a[pivot]);
    std::swap(b[k], b[pivot]);
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (i == k || a[i][k] == 0) continue;
      const double factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < a.size(); ++j) a[i][j] -= factor * a[k][j];
      for (std::size_t j = 0; j < b[0].size(); ++j) b[i][j] -= factor * b[k][j];
    }
  }
  for (std::size_t k = 0; k < a.size(); ++k) {
    for (double& value : b[k]) value /= a[k][k];
  }
  return b;
}

/// exp(A t): Taylor's series of a small part of it, squared again and again.
Matrix exponential(Matrix a, double t) {
  double norm = 0;
  for (const std::vector<double>& row : a) {
    double sum = 0;
    for (const double value : row) sum += std::fabs(value * t);
    norm = std::max(norm, sum);
  }
  const int halvings = norm > 0.5 ? static_cast<int>(std::ceil(std::log2(norm / 0.5))) : 0;
  for (std::vector<double>& row : a) {
    for (double& value : row) value *= std::ldexp(t, -halvings);
  }
  Matrix result = zeros(a.size(), a.size()), power = result;
  for (std::size_t i = 0; i < a.size(); ++i) result[i][i] = power[i][i] = 1;
  for (int k = 1; k < 20; ++k) {
    power = product(power, a);
    for (std::size_t i = 0; i < a.size(); ++i) {
      for (std::size_t j = 0; j < a.size(); ++j) {
        power[i][j] /= k;
        result[i][j] += power[i][j];
      }
    }
  }
  for (int k = 0; k < halvings; ++k) result = product(result, result);
  return result;
}

class NodalAnalysis {
 public:
  explicit NodalAnalysis(const Network& network) : network_(network), is_closed_(network.branches.size(), false) {
    // What drives the network: capacitors and inductors, sines with their cosines, and one for all constants.
    for (std::size_t i = 0; i < network.branches.size(); ++i) {
      const Branch& branch = network.branches[i];
      drive_.push_back(state_.size());
      if (is_state(branch)) state_.push_back(branch.start);
      if (branch.kind == Branch::Kind::Sine) state_.insert(state_.end(), {0.0, 1.0});
    }
    one_ = state_.size();
    state_.push_back(1);
  }

  static bool is_state(const Branch& branch) {
    return branch.kind == Branch::Kind::Capacitor || branch.kind == Branch::Kind::Inductor;
  }

  void run() {
    double now = 0;
    for (const Flip& flip : network_.flips) {
      advance(flip.time - now);
      now = flip.time;
      is_closed_[flip.branch] = !is_closed_[flip.branch];
    }
    advance(network_.stop - now);
  }

  /// By branch: the state of a capacitor or inductor.
  double state(std::size_t branch) const { return state_[drive_[branch]]; }

  /// Voltages of all nodes but the ground, then currents of branches that fix a voltage, for each unit of the state.
  Matrix gains() const {
    const std::size_t nodes = network_.nodes - 1;
    std::vector<std::size_t> fixing;
    for (std::size_t i = 0; i < network_.branches.size(); ++i) {
      if (fixes_voltage(i)) fixing.push_back(i);
    }
    Matrix a = zeros(nodes + fixing.size(), nodes + fixing.size()), b = zeros(a.size(), state_.size());
    for (std::size_t i = 0; i < network_.branches.size(); ++i) {
      const Branch& branch = network_.branches[i];
      const auto leave = [&](std::size_t column, double value, Matrix& matrix, double sign) {
        if (branch.from != 0) matrix[branch.from - 1][column] += sign * value;
        if (branch.to != 0) matrix[branch.to - 1][column] -= sign * value;
      };
      if (branch.kind == Branch::Kind::Resistor) {
        if (branch.from != 0) leave(branch.from - 1, 1 / branch.value, a, 1);
        if (branch.to != 0) leave(branch.to - 1, -1 / branch.value, a, 1);
      }
      if (branch.kind == Branch::Kind::Inductor) leave(drive_[i], 1, b, -1);
      if (branch.kind == Branch::Kind::Current) leave(one_, branch.value, b, -1);
    }
    for (std::size_t k = 0; k < fixing.size(); ++k) {
      const Branch& branch = network_.branches[fixing[k]];
      const std::size_t row = nodes + k;
      if (branch.from != 0) a[row][branch.from - 1] = a[branch.from - 1][row] = 1;
      if (branch.to != 0) a[row][branch.to - 1] = a[branch.to - 1][row] = -1;
      if (branch.kind == Branch::Kind::Capacitor) b[row][drive_[fixing[k]]] = 1;
      if (branch.kind == Branch::Kind::Sine) b[row][drive_[fixing[k]]] = branch.value;
      if (branch.kind == Branch::Kind::Voltage) b[row][one_] = branch.value;
    }
    return solution(a, b);
  }

  std::vector<double> voltages() const {
    const Matrix all = gains();
    std::vector<double> result;
    for (std::size_t node = 1; node < network_.nodes; ++node) {
      double sum = 0;
      for (std::size_t j = 0; j < state_.size(); ++j) sum += all[node - 1][j] * state_[j];
      result.push_back(sum);
    }
    return result;
  }

 private:
  bool fixes_voltage(std::size_t i) const {
    const Branch::Kind kind = network_.branches[i].kind;
    return kind == Branch::Kind::Capacitor || kind == Branch::Kind::Voltage || kind == Branch::Kind::Sine ||
           (kind == Branch::Kind::Switch && is_closed_[i]);
  }

  void advance(double duration) {
    if (duration <= 0) return;
    const Matrix all = gains();
    Matrix rates = zeros(state_.size(), state_.size());
    std::size_t row = network_.nodes - 1;
    for (std::size_t i = 0; i < network_.branches.size(); ++i) {
      const Branch& branch = network_.branches[i];
      const std::size_t current = fixes_voltage(i) ? row++ : 0;
      for (std::size_t j = 0; j < state_.size(); ++j) {
        if (branch.kind == Branch::Kind::Capacitor) rates[drive_[i]][j] = all[current][j] / branch.value;
        if (branch.kind != Branch::Kind::Inductor) continue;
        const double from = branch.from == 0 ? 0 : all[branch.from - 1][j];
        const double to = branch.to == 0 ? 0 : all[branch.to - 1][j];
        rates[drive_[i]][j] = (from - to) / branch.value;
      }
      if (branch.kind != Branch::Kind::Sine) continue;
      const double omega = 2 * M_PI * branch.frequency;
      rates[drive_[i]][drive_[i] + 1] = omega;
      rates[drive_[i] + 1][drive_[i]] = -omega;
    }
    Matrix column;
    for (const double value : state_) column.push_back({value});
    column = product(exponential(rates, duration), column);
    for (std::size_t i = 0; i < state_.size(); ++i) state_[i] = column[i][0];
  }

  const Network& network_;
  std::vector<bool> is_closed_;
  std::vector<std::size_t> drive_;  ///< by branch: its first place in the state
  std::vector<double> state_;
  std::size_t one_ = 0;
};

// --- the same network as a model ------------------------------------------------------------------

std::string text_of_branch(const Branch& branch) {
  switch (branch.kind) {
    case Branch::Kind::Resistor:
      return fmt::format("Resistor(R = {})", branch.value);
    case Branch::Kind::Inductor:
      return fmt::format("Inductor(L = {}, i := {})", branch.value, branch.start);
    case Branch::Kind::Capacitor:
      return fmt::format("Capacitor(C = {}, v := {})", branch.value, branch.start);
    case Branch::Kind::Voltage:
      return fmt::format("ConstantVoltage(V = {})", branch.value);
    case Branch::Kind::Sine:
      return fmt::format("SineVoltage(amplitude = {}, frequency = {})", branch.value, branch.frequency);
    case Branch::Kind::Current:
      return fmt::format("ConstantCurrent(I = {})", branch.value);
    case Branch::Kind::Switch:
      break;
  }
  return "Switch";
}

std::string text_of_network(const Network& network) {
  std::string text = "import electrical;\nmodel Case {\n    object node[" + std::to_string(network.nodes - 1) +
                     "]: Node;\n    object ground: electrical.Ground;\n";
  for (std::size_t i = 0; i < network.branches.size(); ++i) {
    const Branch& branch = network.branches[i];
    const auto pin = [](std::size_t node) { return node == 0 ? "ground.p" : fmt::format("node[{}].p", node); };
    text += fmt::format("    object b{}: electrical.{};\n", i, text_of_branch(branch));
    text += fmt::format("    connect b{}.p -- {};\n    connect b{}.n -- {};\n", i, pin(branch.from), i, pin(branch.to));
    if (branch.kind != Branch::Kind::Switch) continue;
    text += fmt::format("    discrete s{0} := false;\n    connect s{0} -> b{0}.closed;\n", i);
  }
  for (const Flip& flip : network.flips) {
    text += fmt::format("    at {} {{ s{} := not s{}; }}\n", flip.time, flip.branch, flip.branch);
  }
  return text + "}\n/// A place where branches meet.\nmodel Node {\n    plug p: electrical.Pin;\n    p.i = 0;\n}\n";
}

class RandomNetwork : public testing::TestWithParam<std::uint32_t> {};

TEST_P(RandomNetwork, AgreesWithNodalAnalysis) {
  const Network network = Maker(GetParam()).make();
  NodalAnalysis analysis(network);
  analysis.run();
  Expectation expected;
  expected.request.path = "case.hyla";
  expected.request.model = "Case";
  expected.request.stop_time = network.stop;
  expected.request.solver.tolerance = 1e-9;
  ExpectedSample end{network.stop, {}};
  for (std::size_t i = 0; i < network.branches.size(); ++i) {
    const Branch& branch = network.branches[i];
    if (!NodalAnalysis::is_state(branch)) continue;
    expected.columns.push_back(fmt::format("b{}.{}", i, branch.kind == Branch::Kind::Capacitor ? "v" : "i"));
    end.values.push_back(analysis.state(i));
  }
  const std::vector<double> voltages = analysis.voltages();
  for (std::size_t node = 1; node < network.nodes; ++node) {
    expected.columns.push_back(fmt::format("node[{}].p.v", node));
    end.values.push_back(voltages[node - 1]);
  }
  expected.end = end;
  const std::string text = text_of_network(network);
  const std::string name = fmt::format("network_{}", GetParam());
  const RunResult result = run_expected(expected, name, MemoryFiles({{"case.hyla", text}}));
  EXPECT_EQ(result.messages(), "") << text;
  ASSERT_TRUE(result.report.has_run);
  const Comparison comparison(expected, result);
  EXPECT_LE(comparison.errors().value, 1e-6) << comparison.worst() << "\n" << text;
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomNetwork, testing::Range<std::uint32_t>(1, 101));

}  // namespace
}  // namespace hyla::service
