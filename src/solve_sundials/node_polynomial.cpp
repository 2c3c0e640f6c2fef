#include "solve_sundials/node_polynomial.h"

#include <algorithm>

namespace hyla::solve_sundials {

void NodePolynomial::add(double t, const double* y, const double* slope) {
  std::rotate(points_.begin(), points_.end() - 1, points_.end());
  count_ = std::min(count_ + 1, kMostPoints);
  Point& point = points_.front();
  point.t = t;
  point.has_slope = slope != nullptr;
  point.y.assign(y, y + size_);
  if (point.has_slope) point.slope.assign(slope, slope + size_);
}

void NodePolynomial::build(std::size_t nodes) {
  // A point with a slope is there twice.
  std::array<const Point*, kMostNodes> sources{};
  nodes_ = 0;
  for (std::size_t i = 0; i < count_ && nodes_ < nodes; ++i) {
    for (int copies = points_[i].has_slope ? 2 : 1; copies > 0 && nodes_ < nodes; --copies) {
      sources[nodes_] = &points_[i];
      times_[nodes_++] = points_[i].t;
    }
  }
  for (std::size_t k = 0; k < nodes_; ++k) coefficients_[k].resize(size_);
  for (std::size_t variable = 0; variable < size_; ++variable) {
    std::array<double, kMostNodes> differences{};
    for (std::size_t k = 0; k < nodes_; ++k) differences[k] = sources[k]->y[variable];
    for (std::size_t order = 1; order < nodes_; ++order) {
      for (std::size_t k = nodes_ - 1; k >= order; --k) {
        const bool twice = order == 1 && sources[k] == sources[k - 1];
        differences[k] = twice ? sources[k]->slope[variable]
                               : (differences[k] - differences[k - 1]) / (times_[k] - times_[k - order]);
      }
    }
    for (std::size_t k = 0; k < nodes_; ++k) coefficients_[k][variable] = differences[k];
  }
}

void NodePolynomial::evaluate(double t, double* y) const {
  std::copy(coefficients_[nodes_ - 1].begin(), coefficients_[nodes_ - 1].end(), y);
  for (std::size_t k = nodes_ - 1; k-- > 0;) {
    const double distance = t - times_[k];
    for (std::size_t i = 0; i < size_; ++i) y[i] = coefficients_[k][i] + distance * y[i];
  }
}

}  // namespace hyla::solve_sundials
