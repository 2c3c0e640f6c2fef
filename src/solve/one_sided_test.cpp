#include "solve/one_sided.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace hyla::solve {
namespace {

using Node = ConditionTree::Node;
using Kind = ConditionTree::Kind;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// `(0 or !1) and 1`
std::string text(const ConditionTree& tree, Node node) {
  if (tree.kind(node) == Kind::Relation) {
    return (tree.negated(node) ? "!" : "") + std::to_string(tree.relation(node));
  }
  std::string result = "(";
  for (const Node operand : tree.operands(node)) {
    if (result.size() > 1) result += tree.kind(node) == Kind::And ? " and " : " or ";
    result += text(tree, operand);
  }
  return result + ")";
}

/// The servo's modes: relation 0 is x >= 0, relation 1 is kp |x| >= saw, relation 2 is 0.1 >= saw.
struct ServoConditions {
  ConditionTree tree;
  Node p1, p2, p3, reset;

  ServoConditions() {
    const Node x = tree.add_relation(0), pulse = tree.add_relation(1), period = tree.add_relation(2);
    const Node both[] = {x, pulse};
    p1 = tree.add_and(both);
    const Node negative[] = {tree.add_not(x), pulse};
    p2 = tree.add_and(negative);
    p3 = tree.add_not(pulse);
    reset = tree.add_not(period);
  }
  ConditionTree staying(const std::vector<Node>& conditions) const { return make_staying(tree, conditions); }
};

TEST(OneSided, StayingConditionOfTheServo) {
  const ServoConditions servo;
  const ConditionTree s1 = servo.staying({servo.p2, servo.p3});
  EXPECT_EQ(text(s1, s1.root()), "((0 or !1) and 1)");
  const ConditionTree s3 = servo.staying({servo.p1, servo.p2, servo.reset});
  EXPECT_EQ(text(s3, s3.root()), "((!0 or !1) and (0 or !1) and 2)");
  const ConditionTree single = servo.staying({servo.p3});
  EXPECT_EQ(text(single, single.root()), "1");
}

TEST(OneSided, NegationsAreTheOpposite) {
  const ServoConditions servo;
  ConditionTree tree = servo.tree;
  const Node parts[] = {servo.p1, tree.add_not(servo.p3), servo.reset};
  const Node any = tree.add_or(parts);
  const Node conditions[] = {tree.add_not(tree.add_not(any))};
  const ConditionTree staying = make_staying(tree, conditions);
  for (int bits = 0; bits < 8; ++bits) {
    const double values[] = {bits & 1 ? 1.0 : -1.0, bits & 2 ? 1.0 : -1.0, bits & 4 ? 1.0 : -1.0};
    EXPECT_EQ(staying.holds(values), !tree.holds(any, values)) << bits;
  }
}

TEST(OneSided, StepsByAlgorithmsTwoAndThree) {
  const OneSided location({0.6, 1e-6});
  ConditionTree tree;
  const Node leaves[] = {tree.add_relation(0), tree.add_relation(1)};
  const Node all = tree.add_and(leaves), any = tree.add_or(leaves);

  tree.set_root(leaves[0]);
  double values[] = {2, 3}, rates[] = {-4, -1};
  EXPECT_DOUBLE_EQ(location.longest_step(tree, values, rates), 0.4 * 2 / 4);
  tree.set_root(all);
  EXPECT_DOUBLE_EQ(location.longest_step(tree, values, rates), 0.2);
  tree.set_root(any);
  EXPECT_DOUBLE_EQ(location.longest_step(tree, values, rates), 1.2);
  // Moving away: no limit; under `or` none at all.
  rates[1] = 1;
  EXPECT_EQ(location.longest_step(tree, values, rates), kInfinity);
  tree.set_root(all);
  EXPECT_DOUBLE_EQ(location.longest_step(tree, values, rates), 0.2);
  // A relation that does not hold is left out under `or`.
  values[1] = -3;
  tree.set_root(any);
  EXPECT_DOUBLE_EQ(location.longest_step(tree, values, rates), 0.2);
  // A negated relation is approached from below zero.
  ConditionTree negated;
  negated.set_root(negated.add_relation(1, true));
  EXPECT_DOUBLE_EQ(location.longest_step(negated, values, rates), 0.4 * 3);
}

TEST(OneSided, JustAfterAnEventOnlyWhatHoldsLimits) {
  // Relation 0 has been reached from the other side and is negative by a hair; relation 1 is approached.
  const OneSided location({0.6, 1e-6});
  ConditionTree tree;
  const Node leaves[] = {tree.add_relation(0), tree.add_relation(1)};
  tree.set_root(tree.add_and(leaves));
  const double values[] = {-1e-7, 1}, rates[] = {1, -2}, good[] = {0.5, 0.5}, bad[] = {-1e-8, -0.1};
  EXPECT_DOUBLE_EQ(location.longest_step(tree, values, rates), 0.2);
  EXPECT_FALSE(location.is_outside(tree, values, good));
  EXPECT_TRUE(location.is_outside(tree, values, bad));
  const double still[] = {-1e-8, 0.9};
  EXPECT_FALSE(location.is_outside(tree, values, still));
}

TEST(OneSided, OutsideIsNoticedAndShortened) {
  // Up and down again: at the start nothing limits the step, though the boundary is in it.
  const OneSided location;
  ConditionTree tree;
  tree.set_root(tree.add_relation(0));
  const auto height = [](double t) { return 1 + t - t * t; };
  const double exact = (1 + std::sqrt(5.0)) / 2;
  double t = 0;
  int attempts = 0;
  std::vector<std::uint32_t> reached;
  for (;;) {
    const double value = height(t), rate = 1 - 2 * t;
    ASSERT_GE(value, 0);
    if (location.place(tree, &value, &rate, t) == OneSided::Place::Arrived) {
      location.at_boundary(tree, &value, &rate, t, reached);
      break;
    }
    double next = std::min(t + 5, t + location.longest_step(tree, &value, &rate));
    for (double there = height(next); location.is_outside(tree, &value, &there); there = height(next)) {
      next = location.shortened(t, next);
    }
    t = next;
    ASSERT_LT(++attempts, 200);
  }
  EXPECT_LT(t, exact);
  EXPECT_GT(t, exact - 1e-6 / 0.4 * 1.01);
  EXPECT_EQ(reached, std::vector<std::uint32_t>{0});
}

// --- the servo of the paper ------------------------------------------------------------------------------------------

struct Servo {
  double t = 0, omega = 0, phi = 0, saw = 0;
  int force = 1;  ///< 1, -1, 0 in s1, s2, s3

  double x() const { return 1 - 0.1 * omega - phi; }
  void flow(double h) {
    phi += h * omega + 50 * force * h * h;
    omega += 100 * force * h;
    saw += h;
    t += h;
  }
  void values(double* g) const { g[0] = x(), g[1] = 0.1 * std::fabs(x()) - saw, g[2] = 0.1 - saw; }
  void rates(double* g) const {
    g[0] = -10 * force - omega;
    g[1] = 0.1 * (x() < 0 ? -g[0] : g[0]) - 1;
    g[2] = -1;
  }
};

struct Event {
  double t, omega, phi;
};

/// By closed form: the pulse ends at the positive root of 5 s^2 + (2 + 0.1 sign(x) omega) s - 0.1 |x| = 0.
std::vector<Event> exact_events(int periods) {
  std::vector<Event> events;
  Servo servo;
  for (int period = 0; period < periods; ++period) {
    servo.force = servo.x() < 0 ? -1 : 1;
    const double b = 2 + 0.1 * servo.force * servo.omega, c = 0.1 * std::fabs(servo.x());
    const double pulse = 2 * c / (b + std::sqrt(b * b + 20 * c));
    servo.flow(pulse);
    events.push_back({servo.t, servo.omega, servo.phi});
    servo.force = 0;
    servo.flow(0.1 - pulse);
    events.push_back({servo.t, servo.omega, servo.phi});
  }
  return events;
}

/// With one-sided location around a flow that is exact for any step.
std::vector<Event> located_events(const OneSidedSettings& settings, std::size_t number) {
  const ServoConditions conditions;
  const ConditionTree s1 = conditions.staying({conditions.p2, conditions.p3});
  const ConditionTree s2 = conditions.staying({conditions.p1, conditions.p3});
  const ConditionTree s3 = conditions.staying({conditions.p1, conditions.p2, conditions.reset});
  const OneSided location(settings);
  const double longest = 0.02;  // what an integrator would ask for
  std::vector<Event> events;
  Servo servo;
  while (events.size() < number) {
    const ConditionTree& staying = servo.force == 0 ? s3 : servo.force > 0 ? s1 : s2;
    double g[3], rates[3];
    servo.values(g);
    servo.rates(rates);
    if (location.place(staying, g, rates, servo.t) == OneSided::Place::Inside) {
      servo.flow(std::min(longest, location.longest_step(staying, g, rates)));
      double next[3];
      servo.values(next);
      EXPECT_FALSE(location.is_outside(staying, g, next)) << "at " << servo.t;
      continue;
    }
    events.push_back({servo.t, servo.omega, servo.phi});
    std::vector<std::uint32_t> reached;
    location.at_boundary(staying, g, rates, servo.t, reached);
    EXPECT_EQ(reached, std::vector<std::uint32_t>{servo.force == 0 ? 2U : 1U});
    if (servo.force != 0) {
      servo.force = 0;
    } else {
      servo.saw = 0;
      servo.force = servo.x() < 0 ? -1 : 1;
    }
  }
  return events;
}

TEST(OneSided, ServoOfThePaper) {
  const std::vector<Event> exact = exact_events(10);
  EXPECT_NEAR(exact[0].t, (std::sqrt(6.0) - 2) / 10, 1e-15);
  EXPECT_NEAR(exact[6].t, 0.324904798842562458882163581471, 1e-14);

  const std::vector<Event> located = located_events({0.6, 1e-6}, 20);
  // Table 1 gives for this method, with gamma = 0.6 and a least step of 1e-6, errors of 1.5e-6 in time, 1.5e-4 in
  // speed and 6.5e-6 in angle at event 1, and of 1.3e-5, 8.4e-5 and 7.1e-5 at event 7. Ours are as small, and inside.
  EXPECT_LT(located[0].t, exact[0].t);
  EXPECT_NEAR(located[0].t, exact[0].t, 2.5e-6);
  EXPECT_NEAR(located[0].omega, exact[0].omega, 2.5e-4);
  EXPECT_NEAR(located[0].phi, exact[0].phi, 1.2e-5);
  EXPECT_NEAR(located[6].t, exact[6].t, 1.5e-5);
  EXPECT_NEAR(located[6].omega, exact[6].omega, 1e-3);
  EXPECT_NEAR(located[6].phi, exact[6].phi, 8e-5);
  // The first event of a period ends a pulse, the second is the reset: each is early by less than the limit allows.
  for (std::size_t i = 1; i < located.size(); ++i) EXPECT_NEAR(located[i].t, exact[i].t, 1e-4);
}

TEST(OneSided, ErrorIsProportionalToTheLeastStep) {
  const std::vector<Event> exact = exact_events(4);
  for (const double least : {1e-4, 1e-6, 1e-8, 1e-10}) {
    const std::vector<Event> located = located_events({0.6, least}, 1);
    EXPECT_LE(exact[0].t - located[0].t, 2.51 * least);
    EXPECT_GE(exact[0].t - located[0].t, 0.0);
  }
  for (const double gamma : {0.3, 0.6, 0.9}) {
    const std::vector<Event> located = located_events({gamma, 1e-8}, 7);
    for (std::size_t i = 0; i < 7; ++i) EXPECT_NEAR(located[i].t, exact[i].t, 1e-8 / (1 - gamma) * 10);
  }
}

}  // namespace
}  // namespace hyla::solve
