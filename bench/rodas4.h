// The coefficients of Rodas4, the Rosenbrock method of order 4(3) of Hairer and Wanner, "Solving Ordinary Differential
// Equations II" (1996), section VII.4, in the form without products of the matrix with vectors; for autonomous systems.
//
// With E = I / (h g) - J, stage i solves E k_i = f(y + sum_j a_ij k_j) + sum_j c_ij k_j / h. The sixth stage starts
// from the fifth one's argument plus k_5 and is the estimate of the error.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace hyla::bench {

struct Rodas4 {
  static constexpr std::size_t kStages = 6;
  static constexpr double g = 0.25;
  /// a[i - 1][j] of stages 2 to 5, from 1.
  static constexpr std::array<std::array<double, 4>, 4> a = {{
      {1.544, 0, 0, 0},
      {0.9466785280815826, 0.2557011698983284, 0, 0},
      {3.314825187068521, 2.896124015972201, 0.9986419139977817, 0},
      {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950},
  }};
  /// c[i - 1][j] of stages 2 to 6.
  static constexpr std::array<std::array<double, 5>, 5> c = {{
      {-5.6688, 0, 0, 0, 0},
      {-2.430093356833875, -0.2063599157091915, 0, 0, 0},
      {-0.1073529058151375, -9.594562251023355, -20.47028614809616, 0, 0},
      {7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160, 0},
      {8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136, -6.058818238834054},
  }};
  /// Of the dense output of order 3: y (1 - s) + s (y_end + (1 - s) (d2 k + s d3 k)).
  static constexpr std::array<double, 5> d2 = {10.12623508344586, -7.487995877610167, -34.80091861555747,
                                               -7.992771707568823, 1.025137723295662};
  static constexpr std::array<double, 5> d3 = {-0.6762803392806898, 6.087714651680015, 16.43084320892478,
                                               24.76722511418386, -6.594389125716872};

  static double growth(double error) {
    return std::clamp(0.9 / std::sqrt(std::sqrt(std::max(error, 1e-10))), 0.2, 6.0);
  }
};

}  // namespace hyla::bench
