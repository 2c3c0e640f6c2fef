#include <algorithm>
#include <bit>
#include <numeric>

#include <gtest/gtest.h>

#include "structure/testing.h"

namespace hyla::structure {
namespace {

std::vector<Block> order(const Incidence& incidence) { return blocks(incidence, match(incidence)); }

/// Every equation and unknown is in one block, and every block can be computed when the ones before it are.
void expect_executable(const Incidence& incidence, const std::vector<Block>& blocks) {
  std::vector<bool> known(incidence.unknowns, false), used(incidence.equations(), false);
  const auto step = [&](std::uint32_t equation, std::uint32_t unknown) {
    for (std::uint32_t k = incidence.starts[equation]; k < incidence.starts[equation + 1]; ++k) {
      EXPECT_TRUE(known[incidence.columns[k]] || incidence.columns[k] == unknown);
    }
    const std::uint32_t entry = find_entry(incidence, equation, unknown);
    EXPECT_TRUE(entry != kNothing && incidence.explicit_for[entry] != 0);
    EXPECT_FALSE(known[unknown] || used[equation]);
    known[unknown] = used[equation] = true;
  };
  for (const Block& block : blocks) {
    EXPECT_EQ(block.equations.size(), block.unknowns.size());
    EXPECT_EQ(block.tears.size(), block.residuals.size());
    if (!block.is_loop) {
      EXPECT_TRUE(block.inner.empty() && block.tears.empty() && block.equations.size() == 1);
      step(block.equations.front(), block.unknowns.front());
      continue;
    }
    EXPECT_EQ(block.inner.size() + block.tears.size(), block.unknowns.size());
    for (const std::uint32_t unknown : block.tears) {
      EXPECT_FALSE(known[unknown]);
      known[unknown] = true;
    }
    for (const Block::Step& inner : block.inner) step(inner.equation, inner.unknown);
    for (const std::uint32_t equation : block.residuals) {
      EXPECT_FALSE(used[equation]);
      used[equation] = true;
      for (std::uint32_t k = incidence.starts[equation]; k < incidence.starts[equation + 1]; ++k) {
        EXPECT_TRUE(known[incidence.columns[k]]);
      }
    }
    for (const std::uint32_t unknown : block.unknowns) EXPECT_TRUE(known[unknown]);
    for (const std::uint32_t equation : block.equations) EXPECT_TRUE(used[equation]);
  }
  EXPECT_EQ(std::count(known.begin(), known.end(), true), static_cast<std::ptrdiff_t>(incidence.unknowns));
}

/// Equations that need each other, by reachability of everything from everything (Warshall).
std::size_t count_components(const Incidence& incidence, const Matching& matching) {
  const std::size_t size = incidence.unknowns;
  std::vector<std::uint32_t> needs(size);
  for (std::uint32_t e = 0; e < size; ++e) {
    needs[e] = 1U << e;
    for (std::uint32_t k = incidence.starts[e]; k < incidence.starts[e + 1]; ++k) {
      needs[e] |= 1U << matching.equation_of_unknown[incidence.columns[k]];
    }
  }
  for (std::uint32_t via = 0; via < size; ++via) {
    for (std::uint32_t e = 0; e < size; ++e) {
      if ((needs[e] >> via & 1U) != 0) needs[e] |= needs[via];
    }
  }
  std::size_t components = 0;
  for (std::uint32_t e = 0; e < size; ++e) {
    bool first = true;
    for (std::uint32_t other = 0; other < e; ++other) {
      if ((needs[e] >> other & 1U) != 0 && (needs[other] >> e & 1U) != 0) first = false;
    }
    if (first) ++components;
  }
  return components;
}

/// The least number of tears, by trying all sets of unknowns of the block.
std::size_t fewest_tears(const Incidence& incidence, const Block& block) {
  const std::uint32_t size = static_cast<std::uint32_t>(block.unknowns.size());
  std::size_t fewest = size;
  for (std::uint32_t tears = 0; tears < 1U << size; ++tears) {
    std::vector<bool> known(incidence.unknowns, true);
    for (std::uint32_t i = 0; i < size; ++i) known[block.unknowns[i]] = (tears >> i & 1U) != 0;
    std::uint32_t count = static_cast<std::uint32_t>(std::popcount(tears));
    for (bool found = true; found;) {
      found = false;
      for (const std::uint32_t equation : block.equations) {
        std::uint32_t left = 0, entry = kNothing;
        for (std::uint32_t k = incidence.starts[equation]; k < incidence.starts[equation + 1]; ++k) {
          if (!known[incidence.columns[k]]) ++left, entry = k;
        }
        if (left != 1 || incidence.explicit_for[entry] == 0) continue;
        known[incidence.columns[entry]] = found = true;
        ++count;
      }
    }
    if (count == size) fewest = std::min(fewest, static_cast<std::size_t>(std::popcount(tears)));
  }
  return fewest;
}

/// Equation i contains unknown i, so that a complete matching exists.
Incidence draw_solvable(Random& random, std::uint32_t size, std::uint32_t density, std::uint32_t formulas) {
  std::vector<std::uint32_t> diagonal(size);
  std::iota(diagonal.begin(), diagonal.end(), 0U);
  std::shuffle(diagonal.begin(), diagonal.end(), random);
  Incidence incidence;
  incidence.unknowns = size;
  for (std::uint32_t e = 0; e < size; ++e) {
    std::vector<Entry> entries;
    for (std::uint32_t u = 0; u < size; ++u) {
      if (u == diagonal[e] || draw(random, 100) < density) entries.push_back({u, draw(random, 100) < formulas});
    }
    add_equation(incidence, entries);
  }
  return incidence;
}

TEST(Blocks, nothing) { EXPECT_TRUE(order(Incidence{}).empty()); }

TEST(Blocks, chain_is_sorted) {
  // x2 = 1, x0 = f(x1), x1 = g(x2), written in any order.
  const Incidence incidence = make(3, {{by_formula(0), in(1)}, {by_formula(1), in(2)}, {by_formula(2)}});
  const std::vector<Block> result = order(incidence);
  ASSERT_EQ(result.size(), 3U);
  EXPECT_EQ(result[0].unknowns.front(), 2U);
  EXPECT_EQ(result[1].unknowns.front(), 1U);
  EXPECT_EQ(result[2].unknowns.front(), 0U);
  for (const Block& block : result) EXPECT_FALSE(block.is_loop);
  expect_executable(incidence, result);
}

TEST(Blocks, one_equation_that_must_be_solved_is_a_loop) {
  const std::vector<Block> result = order(make(1, {{in(0)}}));
  ASSERT_EQ(result.size(), 1U);
  EXPECT_TRUE(result[0].is_loop);
  EXPECT_EQ(result[0].tears, std::vector<std::uint32_t>{0});
  EXPECT_EQ(result[0].residuals, std::vector<std::uint32_t>{0});
  EXPECT_TRUE(result[0].inner.empty());
}

TEST(Blocks, two_amplifiers_in_a_circle_have_one_tear) {
  // Source u0 = 1; first amplifier u1 = a * (u0 - u2); second u2 = b * u1; a meter u3 = u2 behind them.
  const Incidence incidence =
      make(4, {{by_formula(3), in(2)}, {by_formula(1), in(0), in(2)}, {by_formula(2), in(1)}, {by_formula(0)}});
  const std::vector<Block> result = order(incidence);
  ASSERT_EQ(result.size(), 3U);
  EXPECT_EQ(result[0].unknowns, std::vector<std::uint32_t>{0});
  EXPECT_EQ(result[1].unknowns, (std::vector<std::uint32_t>{1, 2}));
  EXPECT_TRUE(result[1].is_loop);
  EXPECT_EQ(result[1].tears.size(), 1U);
  EXPECT_EQ(result[2].unknowns, std::vector<std::uint32_t>{3});
  expect_executable(incidence, result);
}

TEST(Blocks, an_equation_may_be_turned_round_inside_a_loop) {
  // The matching pairs equation i with unknown i, but given x0 the steps are x1 from equation 0, x2 from equation 1.
  const Incidence incidence = make(3, {{in(0), by_formula(1)}, {in(1), by_formula(2)}, {in(2), in(0)}});
  const std::vector<Block> result = order(incidence);
  ASSERT_EQ(result.size(), 1U);
  EXPECT_EQ(result[0].tears, std::vector<std::uint32_t>{0});
  EXPECT_EQ(result[0].residuals, std::vector<std::uint32_t>{2});
  expect_executable(incidence, result);
}

TEST(Blocks, are_torn_at_what_is_preferred_where_as_few_will_do) {
  // y = 12 - x, z = x^2, y = z: x and y would do, z would not.
  Incidence incidence =
      make(3, {{by_formula(0), by_formula(1)}, {in(1), by_formula(2)}, {by_formula(0), by_formula(2)}});
  for (const std::uint32_t preferred : {0U, 1U}) {
    incidence.preferred.assign(3, 0);
    incidence.preferred[preferred] = 1;
    const std::vector<Block> found = order(incidence);
    expect_executable(incidence, found);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].tears, std::vector<std::uint32_t>{preferred});
  }
}

TEST(Blocks, large_loops_are_torn_at_what_is_preferred) {
  // A circle of formulas: each gives the next one.
  constexpr std::uint32_t kSize = 30, kPreferred = 17;
  Incidence incidence;
  incidence.unknowns = kSize;
  for (std::uint32_t i = 0; i < kSize; ++i) add_equation(incidence, {in(i), by_formula((i + 1) % kSize)});
  incidence.preferred.assign(kSize, 0);
  incidence.preferred[kPreferred] = 1;
  const std::vector<Block> found = order(incidence);
  expect_executable(incidence, found);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].tears, std::vector<std::uint32_t>{kPreferred});
}

TEST(Blocks, are_right_for_random_incidences) {
  Random random(3);
  for (int i = 0; i < 2000; ++i) {
    const Incidence incidence = draw_solvable(random, 1 + draw(random, 8), 5 + draw(random, 50), 20 + draw(random, 81));
    const Matching matching = match(incidence);
    ASSERT_EQ(matching.size, incidence.unknowns);
    const std::vector<Block> result = blocks(incidence, matching);
    expect_executable(incidence, result);
    EXPECT_EQ(result.size(), count_components(incidence, matching)) << "incidence " << i;
    for (const Block& block : result) {
      const std::size_t expected = block.is_loop ? fewest_tears(incidence, block) : 0;
      EXPECT_EQ(block.tears.size(), expected) << "incidence " << i;
    }
  }
}

TEST(Blocks, large_loops_have_few_tears) {
  Random random(4);
  std::size_t tears = 0, fewest = 0;
  for (int i = 0; i < 60; ++i) {
    const Incidence incidence = draw_solvable(random, 12, 15 + draw(random, 20), 60 + draw(random, 41));
    const std::vector<Block> result = order(incidence);
    expect_executable(incidence, result);
    for (const Block& block : result) {
      if (!block.is_loop) continue;
      tears += block.tears.size();
      fewest += fewest_tears(incidence, block);
    }
  }
  EXPECT_LE(static_cast<double>(tears), 1.1 * static_cast<double>(fewest)) << tears << " of " << fewest;
}

TEST(Blocks, a_ladder_of_resistors_has_one_tear) {
  // Voltages v0 to vn, currents i1 to in: i_k = (v_{k-1} - v_k) / r and i_k = i_{k+1} + v_k / s, open at the end. From
  // the last voltage everything follows backwards, and the residual is the source's equation.
  const std::uint32_t cells = 50;
  const auto voltage = [](std::uint32_t k) { return k; };
  const auto current = [&](std::uint32_t k) { return cells + k; };
  Incidence incidence;
  incidence.unknowns = 2 * cells + 1;
  add_equation(incidence, {by_formula(voltage(0))});
  for (std::uint32_t k = 1; k <= cells; ++k) {
    add_equation(incidence, {by_formula(current(k)), by_formula(voltage(k - 1)), by_formula(voltage(k))});
    std::vector<Entry> node{by_formula(current(k)), by_formula(voltage(k))};
    if (k < cells) node.push_back(by_formula(current(k + 1)));
    add_equation(incidence, node);
  }
  const std::vector<Block> result = order(incidence);
  expect_executable(incidence, result);
  ASSERT_EQ(result.size(), 2U);
  EXPECT_EQ(result[1].tears.size(), 1U);
}

}  // namespace
}  // namespace hyla::structure
