// LU factorisation of a small dense matrix with row scaling and partial pivoting, for equations in whatever units.
//
// DenseMatrix is for matrices of integrators, which are far from singular; here it matters to tell when a matrix is.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hyla::solve {

/// Factorises `matrix` (row by row, size * size) in place; `pivots` gets the order of the rows. False: singular as far
/// as rounding allows to tell; `blamed` is then the column without pivot. `pivots` and `scales` have `size` places.
bool factorise(double* matrix, std::size_t size, std::uint32_t* pivots, double* scales, std::size_t& blamed);

/// Solves with a factorised matrix: `x` comes with the right side in the order of the rows of the matrix and leaves
/// with the solution. `memory` has `size` places.
void solve_factorised(const double* matrix, std::size_t size, const std::uint32_t* pivots, double* x, double* memory);

}  // namespace hyla::solve
