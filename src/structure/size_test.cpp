// Everything again at the size of large models. Wrong complexity shows as a time-out of the tests.
#include <numeric>

#include <gtest/gtest.h>

#include "structure/testing.h"

namespace hyla::structure {
namespace {

constexpr std::uint32_t kSize = 100'000;

std::vector<std::uint32_t> shuffled(std::uint32_t size, Random& random) {
  std::vector<std::uint32_t> result(size);
  std::iota(result.begin(), result.end(), 0U);
  for (std::uint32_t i = size; i > 1; --i) std::swap(result[i - 1], result[draw(random, i)]);
  return result;
}

/// Equation i contains unknown i and the next one, all under shuffled numbers; a ring contains the first one again.
Incidence make_chain(bool given, bool ring) {
  Random random(9);
  const std::vector<std::uint32_t> names = shuffled(kSize, random), order = shuffled(kSize, random);
  Incidence incidence;
  incidence.unknowns = kSize;
  for (const std::uint32_t i : order) {
    std::vector<Entry> entries{{names[i], given}};
    if (i + 1 < kSize || ring) entries.insert(entries.begin(), in(names[(i + 1) % kSize]));
    add_equation(incidence, entries);
  }
  return incidence;
}

std::size_t count_tears(const std::vector<Block>& blocks) {
  std::size_t tears = 0;
  for (const Block& block : blocks) tears += block.tears.size();
  return tears;
}

TEST(Size, chain_of_formulas) {
  const Incidence incidence = make_chain(true, false);
  const std::vector<Block> result = blocks(incidence, match(incidence));
  EXPECT_EQ(result.size(), kSize);
  EXPECT_EQ(count_tears(result), 0U);
}

TEST(Size, chain_of_equations) {
  const Incidence incidence = make_chain(false, false);
  const std::vector<Block> result = blocks(incidence, match(incidence));
  EXPECT_EQ(result.size(), kSize);
  EXPECT_EQ(count_tears(result), kSize);
}

TEST(Size, ring_of_formulas) {
  const Incidence incidence = make_chain(true, true);
  const std::vector<Block> result = blocks(incidence, match(incidence));
  EXPECT_EQ(result.size(), 1U);
  EXPECT_EQ(count_tears(result), 1U);
}

TEST(Size, grid_of_nodes) {
  // Every node's equation contains its four neighbours, and is explicit for all of them.
  const std::uint32_t side = 316;
  Incidence incidence;
  incidence.unknowns = side * side;
  for (std::uint32_t y = 0; y < side; ++y) {
    for (std::uint32_t x = 0; x < side; ++x) {
      std::vector<Entry> entries{by_formula(y * side + x)};
      if (x > 0) entries.push_back(by_formula(y * side + x - 1));
      if (x + 1 < side) entries.push_back(by_formula(y * side + x + 1));
      if (y > 0) entries.push_back(by_formula((y - 1) * side + x));
      if (y + 1 < side) entries.push_back(by_formula((y + 1) * side + x));
      add_equation(incidence, entries);
    }
  }
  const std::vector<Block> result = blocks(incidence, match(incidence));
  ASSERT_EQ(result.size(), 1U);
  // From the nodes along one side all others follow, row by row.
  EXPECT_LE(count_tears(result), 2 * side);
  std::vector<std::uint32_t> colours;
  EXPECT_LE(colour_columns(incidence, colours), 13U);
}

TEST(Size, random_misfit) {
  Random random(10);
  Incidence incidence;
  incidence.unknowns = kSize;
  for (std::uint32_t e = 0; e < kSize; ++e) {
    std::vector<Entry> entries{{draw(random, kSize), draw(random, 2) == 0}};
    for (int i = 0; i < 2; ++i) {
      const std::uint32_t unknown = draw(random, kSize);
      bool there = false;
      for (const Entry& entry : entries) there = there || entry.unknown == unknown;
      if (!there) entries.push_back(in(unknown));
    }
    add_equation(incidence, entries);
  }
  const Matching matching = match(incidence);
  EXPECT_LT(matching.size, incidence.unknowns);
  const Misfit result = misfit(incidence, matching);
  EXPECT_EQ(result.over_equations.size() - result.over_unknowns.size(), kSize - matching.size);
  std::uint32_t left_over = 0;
  while (matching.unknown_of_equation[left_over] != kNothing) ++left_over;
  EXPECT_FALSE(contradicting(incidence, matching, left_over).empty());
}

}  // namespace
}  // namespace hyla::structure
