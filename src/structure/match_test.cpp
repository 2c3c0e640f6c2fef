#include <algorithm>
#include <utility>

#include <gtest/gtest.h>

#include "structure/testing.h"

namespace hyla::structure {
namespace {

/// Size and number of explicit entries of a matching; checks that it is one.
std::pair<std::size_t, std::size_t> measure(const Incidence& incidence, const Matching& matching) {
  std::size_t size = 0, formulas = 0;
  EXPECT_EQ(matching.unknown_of_equation.size(), incidence.equations());
  EXPECT_EQ(matching.equation_of_unknown.size(), incidence.unknowns);
  for (std::uint32_t e = 0; e < incidence.equations(); ++e) {
    const std::uint32_t unknown = matching.unknown_of_equation[e];
    if (unknown == kNothing) continue;
    EXPECT_EQ(matching.equation_of_unknown[unknown], e);
    const std::uint32_t entry = find_entry(incidence, e, unknown);
    EXPECT_NE(entry, kNothing);
    ++size;
    if (incidence.explicit_for[entry] != 0) ++formulas;
  }
  const auto matched = std::count_if(matching.equation_of_unknown.begin(), matching.equation_of_unknown.end(),
                                     [](std::uint32_t equation) { return equation != kNothing; });
  EXPECT_EQ(static_cast<std::size_t>(matched), size);
  EXPECT_EQ(matching.size, size);
  return {size, formulas};
}

/// The best size, and the most explicit entries with it, by trying everything.
std::pair<std::size_t, std::size_t> best(const Incidence& incidence, std::uint32_t equation, std::uint32_t taken) {
  if (equation == incidence.equations()) return {0, 0};
  std::pair<std::size_t, std::size_t> result = best(incidence, equation + 1, taken);
  for (std::uint32_t k = incidence.starts[equation]; k < incidence.starts[equation + 1]; ++k) {
    const std::uint32_t bit = 1U << incidence.columns[k];
    if ((taken & bit) != 0) continue;
    std::pair<std::size_t, std::size_t> with = best(incidence, equation + 1, taken | bit);
    ++with.first;
    with.second += incidence.explicit_for[k];
    result = std::max(result, with);
  }
  return result;
}

TEST(Match, nothing) {
  const Matching matching = match(Incidence{});
  EXPECT_EQ(matching.size, 0U);
  EXPECT_EQ(match(make(3, {})).equation_of_unknown, std::vector<std::uint32_t>(3, kNothing));
  EXPECT_EQ(match(make(0, {{}, {}})).unknown_of_equation, std::vector<std::uint32_t>(2, kNothing));
}

TEST(Match, gives_formulas_their_own_variables) {
  // x0 = f(x1), x1 = g(x0): each contains both.
  const Incidence incidence = make(2, {{in(1), by_formula(0)}, {in(0), by_formula(1)}});
  EXPECT_EQ(match(incidence).unknown_of_equation, (std::vector<std::uint32_t>{0, 1}));
}

TEST(Match, gives_up_a_formula_for_a_larger_matching) {
  // x0 = f(x1), and x0 alone: the first must give x1.
  const Incidence incidence = make(2, {{by_formula(0), in(1)}, {in(0)}});
  EXPECT_EQ(match(incidence).unknown_of_equation, (std::vector<std::uint32_t>{1, 0}));
}

TEST(Match, gives_up_as_few_formulas_as_possible) {
  // Equation 3 needs x0; either x1's formula goes over to x2, or a chain of two formulas moves.
  const Incidence incidence =
      make(4, {{by_formula(0), in(1), in(2)}, {by_formula(1), in(3)}, {by_formula(2), by_formula(3)}, {in(0)}});
  EXPECT_EQ(measure(incidence, match(incidence)), (std::pair<std::size_t, std::size_t>{4, 2}));
}

TEST(Match, is_best_for_all_small_random_incidences) {
  Random random(1);
  for (int i = 0; i < 4000; ++i) {
    const Incidence incidence =
        draw_incidence(random, draw(random, 8), draw(random, 8), 10 + draw(random, 60), draw(random, 101));
    EXPECT_EQ(measure(incidence, match(incidence)), best(incidence, 0, 0)) << "incidence " << i;
  }
}

/// Maximum size by augmenting paths, one at a time.
class SlowMatcher {
 public:
  explicit SlowMatcher(const Incidence& incidence) : incidence_(incidence), partners_(incidence.unknowns, kNothing) {}
  std::size_t size() {
    std::size_t result = 0;
    for (std::uint32_t e = 0; e < incidence_.equations(); ++e) {
      seen_.assign(incidence_.unknowns, false);
      if (augment(e)) ++result;
    }
    return result;
  }

 private:
  bool augment(std::uint32_t equation) {
    for (std::uint32_t k = incidence_.starts[equation]; k < incidence_.starts[equation + 1]; ++k) {
      const std::uint32_t unknown = incidence_.columns[k];
      if (seen_[unknown]) continue;
      seen_[unknown] = true;
      if (partners_[unknown] == kNothing || augment(partners_[unknown])) {
        partners_[unknown] = equation;
        return true;
      }
    }
    return false;
  }
  const Incidence& incidence_;
  std::vector<std::uint32_t> partners_;
  std::vector<bool> seen_;
};

TEST(Match, is_maximum_for_larger_random_incidences) {
  Random random(2);
  for (int i = 0; i < 300; ++i) {
    const Incidence incidence =
        draw_incidence(random, 50 + draw(random, 30), 50 + draw(random, 30), 1 + draw(random, 6), draw(random, 101));
    EXPECT_EQ(measure(incidence, match(incidence)).first, SlowMatcher(incidence).size()) << "incidence " << i;
  }
}

}  // namespace
}  // namespace hyla::structure
