#include <algorithm>

#include <gtest/gtest.h>

#include "structure/testing.h"

namespace hyla::structure {
namespace {

using Numbers = std::vector<std::uint32_t>;

void expect_separate(const Incidence& incidence, const Numbers& colours, std::size_t count) {
  for (const std::uint32_t colour : colours) EXPECT_LT(colour, count);
  for (std::uint32_t row = 0; row < incidence.equations(); ++row) {
    std::vector<bool> taken(count, false);
    for (std::uint32_t k = incidence.starts[row]; k < incidence.starts[row + 1]; ++k) {
      const std::uint32_t colour = colours[incidence.columns[k]];
      EXPECT_FALSE(taken[colour]);
      taken[colour] = true;
    }
  }
}

TEST(Colour, band_needs_its_width) {
  const std::uint32_t size = 100;
  Incidence incidence;
  incidence.unknowns = size;
  for (std::uint32_t i = 0; i < size; ++i) {
    std::vector<Entry> entries;
    for (std::uint32_t k = std::max(i, 1U) - 1; k < std::min(i + 2, size); ++k) entries.push_back(in(k));
    add_equation(incidence, entries);
  }
  Numbers colours;
  EXPECT_EQ(colour_columns(incidence, colours), 3U);
  expect_separate(incidence, colours, 3);
}

TEST(Colour, diagonal_needs_one_and_a_full_row_all) {
  Numbers colours;
  EXPECT_EQ(colour_columns(make(3, {{in(0)}, {in(1)}, {in(2)}}), colours), 1U);
  EXPECT_EQ(colours, (Numbers{0, 0, 0}));
  EXPECT_EQ(colour_columns(make(3, {{in(2)}, {in(0), in(2), in(1)}}), colours), 3U);
  EXPECT_EQ(colour_columns(Incidence{}, colours), 0U);
  EXPECT_EQ(colour_columns(make(2, {}), colours), 1U);
}

TEST(Colour, is_right_for_random_patterns) {
  Random random(7);
  for (int i = 0; i < 300; ++i) {
    const Incidence incidence = draw_incidence(random, draw(random, 30), draw(random, 30), draw(random, 40), 0);
    Numbers colours;
    const std::size_t count = colour_columns(incidence, colours);
    ASSERT_EQ(colours.size(), incidence.unknowns);
    expect_separate(incidence, colours, count);
    std::size_t longest = 0;
    for (std::uint32_t row = 0; row < incidence.equations(); ++row) {
      longest = std::max<std::size_t>(longest, incidence.starts[row + 1] - incidence.starts[row]);
    }
    EXPECT_GE(count, longest);
  }
}

TEST(Components, are_numbered_by_their_first_nodes) {
  EXPECT_EQ(components(6, {{4, 2}, {5, 0}, {2, 1}}), (Numbers{0, 1, 1, 2, 1, 0}));
  EXPECT_EQ(components(3, {}), (Numbers{0, 1, 2}));
  EXPECT_TRUE(components(0, {}).empty());
}

TEST(Components, agree_with_spreading_labels) {
  Random random(8);
  for (int i = 0; i < 300; ++i) {
    const std::uint32_t nodes = 1 + draw(random, 20);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges(draw(random, 20));
    for (auto& [one, other] : edges) one = draw(random, nodes), other = draw(random, nodes);
    Numbers labels(nodes);
    for (std::uint32_t node = 0; node < nodes; ++node) labels[node] = node;
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& [one, other] : edges) {
        if (labels[one] == labels[other]) continue;
        labels[one] = labels[other] = std::min(labels[one], labels[other]);
        changed = true;
      }
    }
    Numbers expected(nodes);
    std::uint32_t count = 0;
    for (std::uint32_t node = 0; node < nodes; ++node) {
      expected[node] = labels[node] == node ? count++ : expected[labels[node]];
    }
    EXPECT_EQ(components(nodes, edges), expected);
  }
}

}  // namespace
}  // namespace hyla::structure
