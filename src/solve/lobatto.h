// Quadrature and interpolation on [0, 1] at the nodes of Gauss and Lobatto: both ends are nodes, and with n nodes
// polynomials up to degree 2n - 3 are integrated exactly.
#pragma once

#include <span>
#include <vector>

namespace hyla::solve {

struct LobattoRule {
  std::vector<double> nodes;        ///< ascending, from 0 to 1
  std::vector<double> weights;      ///< their sum is 1
  std::vector<double> barycentric;  ///< weights of interpolation

  /// The polynomial through the values at the nodes.
  double interpolate(std::span<const double> values, double place) const;
};

/// For 3 to 16 nodes; made once.
const LobattoRule& lobatto_rule(int nodes);

}  // namespace hyla::solve
