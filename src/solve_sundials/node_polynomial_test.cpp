#include "solve_sundials/node_polynomial.h"

#include <cmath>

#include <gtest/gtest.h>

namespace hyla::solve_sundials {
namespace {

using Slope = NodePolynomial::Slope;

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
      nodes.add(t, y, slope, slopes ? Slope::Good : Slope::None);
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
  nodes.add(0, &begin, &slope, Slope::Good);
  nodes.add(1, &end, nullptr, Slope::None);
  nodes.build(5);
  EXPECT_EQ(nodes.degree(), 2);
  double y = 0;
  nodes.evaluate(0.5, &y);
  EXPECT_DOUBLE_EQ(y, 1.25);
  nodes.restart(1);
  nodes.add(3, &begin, nullptr, Slope::None);
  nodes.add(5, &end, nullptr, Slope::None);
  nodes.build(5);
  EXPECT_EQ(nodes.degree(), 1);
  nodes.evaluate(4, &y);
  EXPECT_DOUBLE_EQ(y, 1.5);
}

// A line through a root at pi, after a restart with steps that become longer fast: rounded times must not bend it.
TEST(NodePolynomial, rounded_times_do_not_bend_it) {
  NodePolynomial nodes;
  nodes.restart(1);
  const double root = 3.1415926543803541, slope = -1;
  double t = root;
  for (const double h : {0.0, 3.02e-13, 2.487e-11, 4.086e-10, 8.2e-9, 1.6e-7}) {
    t += h;
    const double y = -(t - root);
    nodes.add(t, &y, &slope, h == 0 ? Slope::Good : Slope::Doubtful);
    if (h == 0) continue;
    nodes.build(5);
    for (const double part : {0.1, 0.3, 0.5, 0.7, 0.9}) {
      double found = 0;
      nodes.evaluate(t - part * h, &found);
      EXPECT_NEAR(found, -(t - part * h - root), 1e-15 + 1e-4 * h) << h << " at " << part;
    }
  }
}

TEST(NodePolynomial, is_a_line_over_the_shortest_steps) {
  NodePolynomial nodes;
  nodes.restart(2);
  const double begin[] = {0, 1}, slope[] = {0.3, 0}, end[] = {0.30000000001e-233, 1};
  nodes.add(0, begin, slope, Slope::Good);
  nodes.add(1e-233, end, slope, Slope::Good);
  nodes.build(6);
  double y[2];
  nodes.evaluate(0.5e-233, y);
  EXPECT_NEAR(y[0] / 0.15e-233, 1, 1e-9);
  EXPECT_EQ(y[1], 1);
}

// Of two points that coincide nearly one is left out, for an older one or for the slope.
TEST(NodePolynomial, leaves_out_points_too_close_together) {
  for (const bool is_first : {false, true}) {
    NodePolynomial nodes;
    nodes.restart(1);
    for (const double t : {-0.5, 1 - 1e-9, 1.0, 2.0}) {
      if (is_first && t < 0) continue;
      const double y = polynomial(t, 3), slope = slope_of(t, 3);
      nodes.add(t, &y, &slope, Slope::Doubtful);
    }
    nodes.build(5);
    EXPECT_EQ(nodes.degree(), 3);
    double y = 0;
    nodes.evaluate(1.5, &y);
    EXPECT_NEAR(y, polynomial(1.5, 3), 1e-14);
  }
}

}  // namespace
}  // namespace hyla::solve_sundials
