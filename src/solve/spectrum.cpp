#include "solve/spectrum.h"

#include <algorithm>

#include <Eigen/Dense>

namespace hyla::solve {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;

Eigen::Map<const Matrix> view(const std::vector<double>& matrix, std::size_t size) {
  const auto n = static_cast<Eigen::Index>(size);
  return {matrix.data(), n, n};
}

}  // namespace

std::vector<std::complex<double>> eigenvalues(const std::vector<double>& matrix, std::size_t size) {
  std::vector<std::complex<double>> values;
  if (size == 0) return values;
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(view(matrix, size), false);
  if (solver.info() != Eigen::Success) return values;
  for (Eigen::Index i = 0; i < solver.eigenvalues().size(); ++i) values.push_back(solver.eigenvalues()[i]);
  std::sort(values.begin(), values.end(), [](const std::complex<double>& a, const std::complex<double>& b) {
    return a.real() != b.real() ? a.real() < b.real() : a.imag() < b.imag();
  });
  return values;
}

std::size_t least_norm(const std::vector<double>& matrix, std::size_t size, const std::vector<double>& right,
                       std::vector<double>& x) {
  const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition(view(matrix, size));
  const Vector solution = decomposition.solve(Eigen::Map<const Vector>(right.data(), static_cast<Eigen::Index>(size)));
  x.assign(solution.data(), solution.data() + solution.size());
  return static_cast<std::size_t>(decomposition.rank());
}

std::vector<double> undetermined(const std::vector<double>& matrix, std::size_t size) {
  std::vector<double> lengths(size);
  if (size == 0) return lengths;
  Eigen::FullPivLU<Eigen::MatrixXd> lu(view(matrix, size));
  if (lu.dimensionOfKernel() == 0) return lengths;
  const Eigen::MatrixXd kernel = lu.kernel();
  for (std::size_t i = 0; i < size; ++i) lengths[i] = kernel.row(static_cast<Eigen::Index>(i)).norm();
  return lengths;
}

}  // namespace hyla::solve
