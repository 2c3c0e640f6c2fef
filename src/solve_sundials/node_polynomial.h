// The interpolant of one-step methods that give nothing but the states at the ends of their steps.
//
// A polynomial through the last points, and with their slopes where these are known, in Newton's form with divided
// differences. Only the last piece is used, where it is an interpolant in the best sense: the points before it serve to
// get its curvature right.
//
// For stiff systems slopes are of no use. The error of a state, however small, appears in its slope multiplied by the
// fastest rate of the system. Only at a restart, where the state is given, the slope can be trusted. Others serve in
// the short steps that follow, where there are too few points.
//
// Points much closer to each other than the step is long are of no use either: in their differences the rounding of the
// times shows, and it grows on the way to the end of the step.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace hyla::solve_sundials {

class NodePolynomial {
 public:
  /// At most so many values and slopes.
  static constexpr std::size_t kMostNodes = 6;

  void restart(std::size_t size) {
    size_ = size;
    count_ = 0;
  }
  enum class Slope : unsigned char { None, Doubtful, Good };

  /// A point later than those before it. `slope` may be null if there is none.
  void add(double t, const double* y, const double* slope, Slope quality);
  /// As many points as fit into `nodes`, the latest first. A point with a slope counts twice.
  void build(std::size_t nodes);
  int degree() const { return static_cast<int>(nodes_) - 1; }
  void evaluate(double t, double* y) const;

 private:
  static constexpr std::size_t kMostPoints = 5;

  struct Point {
    double t = 0;
    Slope quality = Slope::None;
    std::vector<double> y, slope;
  };
  using Sources = std::array<const Point*, kMostNodes>;

  void choose(std::size_t nodes, Sources& sources);

  std::size_t size_ = 0, count_ = 0, nodes_ = 0;
  std::array<Point, kMostPoints> points_;  // the latest first
  std::array<double, kMostNodes> times_{};
  std::array<std::vector<double>, kMostNodes> coefficients_;
};

}  // namespace hyla::solve_sundials
