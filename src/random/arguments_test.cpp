#include "random/arguments.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace hyla::random {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string error(Distribution distribution, const std::vector<double>& arguments) {
  const char* text = argument_error(distribution, arguments);
  return text == nullptr ? "" : text;
}

TEST(Arguments, AcceptsWhatCanBeDrawn) {
  const std::vector<std::pair<Distribution, std::vector<double>>> good = {
      {Distribution::Uniform, {-1, 1}},
      {Distribution::Uniform, {2, 2}},
      {Distribution::Normal, {0, 0}},
      {Distribution::Normal, {-5, 2}},
      {Distribution::Exponential, {0}},
      {Distribution::Exponential, {1e300}},
      {Distribution::Triangular, {1, 1, 1}},
      {Distribution::Triangular, {0, 1, 3}},
      {Distribution::Erlang, {1, 0}},
      {Distribution::Erlang, {1e15, 2}},
      {Distribution::Gamma, {1e-3, 0}},
      {Distribution::Beta, {0.1, 20}},
      {Distribution::Weibull, {0.5, 1}},
      {Distribution::Lognormal, {0, 1}},
      {Distribution::Poisson, {0}},
      {Distribution::Poisson, {1e15}},
      {Distribution::Bernoulli, {0}},
      {Distribution::Bernoulli, {1}},
      {Distribution::Geometric, {1}},
      {Distribution::Geometric, {1e-15}},
      {Distribution::Binomial, {0, 0}},
      {Distribution::Binomial, {1e15, 1}},
      {Distribution::Discrete, {1}},
      {Distribution::Discrete, {0.5, 0, 0.5}},
      {Distribution::Discrete, {0.5, 0.5 + 9e-10}},
  };
  for (const auto& [distribution, arguments] : good)
    EXPECT_EQ(error(distribution, arguments), "") << static_cast<int>(distribution);
}

TEST(Arguments, SaysWhatIsWrong) {
  EXPECT_EQ(error(Distribution::Uniform, {2, 1}), "`a` must not be greater than `b`");
  EXPECT_EQ(error(Distribution::Uniform, {-1e308, 1e308}), "`b - a` must be a finite number");
  EXPECT_EQ(error(Distribution::Normal, {0, -1}), "`sigma` must be a finite number of at least 0");
  EXPECT_EQ(error(Distribution::Lognormal, {kInfinity, 1}), "`mu` must be a finite number");
  EXPECT_EQ(error(Distribution::Exponential, {-1}), "`mean` must be a finite number of at least 0");
  EXPECT_EQ(error(Distribution::Triangular, {0, 4, 3}), "`mode` must not be less than `a` or greater than `b`");
  EXPECT_EQ(error(Distribution::Triangular, {0, -1, 3}), "`mode` must not be less than `a` or greater than `b`");
  EXPECT_EQ(error(Distribution::Triangular, {3, 2, 1}), "`a` must not be greater than `b`");
  EXPECT_EQ(error(Distribution::Erlang, {1.5, 1}), "`k` must be a whole number from 1 to 1e15");
  EXPECT_EQ(error(Distribution::Erlang, {0, 1}), "`k` must be a whole number from 1 to 1e15");
  EXPECT_EQ(error(Distribution::Erlang, {1, -1}), "`mean` must be a finite number of at least 0");
  EXPECT_EQ(error(Distribution::Gamma, {0, 1}), "`shape` must be a finite number greater than 0");
  EXPECT_EQ(error(Distribution::Weibull, {1, -1}), "`scale` must be a finite number of at least 0");
  EXPECT_EQ(error(Distribution::Beta, {1, 0}), "`a` and `b` must be finite numbers greater than 0");
  EXPECT_EQ(error(Distribution::Poisson, {2e15}), "`mean` must be from 0 to 1e15");
  EXPECT_EQ(error(Distribution::Bernoulli, {1.1}), "`p` must be from 0 to 1");
  EXPECT_EQ(error(Distribution::Geometric, {0}), "`p` must be from 1e-15 to 1");
  EXPECT_EQ(error(Distribution::Binomial, {-1, 0.5}), "`n` must be a whole number from 0 to 1e15");
  EXPECT_EQ(error(Distribution::Binomial, {2.5, 0.5}), "`n` must be a whole number from 0 to 1e15");
  EXPECT_EQ(error(Distribution::Binomial, {2, -0.5}), "`p` must be from 0 to 1");
  EXPECT_EQ(error(Distribution::Discrete, {}), "`p` must have at least one element");
  EXPECT_EQ(error(Distribution::Discrete, {0.5, 0.5 + 2e-9}), "the elements of `p` must sum to 1");
  EXPECT_EQ(error(Distribution::Discrete, {1.5, -0.5}), "each element of `p` must be from 0 to 1");
}

TEST(Arguments, RefusesEveryArgumentThatIsNoFiniteNumber) {
  const std::vector<std::pair<Distribution, std::vector<double>>> good = {
      {Distribution::Uniform, {0, 1}},    {Distribution::Normal, {0, 1}},      {Distribution::Exponential, {1}},
      {Distribution::Erlang, {1, 1}},     {Distribution::Gamma, {1, 1}},       {Distribution::Triangular, {0, 1, 2}},
      {Distribution::Beta, {1, 1}},       {Distribution::Weibull, {1, 1}},     {Distribution::Lognormal, {0, 1}},
      {Distribution::Poisson, {1}},       {Distribution::Bernoulli, {0.5}},    {Distribution::Geometric, {0.5}},
      {Distribution::Binomial, {1, 0.5}}, {Distribution::Discrete, {0.5, 0.5}}};
  for (const auto& [distribution, arguments] : good)
    for (std::size_t i = 0; i < arguments.size(); ++i)
      for (const double bad : {kNan, kInfinity, -kInfinity}) {
        std::vector<double> changed = arguments;
        changed[i] = bad;
        EXPECT_NE(error(distribution, changed), "") << static_cast<int>(distribution) << " " << i << " " << bad;
      }
}

TEST(Arguments, ComparesTheListsOfEmpirical) {
  const std::vector<double> two = {0.25, 0.75};
  const std::vector<double> three = {1, 2, 3};
  EXPECT_EQ(empirical_argument_error(two, two), nullptr);
  EXPECT_STREQ(empirical_argument_error(three, two), "`x` and `p` must have the same size");
  EXPECT_STREQ(empirical_argument_error(three, three), "each element of `p` must be from 0 to 1");
}

}  // namespace
}  // namespace hyla::random
