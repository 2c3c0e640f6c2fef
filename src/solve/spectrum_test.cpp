#include "solve/spectrum.h"

#include <cmath>

#include <gtest/gtest.h>

namespace hyla::solve {
namespace {

TEST(Spectrum, FindsEigenvalues) {
  // s^2 + 2 * 0.1 * 5 s + 25: a damped oscillator.
  const auto pair = eigenvalues({0, 1, -25, -1}, 2);
  ASSERT_EQ(pair.size(), 2u);
  EXPECT_NEAR(pair[0].real(), -0.5, 1e-12);
  EXPECT_NEAR(pair[0].imag(), -std::sqrt(25 - 0.25), 1e-12);
  EXPECT_NEAR(pair[1].imag(), std::sqrt(25 - 0.25), 1e-12);
  const auto triangle = eigenvalues({3, 1, 2, 0, -1, 5, 0, 0, 2}, 3);
  EXPECT_NEAR(triangle[0].real(), -1, 1e-12);
  EXPECT_NEAR(triangle[1].real(), 2, 1e-12);
  EXPECT_NEAR(triangle[2].real(), 3, 1e-12);
  EXPECT_TRUE(eigenvalues({}, 0).empty());
}

TEST(Spectrum, SolvesWhatIsNotUnique) {
  std::vector<double> x;
  // 2 y = 4, and x is in no equation: it stays where it is.
  EXPECT_EQ(least_norm({0, 2, 0, 0}, 2, {4, 0}, x), 1u);
  EXPECT_NEAR(x[0], 0, 1e-12);
  EXPECT_NEAR(x[1], 2, 1e-12);
  const std::vector<double> open = undetermined({0, 2, 0, 0}, 2);
  EXPECT_GT(open[0], 0.5);
  EXPECT_NEAR(open[1], 0, 1e-12);
  EXPECT_EQ(undetermined({1, 0, 0, 1}, 2), (std::vector<double>{0, 0}));
}

}  // namespace
}  // namespace hyla::solve
