// Dense linear algebra for analyses, not for steps: eigenvalues, and linear systems without a unique solution.
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

namespace hyla::solve {

/// Of a square matrix, row by row; sorted by real part, then by imaginary part. Empty if they are not found.
std::vector<std::complex<double>> eigenvalues(const std::vector<double>& matrix, std::size_t size);

/// The shortest x that brings A x as near to b as can be; A is square, row by row. Gives the rank of A.
std::size_t least_norm(const std::vector<double>& matrix, std::size_t size, const std::vector<double>& right,
                       std::vector<double>& x);

/// How much each unknown takes part in what A leaves open: lengths of the rows of a basis of its null space, 0 for an
/// unknown that A x = b determines.
std::vector<double> undetermined(const std::vector<double>& matrix, std::size_t size);

}  // namespace hyla::solve
