#include "experiment/distribution.h"

#include <cmath>

#include <gtest/gtest.h>

namespace hyla::experiment {
namespace {

using model::Builtin;

struct Known {
  Distribution distribution;
  double mean, variance;
};

/// Means over the quantiles against the closed forms.
TEST(Distribution, QuantilesHaveTheMomentsOfTheDistribution) {
  const double pi = std::acos(-1.0);
  const std::vector<Known> known = {
      {{Builtin::Uniform, {2, 5}}, 3.5, 0.75},
      {{Builtin::Normal, {1, 2}}, 1, 4},
      {{Builtin::Exponential, {3}}, 3, 9},
      {{Builtin::Triangular, {0, 1, 4}}, 5.0 / 3, (0 + 1 + 16 - 0 - 0 - 4) / 18.0},
      {{Builtin::Erlang, {4, 2}}, 2, 1},
      {{Builtin::Gamma, {2, 3}}, 6, 18},
      {{Builtin::Beta, {2, 3}}, 0.4, 0.04},
      {{Builtin::Weibull, {2, 1}}, std::sqrt(pi) / 2, 1 - pi / 4},
      {{Builtin::Lognormal, {0, 0.5}}, std::exp(0.125), (std::exp(0.25) - 1) * std::exp(0.25)},
      {{Builtin::Poisson, {3.5}}, 3.5, 3.5},
      {{Builtin::Bernoulli, {0.3}}, 0.3, 0.21},
      {{Builtin::Geometric, {0.25}}, 3, 12},
      {{Builtin::Binomial, {10, 0.3}}, 3, 2.1},
      {{Builtin::DiscreteDistribution, {0.2, 0.3, 0.5}}, 2.3, 0.61},
      {{Builtin::Empirical, {1, 5, 0.5, 0.5}}, 3, 4},
  };
  for (const Known& one : known) {
    EXPECT_EQ(argument_error(one.distribution), "");
    constexpr int kCount = 200000;
    double sum = 0, squares = 0;
    for (int i = 0; i < kCount; ++i) {
      const double x = quantile(one.distribution, (i + 0.5) / kCount);
      sum += x;
      squares += x * x;
    }
    const double mean = sum / kCount;
    EXPECT_NEAR(mean, one.mean, 1e-3 * (1 + std::abs(one.mean))) << model::info(one.distribution.kind).name;
    EXPECT_NEAR(squares / kCount - mean * mean, one.variance, 5e-3 * (1 + one.variance))
        << model::info(one.distribution.kind).name;
  }
}

TEST(Distribution, TellsWrongArguments) {
  EXPECT_NE(argument_error({Builtin::Normal, {0, -1}}), "");
  EXPECT_NE(argument_error({Builtin::Uniform, {2, 1}}), "");
  EXPECT_NE(argument_error({Builtin::Empirical, {1, 2, 0.5, 0.6}}), "");
}

}  // namespace
}  // namespace hyla::experiment
