#include "solve/lobatto.h"

#include <array>
#include <cmath>

#include "base/check.h"

namespace hyla::solve {
namespace {

constexpr int kMostNodes = 16;

/// Legendre's polynomial of a degree and the one before it, at x.
void legendre(int degree, double x, double& value, double& before) {
  before = 1;
  value = x;
  for (int k = 2; k <= degree; ++k) {
    const double next = ((2 * k - 1) * x * value - (k - 1) * before) / k;
    before = value;
    value = next;
  }
}

/// The inner nodes are the zeros of the derivative of Legendre's polynomial of degree n - 1.
LobattoRule make_rule(int count) {
  LobattoRule rule;
  const int degree = count - 1;
  for (int i = 0; i < count; ++i) {
    double x = -std::cos(std::acos(-1.0) * i / degree);
    double value = 0, before = 0;
    constexpr int kIterations = 30;
    for (int k = 0; k < kIterations; ++k) {
      legendre(degree, x, value, before);
      const double step = (x * value - before) / (count * value);
      x -= step;
      if (std::abs(step) < 1e-16) break;
    }
    legendre(degree, x, value, before);
    rule.nodes.push_back((x + 1) / 2);
    rule.weights.push_back(1.0 / (degree * count * value * value));
  }
  rule.nodes.front() = 0;
  rule.nodes.back() = 1;
  for (int i = 0; i < count; ++i) {
    double product = 1;
    for (int k = 0; k < count; ++k) {
      if (k != i) product *= rule.nodes[static_cast<std::size_t>(i)] - rule.nodes[static_cast<std::size_t>(k)];
    }
    rule.barycentric.push_back(1 / product);
  }
  return rule;
}

}  // namespace

double LobattoRule::interpolate(std::span<const double> values, double place) const {
  double above = 0, below = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (place == nodes[i]) return values[i];
    const double share = barycentric[i] / (place - nodes[i]);
    above += share * values[i];
    below += share;
  }
  return above / below;
}

const LobattoRule& lobatto_rule(int nodes) {
  static const std::array<LobattoRule, kMostNodes + 1> kRules = [] {
    std::array<LobattoRule, kMostNodes + 1> rules;
    for (int count = 3; count <= kMostNodes; ++count) rules[static_cast<std::size_t>(count)] = make_rule(count);
    return rules;
  }();
  HYLA_CHECK(nodes >= 3 && nodes <= kMostNodes, "number of nodes");
  return kRules[static_cast<std::size_t>(nodes)];
}

}  // namespace hyla::solve
