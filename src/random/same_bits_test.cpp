// The same numbers on every machine, with every compiler and at every level of optimisation: each distribution's draws,
// folded into one number, against values that are fixed for ever. Whoever has to change one changes the results of all
// models, and says so in CHANGELOG.md.
#include <bit>
#include <vector>

#include <gtest/gtest.h>

#include "random/distributions.h"

namespace hyla::random {
namespace {

std::uint64_t bits_of(double x) { return std::bit_cast<std::uint64_t>(x); }
std::uint64_t bits_of(std::int64_t x) { return static_cast<std::uint64_t>(x); }
std::uint64_t bits_of(bool x) { return x ? 1 : 0; }

template <class Draw>
std::uint64_t folded(const Draw& draw) {
  Stream stream = make_stream(1, "same.bits", "test", 3);
  std::uint64_t result = 0;
  for (int i = 0; i < 20'000; ++i) result = (result ^ bits_of(draw(stream))) * 0x9E3779B97F4A7C15;
  return result;
}

TEST(SameBits, OfNumbersByInversion) {
  EXPECT_EQ(folded([](Stream& s) { return s.next(); }), 10217199098326480930u);
  EXPECT_EQ(folded([](Stream& s) { return s.next_53(); }), 7696186206658498803u);
  EXPECT_EQ(folded([](Stream& s) { return uniform(s, -1, 3.7); }), 13327647165522188403u);
  EXPECT_EQ(folded([](Stream& s) { return exponential(s, 2.3); }), 7901915933296461948u);
  EXPECT_EQ(folded([](Stream& s) { return normal(s, 0.1, 1.7); }), 7010617764620814948u);
  EXPECT_EQ(folded([](Stream& s) { return lognormal(s, 0.1, 1.7); }), 7516632890356763163u);
  EXPECT_EQ(folded([](Stream& s) { return triangular(s, 0.1, 0.7, 3); }), 948182430258279960u);
  EXPECT_EQ(folded([](Stream& s) { return weibull(s, 2.2, 3.3); }), 2394008886749776425u);
  EXPECT_EQ(folded([](Stream& s) { return geometric(s, 0.01); }), 17506056719799112812u);
  EXPECT_EQ(folded([](Stream& s) { return bernoulli(s, 0.3); }), 4073340695881081488u);
}

TEST(SameBits, OfNumbersByRejection) {
  EXPECT_EQ(folded([](Stream& s) { return erlang(s, 3, 1.1); }), 4566078696447964318u);
  EXPECT_EQ(folded([](Stream& s) { return erlang(s, 30, 1.1); }), 12065720895634587250u);
  EXPECT_EQ(folded([](Stream& s) { return gamma(s, 0.3, 1.1); }), 2746854873011291178u);
  EXPECT_EQ(folded([](Stream& s) { return gamma(s, 3.3, 1.1); }), 4471344586534430924u);
  EXPECT_EQ(folded([](Stream& s) { return beta(s, 0.3, 0.9); }), 15243246121927681564u);
  EXPECT_EQ(folded([](Stream& s) { return beta(s, 3.3, 2.9); }), 1408896381823030631u);
}

TEST(SameBits, OfCounts) {
  const std::vector<double> x = {1.5, 2.5, 4.5};
  const std::vector<double> p = {0.2, 0.3, 0.5};
  EXPECT_EQ(folded([](Stream& s) { return poisson(s, 3.3); }), 9268661622927699908u);
  EXPECT_EQ(folded([](Stream& s) { return poisson(s, 333); }), 4235524622486803141u);
  EXPECT_EQ(folded([](Stream& s) { return poisson(s, 3.3e11); }), 16539226591321947598u);
  EXPECT_EQ(folded([](Stream& s) { return binomial(s, 30, 0.2); }), 1358115763820120999u);
  EXPECT_EQ(folded([](Stream& s) { return binomial(s, 3000, 0.7); }), 17380177004595414933u);
  EXPECT_EQ(folded([&](Stream& s) { return discrete(s, p); }), 14058470314497566295u);
  EXPECT_EQ(folded([&](Stream& s) { return empirical(s, x, p); }), 18414092976411115520u);
}

}  // namespace
}  // namespace hyla::random
