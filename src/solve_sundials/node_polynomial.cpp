#include "solve_sundials/node_polynomial.h"

#include <algorithm>
#include <cmath>

namespace hyla::solve_sundials {

namespace {

/// Of the last piece: points closer together are not both used.
constexpr double kClosest = 1.0 / 32;
/// With fewer of them doubtful slopes are better than none.
constexpr std::size_t kFewNodes = 4;

}  // namespace

void NodePolynomial::add(double t, const double* y, const double* slope, Slope quality) {
  std::rotate(points_.begin(), points_.end() - 1, points_.end());
  count_ = std::min(count_ + 1, kMostPoints);
  Point& point = points_.front();
  point.t = t;
  point.quality = quality;
  point.y.assign(y, y + size_);
  if (quality != Slope::None) point.slope.assign(slope, slope + size_);
}

void NodePolynomial::choose(std::size_t nodes, Sources& sources) {
  std::array<const Point*, kMostPoints> chosen{};
  std::array<bool, kMostPoints> twice{};
  std::size_t points = 0, total = 0;
  const double closest = count_ < 2 ? 0 : kClosest * (points_[0].t - points_[1].t);
  for (const Point* point = points_.data(); point != points_.data() + count_; ++point) {
    if (points > 1 && chosen[points - 1]->t - point->t < closest) continue;
    chosen[points] = point;
    twice[points] = point->quality == Slope::Good;
    total += twice[points++] ? 2 : 1;
  }
  for (std::size_t i = std::min<std::size_t>(points, 2); i-- > 0 && total < kFewNodes;) {
    if (twice[i] || chosen[i]->quality == Slope::None) continue;
    twice[i] = true;
    ++total;
  }
  nodes_ = 0;
  for (std::size_t i = 0; i < points; ++i) {
    for (int copies = twice[i] ? 2 : 1; copies > 0 && nodes_ < nodes; --copies) {
      sources[nodes_] = chosen[i];
      times_[nodes_++] = chosen[i]->t;
    }
  }
}

void NodePolynomial::build(std::size_t nodes) {
  Sources sources{};
  choose(nodes, sources);
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
    for (std::size_t k = 0; k < nodes_; ++k) {
      coefficients_[k][variable] = differences[k];
      // Steps of 1e-200 have such differences.
      if (!std::isfinite(differences[k])) nodes_ = k;
    }
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
