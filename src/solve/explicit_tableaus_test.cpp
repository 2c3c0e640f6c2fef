// The order conditions of the tableaus, as far as they follow from quadrature and simplifying assumptions.

#include "solve/explicit_tableaus.h"

#include <cmath>

#include <gtest/gtest.h>

namespace hyla::solve {
namespace {

/// The weights of the new state integrate powers of time exactly, up to the order of the method.
template <class Tableau>
void check_quadrature(int order) {
  constexpr int last = Tableau::kStages - 1;
  for (int power = 0; power < order; ++power) {
    double sum = 0;
    for (int j = 0; j < last; ++j) sum += Tableau::a[last][j] * std::pow(Tableau::c[j], power);
    EXPECT_NEAR(sum, 1.0 / (power + 1), 2e-15) << power;
  }
}

template <class Tableau>
void check_rows() {
  for (int i = 1; i < Tableau::kStages + Tableau::kExtraStages; ++i) {
    double sum = 0;
    for (int j = 0; j < i; ++j) sum += Tableau::a[i][j];
    EXPECT_NEAR(sum, Tableau::c[i], 1e-14) << i;
  }
}

/// An error estimate vanishes for solutions that are polynomials of a degree below its order.
void check_error(const double* error, const double* c, int stages, int order) {
  for (int power = 0; power < order; ++power) {
    double sum = 0;
    for (int j = 0; j < stages; ++j) sum += error[j] * std::pow(c[j], power);
    EXPECT_NEAR(sum, 0, 1e-14) << power;
  }
  double sum = 0;
  for (int j = 0; j < stages; ++j) sum += error[j] * std::pow(c[j], order);
  EXPECT_GT(std::fabs(sum), 1e-6);
}

/// Trees with one branch of the tallest kind: b A^k c = 1 / (k + 2)!.
template <class Tableau>
void check_tall_trees(int order) {
  constexpr int last = Tableau::kStages - 1;
  double v[Tableau::kStages];
  for (int j = 0; j <= last; ++j) v[j] = 1;
  double factorial = 1;
  for (int height = 1; height <= order; ++height) {
    double w[Tableau::kStages] = {};
    for (int i = 0; i <= last; ++i) {
      for (int j = 0; j < i; ++j) w[i] += Tableau::a[i][j] * v[j];
    }
    factorial *= height;
    EXPECT_NEAR(w[last], 1 / factorial, 1e-14) << height;
    for (int j = 0; j <= last; ++j) v[j] = w[j];
  }
}

TEST(ExplicitTableaus, FulfilTheConditionsOfOrder5) {
  check_rows<Tsitouras5>();
  check_quadrature<Tsitouras5>(5);
  check_tall_trees<Tsitouras5>(5);
  check_error(Tsitouras5::error, Tsitouras5::c, 7, 4);
}

TEST(ExplicitTableaus, FulfilTheConditionsOfOrder8) {
  check_rows<DormandPrince8>();
  check_quadrature<DormandPrince8>(8);
  check_tall_trees<DormandPrince8>(8);
  check_error(DormandPrince8::error, DormandPrince8::c, 13, 5);
  check_error(DormandPrince8::second_error, DormandPrince8::c, 13, 3);
}

}  // namespace
}  // namespace hyla::solve
