// Coefficients of the explicit Runge-Kutta pairs. Their order is checked by tests of convergence and of the order
// conditions.
#pragma once

#include "solve/integrator.h"

namespace hyla::solve {

/// Order 5 with an error estimate of order 4 and an interpolant of order 4 without further stages. Dormand, Prince
/// 1980; interpolant of Shampine 1986, in the form of Hairer, Norsett, Wanner I, section II.6.
struct DormandPrince5 {
  static constexpr Method kMethod = Method::Rk45;
  static constexpr int kStages = 7, kExtraStages = 0, kDegree = 4, kErrorPower = 5;
  static constexpr bool kTwoErrors = false;

  static constexpr double c[7] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
  static constexpr double a[7][7] = {
      {},
      {1.0 / 5},
      {3.0 / 40, 9.0 / 40},
      {44.0 / 45, -56.0 / 15, 32.0 / 9},
      {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
      {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
      {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
  };
  static constexpr double error[7] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                      -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
  static constexpr double d[1][7] = {{-12715105075.0 / 11282082432.0, 0, 87487479700.0 / 32700410799.0,
                                      -10690763975.0 / 1880347072.0, 701980252875.0 / 199316789632.0,
                                      -1453857185.0 / 822651844.0, 69997945.0 / 29380423.0}};
};

}  // namespace hyla::solve
