#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "structure/testing.h"

namespace hyla::structure {
namespace {

using Numbers = std::vector<std::uint32_t>;

/// An unknown of an equation, differentiated so often.
struct Occurrence {
  std::uint32_t unknown = 0;
  std::uint8_t order = 0;
};
Occurrence value(std::uint32_t unknown) { return {unknown, 0}; }
Occurrence der(std::uint32_t unknown) { return {unknown, 1}; }

void add_equation(Signature& signature, const std::vector<Occurrence>& occurrences) {
  std::vector<Entry> entries;
  for (const Occurrence& one : occurrences) {
    entries.push_back(in(one.unknown));
    signature.orders.push_back(one.order);
  }
  add_equation(signature.incidence, entries);
}

Signature sign(std::size_t unknowns, std::initializer_list<std::vector<Occurrence>> equations) {
  Signature signature;
  signature.incidence.unknowns = unknowns;
  for (const std::vector<Occurrence>& one : equations) add_equation(signature, one);
  return signature;
}

TEST(Offsets, ordinary_differential_equations_stay_as_they_are) {
  // x' = f(y), y' = g(z), z = h(x)
  const Offsets result = offsets(sign(3, {{der(0), value(1)}, {der(1), value(2)}, {value(2), value(0)}}));
  ASSERT_TRUE(result.exist);
  EXPECT_EQ(result.equations, (Numbers{0, 0, 0}));
  EXPECT_EQ(result.unknowns, (Numbers{1, 1, 0}));
  EXPECT_EQ(result.freedom(), 2U);
}

TEST(Offsets, index_one_needs_no_differentiation) {
  // x' = z, 0 = x + sin z; and x' + y' = 1, x' - y' = t: both derivatives from two equations.
  EXPECT_EQ(offsets(sign(2, {{der(0), value(1)}, {value(0), value(1)}})).equations, (Numbers{0, 0}));
  EXPECT_EQ(offsets(sign(2, {{der(0), der(1)}, {der(0), der(1)}})).equations, (Numbers{0, 0}));
}

TEST(Offsets, pendulum) {
  // x' = vx, y' = vy, vx' = -p x, vy' = -p y - g, x^2 + y^2 = 1; unknowns x y vx vy p.
  const Signature pendulum = sign(5, {{der(0), value(2)},
                                      {der(1), value(3)},
                                      {der(2), value(4), value(0)},
                                      {der(3), value(4), value(1)},
                                      {value(0), value(1)}});
  const Offsets result = offsets(pendulum);
  ASSERT_TRUE(result.exist);
  EXPECT_EQ(result.equations, (Numbers{1, 1, 0, 0, 2}));
  EXPECT_EQ(result.unknowns, (Numbers{2, 2, 1, 1, 0}));
  EXPECT_EQ(result.freedom(), 2U);
  const std::vector<Group> groups = constraint_groups(pendulum, result);
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].equations, (Numbers{0, 1, 4}));
  EXPECT_EQ(groups[0].unknowns, (Numbers{0, 1, 2, 3}));
}

TEST(Offsets, inertias_joined_by_speed) {
  // J1 w1' = T, J2 w2' = -T, w1 = w2; unknowns w1 w2 T.
  const Offsets result = offsets(sign(3, {{der(0), value(2)}, {der(1), value(2)}, {value(0), value(1)}}));
  EXPECT_EQ(result.equations, (Numbers{0, 0, 1}));
  EXPECT_EQ(result.unknowns, (Numbers{1, 1, 0}));
  EXPECT_EQ(result.freedom(), 1U);
}

TEST(Offsets, inertias_joined_by_angle) {
  // p1' = w1, p2' = w2, w1' = T, w2' = -T, p1 = p2; unknowns p1 p2 w1 w2 T.
  const Offsets result = offsets(
      sign(5, {{der(0), value(2)}, {der(1), value(3)}, {der(2), value(4)}, {der(3), value(4)}, {value(0), value(1)}}));
  EXPECT_EQ(result.equations, (Numbers{1, 1, 0, 0, 2}));
  EXPECT_EQ(result.freedom(), 2U);
}

TEST(Offsets, loop_of_capacitors_and_cutset_of_inductors) {
  // C1 v1' = i1, C2 v2' = i2, v1 = v2, i1 + i2 = I(t); unknowns v1 v2 i1 i2.
  const Signature loop = sign(4, {{der(0), value(2)}, {der(1), value(3)}, {value(0), value(1)}, {value(2), value(3)}});
  EXPECT_EQ(offsets(loop).equations, (Numbers{0, 0, 1, 0}));
  EXPECT_EQ(offsets(loop).freedom(), 1U);
  // L1 i1' = u1, L2 i2' = u2, L3 i3' = u3, i1 + i2 + i3 = 0, u1 - u2 = U, u2 - u3 = 0.
  const Signature cutset = sign(6, {{der(0), value(3)},
                                    {der(1), value(4)},
                                    {der(2), value(5)},
                                    {value(0), value(1), value(2)},
                                    {value(3), value(4)},
                                    {value(4), value(5)}});
  EXPECT_EQ(offsets(cutset).equations, (Numbers{0, 0, 0, 1, 0, 0}));
  EXPECT_EQ(offsets(cutset).freedom(), 2U);
}

TEST(Offsets, separate_constraints_are_separate_groups) {
  // Two pairs of joined inertias.
  const Signature pairs = sign(6, {{der(0), value(2)},
                                   {der(1), value(2)},
                                   {value(0), value(1)},
                                   {der(3), value(5)},
                                   {der(4), value(5)},
                                   {value(3), value(4)}});
  const std::vector<Group> groups = constraint_groups(pairs, offsets(pairs));
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].equations, (Numbers{2}));
  EXPECT_EQ(groups[0].unknowns, (Numbers{0, 1}));
  EXPECT_EQ(groups[1].equations, (Numbers{5}));
  EXPECT_EQ(groups[1].unknowns, (Numbers{3, 4}));
}

TEST(Offsets, singular_systems_have_none) {
  // The pull of the pendulum is missing, so its constraint would have to be differentiated for ever.
  EXPECT_FALSE(offsets(sign(3, {{der(0)}, {der(1)}, {value(0), value(1)}})).exist);
  EXPECT_FALSE(offsets(sign(2, {{der(0)}, {der(0)}})).exist);
  EXPECT_FALSE(offsets(sign(2, {{der(0), value(1)}})).exist);
}

// --- against brute force --------------------------------------------------------------------------

constexpr std::uint32_t kLargest = 5, kMostOften = 4;

int order_at(const Signature& signature, std::uint32_t equation, std::uint32_t unknown) {
  const std::uint32_t entry = find_entry(signature.incidence, equation, unknown);
  return entry == kNothing ? -1 : signature.orders[entry];
}

/// The permutation with most derivatives; empty if there is none.
Numbers best_transversal(const Signature& signature) {
  Numbers partners(signature.incidence.unknowns), best;
  std::iota(partners.begin(), partners.end(), 0U);
  int most = -1;
  do {
    int sum = 0;
    for (std::uint32_t e = 0; e < partners.size() && sum >= 0; ++e) {
      const int order = order_at(signature, e, partners[e]);
      sum = order < 0 ? -1 : sum + order;
    }
    if (sum <= most) continue;
    most = sum;
    best = partners;
  } while (std::next_permutation(partners.begin(), partners.end()));
  return best;
}

/// Whether differentiating so often is enough, and no unknown is left without an equation at its highest derivative.
bool suits(const Signature& signature, const Numbers& transversal, const Numbers& times) {
  for (std::uint32_t e = 0; e < times.size(); ++e) {
    const int highest = static_cast<int>(times[e]) + order_at(signature, e, transversal[e]);
    for (std::uint32_t other = 0; other < times.size(); ++other) {
      const int order = order_at(signature, other, transversal[e]);
      if (order >= 0 && static_cast<int>(times[other]) + order > highest) return false;
    }
  }
  return true;
}

TEST(Offsets, are_the_smallest_for_small_random_signatures) {
  Random random(5);
  int solvable = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::uint32_t size = 1 + draw(random, kLargest - 1);
    Signature signature;
    signature.incidence = draw_incidence(random, size, size, 20 + draw(random, 60), 0);
    for (std::size_t k = 0; k < signature.incidence.columns.size(); ++k) {
      signature.orders.push_back(draw(random, 100) < 45 ? 1 : 0);
    }
    const Offsets found = offsets(signature);
    const Numbers transversal = best_transversal(signature);
    ASSERT_EQ(found.exist, !transversal.empty()) << "signature " << i;
    if (!found.exist) continue;
    ++solvable;
    EXPECT_TRUE(suits(signature, transversal, found.equations)) << "signature " << i;
    for (std::uint32_t e = 0; e < size; ++e) {
      const auto highest = found.equations[e] + static_cast<std::uint32_t>(order_at(signature, e, transversal[e]));
      EXPECT_EQ(found.unknowns[transversal[e]], highest) << "signature " << i;
    }
    // The smallest numbers suit in every place at once, so whatever suits is nowhere below them.
    Numbers times(size, 0);
    for (bool more = true; more;) {
      if (suits(signature, transversal, times)) {
        for (std::uint32_t e = 0; e < size; ++e) EXPECT_GE(times[e], found.equations[e]) << "signature " << i;
      }
      std::uint32_t e = 0;
      while (e < size && ++times[e] > kMostOften) times[e++] = 0;
      more = e < size;
    }
  }
  EXPECT_GT(solvable, 500);
}

/// A chain of inertias, each joined rigidly to the next: one motion remains.
TEST(Offsets, long_chain_of_joined_inertias) {
  constexpr std::uint32_t kCount = 50'000;
  Signature chain;
  chain.incidence.unknowns = 2 * kCount - 1;  // speeds, then torques between them
  for (std::uint32_t i = 0; i < kCount; ++i) {
    std::vector<Occurrence> inertia{der(i)};
    if (i > 0) inertia.push_back(value(kCount + i - 1));
    if (i + 1 < kCount) inertia.push_back(value(kCount + i));
    add_equation(chain, inertia);
    if (i > 0) add_equation(chain, {value(i - 1), value(i)});
  }
  const Offsets result = offsets(chain);
  ASSERT_TRUE(result.exist);
  EXPECT_EQ(result.freedom(), 1U);
  EXPECT_EQ(constraint_groups(chain, result).size(), 1U);
}

}  // namespace
}  // namespace hyla::structure
