#include "solve/lobatto.h"

#include <cmath>

#include <gtest/gtest.h>

namespace hyla::solve {
namespace {

TEST(Lobatto, IntegratesPolynomialsExactly) {
  for (int count = 3; count <= 16; ++count) {
    const LobattoRule& rule = lobatto_rule(count);
    for (int degree = 0; degree <= 2 * count - 3; ++degree) {
      double sum = 0;
      for (std::size_t i = 0; i < rule.nodes.size(); ++i) sum += rule.weights[i] * std::pow(rule.nodes[i], degree);
      EXPECT_NEAR(sum, 1.0 / (degree + 1), 1e-14) << count << " nodes, degree " << degree;
    }
  }
}

TEST(Lobatto, KnowsTheNodesInClosedForm) {
  const LobattoRule& four = lobatto_rule(4);
  EXPECT_NEAR(four.nodes[1], (1 - std::sqrt(0.2)) / 2, 1e-15);
  EXPECT_NEAR(four.weights[0], 1.0 / 12, 1e-15);
  const LobattoRule& five = lobatto_rule(5);
  EXPECT_NEAR(five.nodes[1], (1 - std::sqrt(3.0 / 7)) / 2, 1e-15);
  EXPECT_NEAR(five.weights[2], 32.0 / 90, 1e-15);
}

TEST(Lobatto, InterpolatesPolynomialsExactly) {
  for (int count = 3; count <= 16; ++count) {
    const LobattoRule& rule = lobatto_rule(count);
    std::vector<double> values;
    for (const double node : rule.nodes) values.push_back(std::pow(node, count - 1) - 2 * node);
    for (const double x : {0.0, 0.1, 0.37, 0.5, 0.99, 1.0}) {
      EXPECT_NEAR(rule.interpolate(values, x), std::pow(x, count - 1) - 2 * x, 1e-13);
    }
  }
}

}  // namespace
}  // namespace hyla::solve
