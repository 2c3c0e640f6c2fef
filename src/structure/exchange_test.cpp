// Exchanges in matchings, against trying all of them.
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "structure/testing.h"

namespace hyla::structure {
namespace {

/// Whether every equation finds an unknown if these alone may be used.
bool is_complete(const Incidence& incidence, const std::vector<std::uint8_t>& allowed) {
  Incidence part;
  part.unknowns = incidence.unknowns;
  for (std::uint32_t row = 0; row < incidence.equations(); ++row) {
    std::vector<Entry> entries;
    for (std::uint32_t k = incidence.starts[row]; k < incidence.starts[row + 1]; ++k) {
      if (allowed[incidence.columns[k]] != 0) entries.push_back(in(incidence.columns[k]));
    }
    add_equation(part, entries);
  }
  return match(part).size == incidence.equations();
}

TEST(Exchange, FindsTheExampleOfNajafi) {
  // f(x, u), g(x, z), h(x, y, z, v) with u and v given: x can be given instead of u, not of v.
  enum : std::uint32_t { x, y, z, u, v };
  const Incidence incidence = make(5, {{in(x), in(u)}, {in(x), in(z)}, {in(x), in(y), in(z), in(v)}});
  Matching matching;
  matching.unknown_of_equation = {x, z, y};
  matching.equation_of_unknown = {0, 2, 1, kNothing, kNothing};
  matching.size = 3;
  Exchange exchange(incidence);
  EXPECT_EQ(exchange.leaving_for(matching, u), (std::vector<std::uint32_t>{x, y, z}));
  EXPECT_EQ(exchange.leaving_for(matching, v), std::vector<std::uint32_t>{y});
  EXPECT_EQ(exchange.entering_for(matching, x), std::vector<std::uint32_t>{u});
  EXPECT_EQ(exchange.entering_for(matching, y), (std::vector<std::uint32_t>{u, v}));
}

TEST(Exchange, IsWhatTryingGives) {
  Random random(7);
  std::size_t tried = 0;
  for (int round = 0; round < 400; ++round) {
    const std::uint32_t equations = 1 + draw(random, 6), unknowns = equations + 1 + draw(random, 3);
    const Incidence incidence = draw_incidence(random, equations, unknowns, 35, 0);
    Matching matching = match(incidence);
    if (matching.size < equations) continue;
    Exchange exchange(incidence);
    std::vector<std::uint8_t> allowed(unknowns);
    for (const std::uint32_t one : matching.unknown_of_equation) allowed[one] = 1;
    for (std::uint32_t entering = 0; entering < unknowns; ++entering) {
      if (allowed[entering] != 0) continue;
      const std::vector<std::uint32_t> found = exchange.leaving_for(matching, entering);
      for (std::uint32_t leaving = 0; leaving < unknowns; ++leaving) {
        if (allowed[leaving] == 0) continue;
        std::vector<std::uint8_t> other = allowed;
        other[entering] = 1;
        other[leaving] = 0;
        const bool can = is_complete(incidence, other);
        ++tried;
        EXPECT_EQ(std::binary_search(found.begin(), found.end(), leaving), can);
        const std::vector<std::uint32_t> entries = exchange.entering_for(matching, leaving);
        EXPECT_EQ(std::binary_search(entries.begin(), entries.end(), entering), can);
        if (!can) continue;
        Matching changed = matching;
        exchange.carry_out(changed, entering, leaving);
        EXPECT_EQ(changed.equation_of_unknown[leaving], kNothing);
        for (std::uint32_t row = 0; row < equations; ++row) {
          const std::uint32_t partner = changed.unknown_of_equation[row];
          EXPECT_EQ(changed.equation_of_unknown[partner], row);
          EXPECT_NE(find_entry(incidence, row, partner), kNothing);
        }
      }
    }
  }
  EXPECT_GT(tried, 1000U);
}

}  // namespace
}  // namespace hyla::structure
