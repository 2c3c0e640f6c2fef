#include "solve_sundials/node_polynomial.h"

#include <cmath>

#include <gtest/gtest.h>

namespace hyla::solve_sundials {
namespace {

double polynomial(double t, int degree) {
  double value = 0;
  for (int k = degree; k >= 0; --k) value = value * t + 1.0 / (1 + k);
  return value;
}
double slope_of(double t, int degree) {
  double value = 0;
  for (int k = degree; k >= 1; --k) value = value * t + k / (1.0 + k);
  return value;
}

TEST(NodePolynomial, is_exact_for_polynomials_of_its_degree) {
  const double times[] = {0, 0.3, 0.5, 1.1, 1.2, 1.9};
  for (const bool slopes : {false, true}) {
    NodePolynomial nodes;
    nodes.restart(2);
    const int degree = slopes ? 5 : 4;
    for (const double t : times) {
      const double y[] = {polynomial(t, degree), 2 - t}, slope[] = {slope_of(t, degree), -1};
      nodes.add(t, y, slopes ? slope : nullptr);
    }
    nodes.build(slopes ? 6 : 5);
    EXPECT_EQ(nodes.degree(), degree);
    for (const double t : {1.2, 1.4, 1.65, 1.9}) {
      double y[2];
      nodes.evaluate(t, y);
      EXPECT_NEAR(y[0], polynomial(t, degree), 1e-12);
      EXPECT_NEAR(y[1], 2 - t, 1e-13);
    }
  }
}

TEST(NodePolynomial, uses_what_there_is_after_a_restart) {
  NodePolynomial nodes;
  nodes.restart(1);
  const double begin = 1, slope = 0, end = 2;
  nodes.add(0, &begin, &slope);
  nodes.add(1, &end, nullptr);
  nodes.build(5);
  EXPECT_EQ(nodes.degree(), 2);
  double y = 0;
  nodes.evaluate(0.5, &y);
  EXPECT_DOUBLE_EQ(y, 1.25);
  nodes.restart(1);
  nodes.add(3, &begin, nullptr);
  nodes.add(5, &end, nullptr);
  nodes.build(5);
  EXPECT_EQ(nodes.degree(), 1);
  nodes.evaluate(4, &y);
  EXPECT_DOUBLE_EQ(y, 1.5);
}

}  // namespace
}  // namespace hyla::solve_sundials
