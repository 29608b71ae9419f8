// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/op_graph.h"
#include "spmd/linear/matrices.h"

#include <cstdint>
#include <memory>
#include <string>

namespace alxsim::spmd {

/// a [n x n] = vectors diag(values) vectors^T: values [n] ascending, the columns of vectors [n x n]
/// orthonormal, of each the entry of largest magnitude positive. Of `a` the lower triangle is read.
/// float or double; row-major. All NaN where a number of `a` is not finite.
template <class Real>
void symmetric_eigen(const Real* a, std::int64_t n, Real* values, Real* vectors);

/// Adds the ops of the same as JAX has them on TPUs (jax, tpu/linalg/eigh.py). Up to 256 rows:
/// Jacobi's rotations of n / 2 pairs at once, n - 1 times a sweep (openxla/xla, eigh_expander.cc;
/// Brent, Luk 1985), the whole batch together. Beyond, one matrix after the other, spectral divide
/// and conquer by polar decompositions (Nakatsukasa, Higham 2013, doi 10.1137/120876605), whose
/// parts are assumed to be halves, down to parts of 256. That the TPU's compiler does what the open
/// expander does is assumed. Returns the index of the last op, on which `effect` goes.
int add_symmetric_eigen(model::OpGraph& graph, const Matrices& a, const std::string& values,
                        const std::string& vectors, int after,
                        std::shared_ptr<const model::Effect> effect);

/// Adds the ops of the same by so many products of [n x n] at precision HIGHEST, one after the
/// other, of one matrix: spectral division by polynomials, as Newton-Schulz's iteration for the
/// matrix sign, takes them alone. How many is assumed by who asks. Returns the index of the last.
int add_eigen_by_products(model::OpGraph& graph, const Matrices& a, const std::string& values,
                          const std::string& vectors, std::int64_t products, int after);

/// Sweeps until the part beside the diagonal is 1e-6 of the whole, as JAX asks: log2 n, at least 5.
/// Measured: NumPy in f32 on symmetric random matrices of 8 to 256 rows took 4 to 8.
std::int64_t jacobi_sweeps(std::int64_t n);

/// The operations of a sweep that makes use of symmetry and has eigenvectors: 6 n^3 (4 products and
/// 2 sums for each pair of numbers that a rotation meets; n (n - 1) / 2 rotations meet n pairs in
/// A, half of whose numbers are copies, and n in the vectors). Golub and Van Loan, Matrix
/// Computations, 4th edition, section 8.5.
double jacobi_sweep_operations(std::int64_t n);

} // namespace alxsim::spmd
