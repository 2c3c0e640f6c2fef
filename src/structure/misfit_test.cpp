#include <algorithm>
#include <bit>
#include <set>

#include <gtest/gtest.h>

#include "structure/testing.h"

namespace hyla::structure {
namespace {

using Numbers = std::vector<std::uint32_t>;

Misfit misfit_of(const Incidence& incidence) { return misfit(incidence, match(incidence)); }

std::set<std::uint32_t> unknowns_of(const Incidence& incidence, const Numbers& equations) {
  std::set<std::uint32_t> result;
  for (const std::uint32_t e : equations) {
    result.insert(incidence.columns.begin() + incidence.starts[e], incidence.columns.begin() + incidence.starts[e + 1]);
  }
  return result;
}

Incidence without(const Incidence& incidence, std::uint32_t equation) {
  Incidence result;
  result.unknowns = incidence.unknowns;
  for (std::uint32_t e = 0; e < incidence.equations(); ++e) {
    std::vector<Entry> entries;
    for (std::uint32_t k = incidence.starts[e]; k < incidence.starts[e + 1]; ++k) {
      if (e != equation) entries.push_back(in(incidence.columns[k]));
    }
    add_equation(result, entries);
  }
  return result;
}

TEST(Misfit, two_formulas_for_one_variable) {
  // x0 = 1, x1 = x0, x1 = 2, and nothing for x2 but x3 = x2.
  const Incidence incidence =
      make(4, {{by_formula(0)}, {by_formula(1), in(0)}, {by_formula(1)}, {by_formula(3), in(2)}});
  const Misfit result = misfit_of(incidence);
  EXPECT_EQ(result.over_equations, (Numbers{0, 1, 2}));
  EXPECT_EQ(result.over_unknowns, (Numbers{0, 1}));
  EXPECT_EQ(result.under_equations, (Numbers{3}));
  EXPECT_EQ(result.under_unknowns, (Numbers{2, 3}));
}

TEST(Misfit, nothing_is_wrong_with_a_complete_matching) {
  const Misfit result = misfit_of(make(2, {{in(0), in(1)}, {in(0)}}));
  EXPECT_TRUE(result.over_equations.empty() && result.over_unknowns.empty());
  EXPECT_TRUE(result.under_equations.empty() && result.under_unknowns.empty());
}

TEST(Misfit, an_equation_without_unknowns_is_too_much) {
  const Incidence incidence = make(1, {{by_formula(0)}, {}});
  EXPECT_EQ(misfit_of(incidence).over_equations, (Numbers{1}));
  EXPECT_TRUE(misfit_of(incidence).over_unknowns.empty());
  EXPECT_EQ(contradicting(incidence, match(incidence), 1), (Numbers{1}));
}

TEST(Misfit, leaves_the_rest_out_of_the_contradiction) {
  const Incidence incidence =
      make(4, {{by_formula(0)}, {by_formula(1), in(0)}, {by_formula(2), in(1)}, {by_formula(3)}, {in(3)}});
  EXPECT_EQ(contradicting(incidence, match(incidence), 4), (Numbers{3, 4}));
}

TEST(Misfit, finds_the_small_contradiction_beside_a_large_one) {
  // x0 is given by formula only together with x1, x1 with x2, x2 alone; twice more x0 alone.
  const Incidence incidence =
      make(3, {{by_formula(0), in(1)}, {by_formula(1), in(2)}, {by_formula(2)}, {in(0)}, {in(0)}});
  const Matching matching = match(incidence);
  ASSERT_EQ(matching.unknown_of_equation[3], kNothing);
  EXPECT_EQ(contradicting(incidence, matching, 3), (Numbers{3, 4}));
}

/// Over-determined is what is unmatched in some maximum matching: without it the matching is as large as with it.
TEST(Misfit, is_right_for_random_incidences) {
  Random random(5);
  for (int i = 0; i < 1000; ++i) {
    const Incidence incidence =
        draw_incidence(random, 1 + draw(random, 8), 1 + draw(random, 8), 10 + draw(random, 50), 50);
    const Matching matching = match(incidence);
    const Misfit result = misfit(incidence, matching);
    for (std::uint32_t e = 0; e < incidence.equations(); ++e) {
      const bool over = match(without(incidence, e)).size == matching.size;
      EXPECT_EQ(std::binary_search(result.over_equations.begin(), result.over_equations.end(), e), over);
    }
    const std::set<std::uint32_t> around = unknowns_of(incidence, result.over_equations);
    EXPECT_EQ(Numbers(around.begin(), around.end()), result.over_unknowns);
    // Too many equations by as many as are unmatched; likewise unknowns; and the parts do not meet.
    EXPECT_EQ(result.over_equations.size() - result.over_unknowns.size(), incidence.equations() - matching.size);
    EXPECT_EQ(result.under_unknowns.size() - result.under_equations.size(), incidence.unknowns - matching.size);
    for (const std::uint32_t unknown : result.under_unknowns) EXPECT_FALSE(around.contains(unknown));
  }
}

/// The size of the smallest set with `equation` that has more equations than unknowns, by trying all sets.
std::size_t smallest_contradiction(const Incidence& incidence, std::uint32_t equation) {
  std::size_t smallest = incidence.equations() + 1;
  for (std::uint32_t set = 0; set < 1U << incidence.equations(); ++set) {
    if ((set >> equation & 1U) == 0) continue;
    Numbers equations;
    for (std::uint32_t e = 0; e < incidence.equations(); ++e) {
      if ((set >> e & 1U) != 0) equations.push_back(e);
    }
    if (unknowns_of(incidence, equations).size() < equations.size()) smallest = std::min(smallest, equations.size());
  }
  return smallest;
}

TEST(Misfit, contradictions_are_small) {
  Random random(6);
  std::size_t cases = 0, smallest = 0;
  for (int i = 0; i < 300; ++i) {
    const Incidence incidence =
        draw_incidence(random, 4 + draw(random, 5), 2 + draw(random, 5), 10 + draw(random, 50), 50);
    const Matching matching = match(incidence);
    for (std::uint32_t e = 0; e < incidence.equations(); ++e) {
      if (matching.unknown_of_equation[e] != kNothing) continue;
      const Numbers set = contradicting(incidence, matching, e);
      EXPECT_TRUE(std::binary_search(set.begin(), set.end(), e));
      EXPECT_EQ(unknowns_of(incidence, set).size() + 1, set.size());
      ++cases;
      if (set.size() == smallest_contradiction(incidence, e)) ++smallest;
    }
  }
  EXPECT_GT(cases, 500U);
  EXPECT_GE(static_cast<double>(smallest), 0.9 * static_cast<double>(cases)) << smallest << " of " << cases;
}

}  // namespace
}  // namespace hyla::structure
