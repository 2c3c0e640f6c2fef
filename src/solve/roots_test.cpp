#include "solve/roots.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace hyla::solve {
namespace {

using Function = std::function<double(double)>;

class Functions final : public Course {
 public:
  explicit Functions(std::vector<Function> functions) : functions_(std::move(functions)) {}
  std::size_t count() const override { return functions_.size(); }
  void sample(const double* times, std::size_t number, double* values) override {
    for (std::size_t r = 0; r < functions_.size(); ++r) {
      for (std::size_t k = 0; k < number; ++k) values[r * number + k] = functions_[r](times[k]);
    }
  }
  double value(std::size_t relation, double t) override { return functions_[relation](t); }

 private:
  std::vector<Function> functions_;
};

double ulp(double t) { return std::nextafter(std::fabs(t), 1e300) - std::fabs(t); }

struct Found {
  std::vector<Crossing> crossings;
  std::uint64_t uncleared = 0, samples = 0;
};

Found find(const Function& g, double begin, double end, int degree = 4, double band = 0) {
  Functions course({g});
  RootIsolator isolator;
  Found found;
  isolator.find(course, {begin, end, degree, &band, false}, found.crossings);
  found.uncleared = isolator.uncleared();
  found.samples = isolator.samples();
  return found;
}

/// What every crossing promises.
void check_promises(const Found& found, const Function& g, double begin, double end) {
  for (const Crossing& crossing : found.crossings) {
    EXPECT_GT(crossing.at, begin);
    EXPECT_LE(crossing.at, end);
    EXPECT_GE(crossing.before, begin);
    EXPECT_LT(crossing.before, crossing.at);
    if (crossing.touch) continue;
    EXPECT_LE(crossing.at - crossing.before, std::max(4 * ulp(crossing.at), (end - begin) * 0x1p-59));
    EXPECT_EQ(g(crossing.before) < 0, crossing.rising);
    EXPECT_EQ(g(crossing.at) < 0, !crossing.rising);
  }
}

double product(const std::vector<double>& roots, double t) {
  double value = 1;
  for (const double root : roots) value *= t - root;
  return value;
}

TEST(Roots, PolynomialsOfEveryDegree) {
  for (int degree = 1; degree <= 7; ++degree) {
    std::vector<double> roots;
    for (int i = 0; i < degree; ++i) roots.push_back(0.1 + 0.113 * i);
    const Function g = [&](double t) { return product(roots, t); };
    const Found found = find(g, 0, 1, degree);
    ASSERT_EQ(found.crossings.size(), roots.size()) << degree;
    check_promises(found, g, 0, 1);
    for (std::size_t i = 0; i < roots.size(); ++i) EXPECT_NEAR(found.crossings[i].at, roots[i], 4 * ulp(roots[i]));
    EXPECT_EQ(found.uncleared, 0);
  }
}

TEST(Roots, NoneFarFromZeroTakesOneRoundOfSamples) {
  const Found found = find([](double t) { return 2 + t * t * t - t; }, 0, 1);
  EXPECT_TRUE(found.crossings.empty());
  EXPECT_EQ(found.samples, 7);
}

TEST(Roots, OneCrossingTakesFewSamples) {
  const Found found = find([](double t) { return t * t - 0.3; }, 0, 1);
  ASSERT_EQ(found.crossings.size(), 1);
  EXPECT_NEAR(found.crossings[0].at, std::sqrt(0.3), 3e-16);
  EXPECT_LE(found.samples, 7 + 4);
}

TEST(Roots, TwoClose) {
  for (const double gap : {1e-4, 1e-6, 1e-9, 1e-12}) {
    for (const double place : {0.5, 0.3, 0.001, 0.98765}) {
      const Function g = [=](double t) { return (t - place) * (t - (place + gap)); };
      const Found found = find(g, 0, 1);
      ASSERT_EQ(found.crossings.size(), 2) << gap << ' ' << place;
      check_promises(found, g, 0, 1);
      EXPECT_NEAR(found.crossings[0].at, place, 4 * ulp(place));
      EXPECT_NEAR(found.crossings[1].at, place + gap, 4 * ulp(place));
      EXPECT_LT(found.samples, 1000) << gap << ' ' << place;
    }
  }
}

TEST(Roots, ThreeClose) {
  for (const double gap : {1e-3, 1e-6, 1e-9}) {
    const Function g = [=](double t) { return (t - 0.3) * (t - (0.3 + gap)) * (t - (0.3 - gap)); };
    const Found found = find(g, 0, 1);
    ASSERT_EQ(found.crossings.size(), 3) << gap;
    check_promises(found, g, 0, 1);
  }
}

TEST(Roots, MultipleRoots) {
  // A double root touches, a triple root crosses, exactly once.
  Found found = find([](double t) { return (t - 0.3) * (t - 0.3); }, 0, 1);
  ASSERT_EQ(found.crossings.size(), 1);
  EXPECT_TRUE(found.crossings[0].touch);
  EXPECT_FALSE(found.crossings[0].rising);
  EXPECT_NEAR(found.crossings[0].at, 0.3, 1e-7);
  found = find([](double t) { return -(t - 0.3) * (t - 0.3); }, 0, 1);
  ASSERT_EQ(found.crossings.size(), 1);
  EXPECT_TRUE(found.crossings[0].touch);
  EXPECT_TRUE(found.crossings[0].rising);
  for (const double place : {0.3, 0.5, 0.25, 0.7}) {
    const Function g = [=](double t) { return (t - place) * (t - place) * (t - place); };
    found = find(g, 0, 1);
    ASSERT_EQ(found.crossings.size(), 1) << place;
    EXPECT_FALSE(found.crossings[0].touch);
    check_promises(found, g, 0, 1);
    EXPECT_NEAR(found.crossings[0].at, place, 4 * ulp(place));
    EXPECT_LT(found.samples, 3000);
  }
}

TEST(Roots, DoubleRootWithRoundingNoise) {
  // Expanded, so that the values around the root are noise of about 1e-17.
  const Function g = [](double t) { return t * t - 0.6 * t + 0.09; };
  const Found found = find(g, 0, 1, 4, 1e-15);
  ASSERT_EQ(found.crossings.size(), 1);
  EXPECT_TRUE(found.crossings[0].touch);
  EXPECT_NEAR(found.crossings[0].at, 0.3, 1e-7);
  EXPECT_LT(found.samples, 300);
  // Without a band the evaluated signs decide; the search ends all the same.
  EXPECT_LT(find(g, 0, 1).samples, 3000);
}

TEST(Roots, NearTouches) {
  for (const double gap : {1e-3, 1e-6, 1e-9, 1e-12, 1e-15}) {
    for (const double sign : {1.0, -1.0}) {
      const Function g = [=](double t) { return sign * ((t - 0.3) * (t - 0.3) + gap); };
      EXPECT_TRUE(find(g, 0, 1).crossings.empty()) << gap;
      const Function deep = [=](double t) { return sign * ((t - 0.3) * (t - 0.3) - gap); };
      const Found found = find(deep, 0, 1);
      ASSERT_EQ(found.crossings.size(), 2) << gap;
      check_promises(found, deep, 0, 1);
      EXPECT_NEAR(found.crossings[0].at, 0.3 - std::sqrt(gap), 1e-15 + 1e-16 / std::sqrt(gap));
    }
  }
}

TEST(Roots, GuardTrueForAShortPartOfAStep) {
  // A parabola above zero for 1e-4 of the step, at 39 places.
  for (int i = 1; i <= 39; ++i) {
    const double place = i / 40.0;
    const Function g = [=](double t) { return 2.5e-9 - (t - place) * (t - place); };
    const Found found = find(g, 0, 1);
    ASSERT_EQ(found.crossings.size(), 2) << i;
    check_promises(found, g, 0, 1);
    EXPECT_NEAR(found.crossings[0].at, place - 5e-5, 1e-15);
    EXPECT_TRUE(found.crossings[0].rising);
    EXPECT_FALSE(found.crossings[1].rising);
  }
}

TEST(Roots, AtTheEndsOfTheStep) {
  const double begin = 1.1, end = 2.3;
  const double second = std::nextafter(begin, 2), third = std::nextafter(second, 2);
  const double before_end = std::nextafter(end, 0);
  Found found = find([=](double t) { return t - second; }, begin, end);
  ASSERT_EQ(found.crossings.size(), 1);
  EXPECT_EQ(found.crossings[0].before, begin);
  EXPECT_LE(found.crossings[0].at, begin + 4 * ulp(begin));
  found = find([=](double t) { return third - t; }, begin, end);
  ASSERT_EQ(found.crossings.size(), 1);
  EXPECT_FALSE(found.crossings[0].rising);
  for (const double root : {before_end, end}) {
    const Function g = [=](double t) { return t - root; };
    found = find(g, begin, end);
    ASSERT_EQ(found.crossings.size(), 1) << root;
    EXPECT_FALSE(found.crossings[0].touch);
    check_promises(found, g, begin, end);
  }
  // Down to exactly zero at the end: nothing negative yet, but zero is reached.
  found = find([=](double t) { return end - t; }, begin, end);
  ASSERT_EQ(found.crossings.size(), 1);
  EXPECT_TRUE(found.crossings[0].touch);
  EXPECT_EQ(found.crossings[0].at, end);
}

TEST(Roots, ZeroAtTheBeginning) {
  EXPECT_TRUE(find([](double t) { return t; }, 0, 1).crossings.empty());
  EXPECT_TRUE(find([](double t) { return -t; }, 0, 1).crossings.empty());
  EXPECT_TRUE(find([](double t) { return t * t; }, 0, 1).crossings.empty());
  EXPECT_TRUE(find([](double t) { return -t * t * t; }, 0, 1).crossings.empty());
  EXPECT_TRUE(find([](double t) { return std::sin(t) - t; }, 0, 1).crossings.empty());
  for (const double sign : {1.0, -1.0}) {
    const Function back = [=](double t) { return sign * t * (0.4 - t); };
    const Found found = find(back, 0, 1);
    ASSERT_EQ(found.crossings.size(), 1);
    EXPECT_EQ(found.crossings[0].rising, sign < 0);
    check_promises(found, back, 0, 1);
    EXPECT_NEAR(found.crossings[0].at, 0.4, 2e-16);
  }
}

TEST(Roots, ZeroOnAStretch) {
  EXPECT_TRUE(find([](double) { return 0.0; }, 0, 1).crossings.empty());
  // Leaves zero in the middle of the step.
  Found found = find([](double t) { return std::max(0.0, t - 0.4); }, 0, 1);
  ASSERT_EQ(found.crossings.size(), 1);
  EXPECT_TRUE(found.crossings[0].rising);
  EXPECT_NEAR(found.crossings[0].at, 0.4, 2e-16);
  // Reaches zero from above, stays, goes below.
  found = find([](double t) { return std::max(0.0, 0.3 - t) + std::min(0.0, 0.6 - t); }, 0, 1);
  ASSERT_EQ(found.crossings.size(), 2);
  EXPECT_TRUE(found.crossings[0].touch);
  EXPECT_NEAR(found.crossings[0].at, 0.3, 2e-16);
  EXPECT_FALSE(found.crossings[1].rising);
  EXPECT_NEAR(found.crossings[1].at, 0.6, 3e-16);
  // Reaches zero from below and stays.
  found = find([](double t) { return std::min(0.0, t - 0.3); }, 0, 1);
  ASSERT_EQ(found.crossings.size(), 1);
  EXPECT_TRUE(found.crossings[0].rising);
  EXPECT_NEAR(found.crossings[0].at, 0.3, 2e-16);
}

TEST(Roots, Kinks) {
  // Crossings on both sides of a kink.
  for (const double depth : {0.2, 1e-3, 1e-6, 1e-9, 1e-12}) {
    for (const double place : {0.31, 0.001, 0.999}) {
      if (depth > 0.9 * std::min(place, 1 - place)) continue;
      const Function g = [=](double t) { return std::fabs(t - place) - depth; };
      const Found found = find(g, 0, 1);
      ASSERT_EQ(found.crossings.size(), 2) << depth << ' ' << place;
      check_promises(found, g, 0, 1);
      EXPECT_NEAR(found.crossings[0].at, place - depth, 1e-15);
      const Found none = find([=](double t) { return std::fabs(t - place) + depth; }, 0, 1);
      EXPECT_TRUE(none.crossings.empty()) << depth << ' ' << place;
      EXPECT_EQ(none.uncleared, 0);
    }
  }
  // A kink that touches zero.
  const Found found = find([](double t) { return std::fabs(t - 0.3125); }, 0, 1);
  ASSERT_EQ(found.crossings.size(), 1);
  EXPECT_TRUE(found.crossings[0].touch);
  EXPECT_NEAR(found.crossings[0].at, 0.3125, 2e-16);
  EXPECT_LT(found.samples, 2000);
}

TEST(Roots, Jumps) {
  for (const double place : {0.3, 0.5, 1e-9, 1 - 1e-9}) {
    for (const double sign : {1.0, -1.0}) {
      const Function g = [=](double t) { return sign * (t < place ? -1 - t : 3 + t * t); };
      const Found found = find(g, 0, 1);
      ASSERT_EQ(found.crossings.size(), 1) << place;
      check_promises(found, g, 0, 1);
      EXPECT_EQ(found.crossings[0].rising, sign > 0);
      EXPECT_NEAR(found.crossings[0].at, place, 4 * ulp(place) + 2e-18);
      EXPECT_LT(found.samples, 300);
    }
  }
  // Two jumps, and a zero between them.
  const Function g = [](double t) { return t < 0.2 ? 1.0 : t < 0.7 ? t - 0.4 : -1.0; };
  const Found found = find(g, 0, 1);
  ASSERT_EQ(found.crossings.size(), 3);
  check_promises(found, g, 0, 1);
}

TEST(Roots, Poles) {
  const Function g = [](double t) { return 1 / (t - 0.3); };
  const Found found = find(g, 0, 1);
  ASSERT_EQ(found.crossings.size(), 1);
  EXPECT_NEAR(found.crossings[0].at, 0.3, 2e-16);
}

TEST(Roots, NotANumber) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Found found = find([=](double) { return nan; }, 0, 1);
  EXPECT_TRUE(found.crossings.empty());
  EXPECT_GE(found.uncleared, 1);
  EXPECT_LT(found.samples, 100);

  found = find([](double t) { return std::sqrt(1 - t) - 0.5; }, 0, 2);
  ASSERT_EQ(found.crossings.size(), 1);
  EXPECT_NEAR(found.crossings[0].at, 0.75, 3e-16);
  EXPECT_GE(found.uncleared, 1);
  EXPECT_LT(found.samples, 1000);

  found = find([=](double t) { return t < 0.3 || t > 0.6 ? 1.0 : nan; }, 0, 1);
  EXPECT_TRUE(found.crossings.empty());
  EXPECT_GE(found.uncleared, 1);
  const double infinity = std::numeric_limits<double>::infinity();
  found = find([=](double t) { return t < 0.3 ? -infinity : infinity; }, 0, 1);
  EXPECT_LT(found.samples, 1000);
}

TEST(Roots, VeryShortSteps) {
  for (int length = 1; length <= 40; ++length) {
    const double begin = 3.7, end = begin + length * ulp(begin);
    for (int place = 1; place <= length; ++place) {
      const double root = begin + place * ulp(begin);
      const Function g = [=](double t) { return t - root; };
      const Found found = find(g, begin, end);
      ASSERT_EQ(found.crossings.size(), 1) << length << ' ' << place;
      check_promises(found, g, begin, end);
    }
    EXPECT_TRUE(find([=](double t) { return t - end - 1e-15; }, begin, end).crossings.empty());
  }
}

TEST(Roots, NoiseEnds) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const Found found = find([&](double) { return uniform(random); }, 0, 1);
  EXPECT_LT(found.samples, 200000);
  EXPECT_TRUE(find([&](double) { return 1e-16 * std::fabs(uniform(random)); }, 0, 1, 4, 1e-15).crossings.empty());
}

TEST(Roots, SeveralRelationsAreSorted) {
  Functions course({[](double t) { return t - 0.5; }, [](double t) { return 0.25 - t * t; },
                    [](double t) { return std::sin(20 * t) - 0.1; }, [](double) { return 1.0; }});
  RootIsolator isolator;
  std::vector<Crossing> crossings;
  isolator.find(course, {0, 1, 4, nullptr, false}, crossings);
  ASSERT_EQ(crossings.size(), 2 + 7);
  for (std::size_t i = 1; i < crossings.size(); ++i) EXPECT_LE(crossings[i - 1].at, crossings[i].at);
}

TEST(Roots, OnlyTheFirst) {
  std::uint64_t samples_of_all = 0, samples_of_one = 0;
  std::mt19937_64 random(9);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int number = 0; number < 2000; ++number) {
    std::vector<Function> functions;
    for (int r = 0; r < 3; ++r) {
      const double w = 15 * uniform(random), phase = 3 * uniform(random), c = uniform(random), jump = uniform(random);
      functions.emplace_back([=](double t) { return std::sin(w * t + phase) + c + (t > jump ? 0.3 : 0.0); });
    }
    Functions course(functions);
    RootIsolator all, one;
    std::vector<Crossing> crossings, first;
    all.find(course, {0, 1, 4, nullptr, false}, crossings);
    one.find(course, {0, 1, 4, nullptr, true}, first);
    ASSERT_EQ(first.empty(), crossings.empty());
    if (first.empty()) continue;
    EXPECT_NEAR(first[0].at, crossings[0].at, 4e-16) << number;
    EXPECT_EQ(first[0].relation, crossings[0].relation);
    samples_of_all += all.samples();
    samples_of_one += one.samples();
  }
  EXPECT_LT(2 * samples_of_one, samples_of_all);
}

/// Sampled and single values that differ by rounding, as those of code for many times at once may.
class Unequal final : public Course {
 public:
  std::size_t count() const override { return 2; }
  void sample(const double* times, std::size_t number, double* values) override {
    for (std::size_t r = 0; r < 2; ++r) {
      for (std::size_t k = 0; k < number; ++k) values[r * number + k] = exact(r, times[k]) + 1e-16;
    }
  }
  double value(std::size_t relation, double t) override { return exact(relation, t) - 1e-16; }

 private:
  static double exact(std::size_t relation, double t) {
    return relation == 0 ? t - 0.5 : (t - 0.25) * (t - 0.75) * (t - 0.5);
  }
};

TEST(Roots, SamplesAndValuesThatDifferByRounding) {
  Unequal course;
  for (const double begin : {0.0, 0.1, 0.3}) {
    for (const double end : {0.8, 0.9, 1.0}) {
      RootIsolator isolator;
      std::vector<Crossing> crossings;
      isolator.find(course, {begin, end, 4, nullptr, false}, crossings);
      ASSERT_EQ(crossings.size(), begin < 0.25 ? 4 : 3);
      for (const Crossing& crossing : crossings) EXPECT_NEAR(course.value(crossing.relation, crossing.at), 0, 1e-15);
    }
  }
  // Zeros at the ends of the step, where the two disagree about the sign.
  RootIsolator isolator;
  std::vector<Crossing> crossings;
  isolator.find(course, {0.5, 1, 4, nullptr, false}, crossings);
  EXPECT_GE(crossings.size(), 1);
  isolator.find(course, {0.25, 0.5, 4, nullptr, false}, crossings);
  EXPECT_LT(isolator.samples(), 1000);
}

// --- comparison with a fine grid
// --------------------------------------------------------------------------------------

/// Changes of sign on a grid, by bisection.
std::vector<double> grid_roots(const Function& g, double begin, double end, int cells) {
  std::vector<double> roots;
  double last = begin;
  bool last_negative = g(begin) < 0;
  for (int i = 1; i <= cells; ++i) {
    const double t = i == cells ? end : begin + (end - begin) * i / cells;
    const bool negative = g(t) < 0;
    if (negative != last_negative) {
      double low = last, high = t;
      while (high - low > 2 * ulp(high)) {
        const double middle = low + (high - low) / 2;
        ((g(middle) < 0) == last_negative ? low : high) = middle;
      }
      roots.push_back(high);
    }
    last = t;
    last_negative = negative;
  }
  return roots;
}

/// Every root of the grid is found, and nothing is found that is no crossing.
void compare(const Function& g, double begin, double end, int degree, int number) {
  const Found found = find(g, begin, end, degree);
  check_promises(found, g, begin, end);
  std::vector<double> times;
  bool negative = g(begin) < 0;
  for (const Crossing& crossing : found.crossings) {
    if (crossing.touch) continue;
    times.push_back(crossing.at);
    EXPECT_EQ(crossing.rising, negative) << "case " << number;  // up and down by turns
    negative = !negative;
  }
  EXPECT_EQ(negative, g(end) < 0) << "case " << number;
  const std::vector<double> expected = grid_roots(g, begin, end, 300);
  EXPECT_EQ(found.uncleared, 0);
  // The grid may miss pairs of roots, never the isolator.
  EXPECT_GE(times.size(), expected.size()) << "case " << number;
  for (const double root : expected) {
    const bool there = std::any_of(times.begin(), times.end(), [&](double t) {
      return std::fabs(t - root) <= 1e-9 &&
             grid_roots(g, std::min(t, root) - 1e-12, std::max(t, root) + 1e-12, 8).size() < 4;
    });
    EXPECT_TRUE(there) << "case " << number << " misses " << root;
  }
}

TEST(Roots, RandomPolynomials) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int number = 0; number < 50000 && !::testing::Test::HasFailure(); ++number) {
    const int degree = 1 + number % 7;
    std::vector<double> c(static_cast<std::size_t>(degree) + 1);
    for (double& x : c) x = uniform(random);
    const Function g = [&](double t) {
      double value = 0;
      for (const double x : c) value = value * t + x;
      return value;
    };
    const double begin = 2 * uniform(random), end = begin + 0.1 + std::fabs(uniform(random)) * 2;
    compare(g, begin, end, degree, number);
  }
}

TEST(Roots, RandomOscillations) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int number = 0; number < 50000 && !::testing::Test::HasFailure(); ++number) {
    const double a = uniform(random), w = 12 * uniform(random), phase = 3 * uniform(random);
    const double b = uniform(random), v = 5 * uniform(random), offset = 0.5 * uniform(random);
    const Function g = [=](double t) { return a * std::sin(w * t + phase) + b * std::cos(v * t) + offset; };
    compare(g, 1, 2, 3 + number % 5, number);
  }
}

TEST(Roots, RandomKinksAndJumps) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int number = 0; number < 10000 && !::testing::Test::HasFailure(); ++number) {
    const double a = uniform(random), b = uniform(random), c = uniform(random), d = uniform(random);
    const double kink = 0.5 + 0.5 * uniform(random), jump = 0.5 + 0.5 * uniform(random), size = uniform(random);
    const Function g = [=](double t) {
      return a + b * t + c * t * t + d * std::fabs(t - kink) + (t >= jump ? size : 0.0);
    };
    compare(g, 0, 1, 4, number);
  }
}

}  // namespace
}  // namespace hyla::solve
