#include "random/stream.h"

#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "random/testing.h"

namespace hyla::random {
namespace {

using testing::kDraws;
using testing::kSignificance;

// The second method: matrices modulo m with the % operator, and squares instead of tables.
using Matrix = std::array<std::array<std::uint64_t, 3>, 3>;

Matrix product(const Matrix& a, const Matrix& b, std::uint64_t m) {
  Matrix result{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k) result[i][j] = (result[i][j] + a[i][k] * b[k][j] % m) % m;
  return result;
}

Matrix squared(Matrix a, int times, std::uint64_t m) {
  for (int i = 0; i < times; ++i) a = product(a, a, m);
  return a;
}

std::uint64_t inverse(std::uint64_t a, std::uint64_t m) {  // by Fermat's theorem
  std::uint64_t result = 1;
  for (std::uint64_t e = m - 2; e != 0; e >>= 1, a = a * a % m)
    if (e & 1) result = result * a % m;
  return result;
}

Stream moved(const Stream& stream, const Matrix& a1, const Matrix& a2) {
  Stream::State state{};
  for (std::size_t i = 0; i < 3; ++i) {
    std::uint64_t x = 0;
    std::uint64_t y = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      x = (x + a1[i][j] * stream.state()[j] % kModulus1) % kModulus1;
      y = (y + a2[i][j] * stream.state()[j + 3] % kModulus2) % kModulus2;
    }
    state[i] = static_cast<std::uint32_t>(x);
    state[i + 3] = static_cast<std::uint32_t>(y);
  }
  return Stream(state);
}

const Matrix kStep1 = {{{0, 1, 0}, {0, 0, 1}, {kModulus1 - 810728, 1403580, 0}}};
const Matrix kStep2 = {{{0, 1, 0}, {0, 0, 1}, {kModulus2 - 1370589, 0, 527612}}};

Stream moved_by_power_of_two(const Stream& stream, int log2_of_steps) {
  return moved(stream, squared(kStep1, log2_of_steps, kModulus1), squared(kStep2, log2_of_steps, kModulus2));
}

Stream moved_back_by_power_of_two(const Stream& stream, int log2_of_steps) {
  const std::uint64_t i1 = inverse(810728, kModulus1);
  const std::uint64_t i2 = inverse(1370589, kModulus2);
  const Matrix back1 = {{{1403580 * i1 % kModulus1, 0, kModulus1 - i1}, {1, 0, 0}, {0, 1, 0}}};
  const Matrix back2 = {{{0, 527612 * i2 % kModulus2, kModulus2 - i2}, {1, 0, 0}, {0, 1, 0}}};
  return moved(stream, squared(back1, log2_of_steps, kModulus1), squared(back2, log2_of_steps, kModulus2));
}

double antithetic(Stream& stream) { return 1 - stream.next(); }

TEST(Stream, GivesThePublishedNumbers) {
  Stream stream;
  EXPECT_NEAR(stream.next(), 0.127011122046577, 1e-15);
  EXPECT_NEAR(stream.next(), 0.318527565396794, 1e-15);
  EXPECT_NEAR(stream.next(), 0.309186015583, 1e-12);
}

TEST(Stream, StartsStreamsAtThePublishedStates) {
  EXPECT_EQ(Stream::numbered(0), Stream());
  EXPECT_EQ(Stream::numbered(1).state(),
            (Stream::State{3692455944, 1366884236, 2968912127, 335948734, 4161675175, 475798818}));
  EXPECT_EQ(Stream::numbered(2).state(),
            (Stream::State{1015873554, 1310354410, 2249465273, 994084013, 2912484720, 3876682925}));
}

TEST(Stream, SkipsAsRepeatedSquaringDoes) {
  const Stream first;
  EXPECT_EQ(Stream::numbered(1), moved_by_power_of_two(first, 127));
  EXPECT_EQ(Stream::numbered(2), moved_by_power_of_two(first, 128));
  EXPECT_EQ(first.skipped(0, 1), moved_by_power_of_two(first, 76));
  for (int bit = 0; bit < 64; ++bit) {
    const std::uint64_t number = std::uint64_t{1} << bit;
    EXPECT_EQ(Stream::numbered(number), moved_by_power_of_two(first, 127 + bit)) << bit;
    EXPECT_EQ(first.skipped(0, number), moved_by_power_of_two(first, 76 + bit)) << bit;
  }
  EXPECT_EQ(first.skipped(0, std::uint64_t{1} << 51), Stream::numbered(1));
}

TEST(Stream, AddsSkipsDigitByDigit) {
  const Stream start = Stream::numbered(0x0123456789ABCDEF);
  Stream slow = start;
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(start.skipped(static_cast<std::uint64_t>(i), 0), slow) << i;
    slow = moved_by_power_of_two(slow, 127);
  }
  EXPECT_EQ(start.skipped(0xFEDCBA9876543210, 5), start.skipped(0, 5).skipped(0xFEDCBA9876543210, 0));
  EXPECT_EQ(Stream::numbered(0xFFFFFFFFFFFFFFFF).skipped(1, 0).skipped(7, 0),
            Stream::numbered(0xFFFFFFFFFFFFFFFF).skipped(8, 0));
}

TEST(Stream, StepsAsTheMatricesDo) {
  Stream stream = Stream::numbered(12345);
  const Stream start = stream;
  for (int i = 0; i < (1 << 16); ++i) stream.next();
  EXPECT_EQ(stream, moved_by_power_of_two(start, 16));
  EXPECT_EQ(moved_back_by_power_of_two(stream, 16), start);
}

// The test program of the RngStreams package, whose authors publish the sum.
TEST(Stream, GivesThePublishedSumOfTheReferenceProgram) {
  Stream g1;
  Stream g2 = Stream::numbered(1);
  Stream g3 = Stream::numbered(2);
  double sum = g2.next() + g3.next();
  for (int i = 0; i < 35; ++i) g1.next();
  sum += 2 * g1.next();  // the program gets there in two ways
  g1 = Stream();
  std::int64_t whole = 0;
  for (int i = 0; i < 35; ++i) whole += 1 + static_cast<std::int64_t>(10 * g1.next());
  sum += static_cast<double>(whole) / 100;
  for (int i = 0; i < 100; ++i) sum += g3.next() / 10;
  g3 = Stream::numbered(2);
  for (int i = 0; i < 5; ++i) sum += g3.next();
  for (int i = 0; i < 2; ++i) {
    g3 = Stream::numbered(2).skipped(0, 4);
    for (int j = 0; j < 5; ++j) sum += g3.next();
  }
  g2 = Stream::numbered(1).skipped(0, 1);
  for (int i = 0; i < 100'000; ++i) sum += g2.next() / 10000;
  for (int i = 0; i < 100'000; ++i) sum += antithetic(g3) / 10000;

  const Stream other({1, 1, 1, 1, 1, 1});
  std::array<Stream, 4> four = {other, other.skipped(1, 0), other.skipped(2, 0), other.skipped(3, 0)};
  for (Stream& stream : four) sum += stream.next();
  four[2] = moved_back_by_power_of_two(four[2], 127);
  sum += four[2].next();
  four[2] = other.skipped(2, 1);
  for (int i = 0; i < 100'000; ++i) sum += four[2].next_53() / 10000;
  for (int i = 0; i < 100'000; ++i) sum += (1 - four[2].next_53()) / 10000;
  for (Stream& stream : four) sum += stream.next();
  EXPECT_NEAR(sum, 39.697547445251, 1e-12);
}

TEST(Stream, StaysBetweenZeroAndOne) {
  // States whose next number is as small and as great as can be: both sums are congruent, or differ by 1.
  Stream greatest({0, 0, 1, 0, 1, 0});
  Stream wrapping({0, 0, 1000, 0, 1, 0});  // with the second draw the sum passes 1 and begins again at 0
  EXPECT_EQ(greatest.next(), 4294967087.0 * 2.328306549295727688e-10);
  const double wrapped = wrapping.next_53();
  EXPECT_TRUE(wrapped > 0 && wrapped < 0x1p-24) << wrapped;
  Stream least({0, static_cast<std::uint32_t>(inverse(1403580, kModulus1)), 0, 0, 1, 0});
  EXPECT_EQ(least.next(), 2.328306549295727688e-10);
  Stream stream;
  for (int i = 0; i < kDraws; ++i) {
    const double u = stream.next_53();
    ASSERT_TRUE(u > 0 && u < 1);
  }
}

TEST(Stream, IsUniform) {
  for (Stream stream : testing::test_streams()) {
    const auto cdf = [](double x) { return x; };
    const auto coarse = testing::draws(stream, [](Stream& s) { return s.next(); });
    EXPECT_GT(testing::kolmogorov_smirnov(coarse, cdf), kSignificance);
    const auto fine = testing::draws(stream, [](Stream& s) { return s.next_53(); });
    EXPECT_GT(testing::kolmogorov_smirnov(fine, cdf), kSignificance);
    testing::expect_moments(fine, {0.5, 1.0 / 12}, "next_53");
  }
}

TEST(StreamKey, IsFixedForEver) {
  EXPECT_EQ(stream_key(0, "", ""), 16623210756391048450u);
  EXPECT_EQ(stream_key(1, "", ""), 4647718415175195998u);
  EXPECT_EQ(stream_key(1, "plant.machine[3]", "breakdown"), 13264625167303511493u);
  EXPECT_EQ(StreamKey(1, "plant.machine[3]").for_purpose(7), 8606386938749460241u);
  EXPECT_EQ(stream_key(0xFFFFFFFFFFFFFFFF, "ω", "draws"), 16176820647000415260u);
}

TEST(StreamKey, MakesTheStreamOfThatNumber) {
  const std::uint64_t key = stream_key(1, "a.b", "c");
  EXPECT_EQ(StreamKey(1, "a.b").for_purpose("c"), key);
  EXPECT_EQ(make_stream(key, 0), Stream::numbered(key));
  EXPECT_EQ(make_stream(1, "a.b", "c", 9), Stream::numbered(key).skipped(0, 9));
}

TEST(StreamKey, TellsPathsPurposesAndSeedsApart) {
  EXPECT_NE(stream_key(1, "ab", "c"), stream_key(1, "a", "bc"));
  EXPECT_NE(stream_key(1, "as", "b"), stream_key(1, "a", "sb"));
  std::set<std::uint64_t> keys;
  std::size_t made = 0;
  for (std::uint64_t seed = 0; seed < 4; ++seed)
    for (int i = 0; i < 10'000; ++i) {
      const StreamKey key(seed, "cars[" + std::to_string(i) + "]");
      keys.insert({key.for_purpose("draws"), key.for_purpose("order"), key.for_purpose(0), key.for_purpose(1)});
      made += 4;
    }
  EXPECT_EQ(keys.size(), made);
}

TEST(StreamKey, GivesUniformFirstNumbersOverThePaths) {
  std::vector<double> firsts;
  firsts.reserve(50'000);
  for (int i = 0; i < 50'000; ++i) firsts.push_back(make_stream(1, "cars[" + std::to_string(i) + "]", "", 0).next());
  EXPECT_GT(testing::kolmogorov_smirnov(firsts, [](double x) { return x; }), kSignificance);
}

// Correlation of 45 pairs; the limit is passed by chance once in 10^5 times.
TEST(StreamKey, GivesStreamsWithoutCorrelation) {
  std::vector<std::vector<double>> samples;
  for (int i = 0; i < 5; ++i)
    for (std::uint64_t substream = 0; substream < 2; ++substream) {
      Stream stream = make_stream(1, "cars[" + std::to_string(i) + "]", "draws", substream);
      samples.push_back(testing::draws(stream, [](Stream& s) { return (s.next() - 0.5) * std::sqrt(12.0); }));
    }
  for (std::size_t i = 0; i < samples.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      for (std::size_t lag = 0; lag < 2; ++lag) {
        double sum = 0;
        for (std::size_t k = lag; k < samples[i].size(); ++k) sum += samples[i][k] * samples[j][k - lag];
        EXPECT_LT(std::fabs(sum) / std::sqrt(kDraws), 5) << i << " and " << j << " after " << lag;
      }
}

TEST(StreamKey, MakesStreamsInThreads) {
  std::vector<Stream> streams(4);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < streams.size(); ++i)
    threads.emplace_back([&streams, i] { streams[i] = make_stream(i, "a", "b", i); });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < streams.size(); ++i) EXPECT_EQ(streams[i], make_stream(i, "a", "b", i));
}

}  // namespace
}  // namespace hyla::random
