// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace alxsim::spmd {

/// Eigen cuts products into blocks by the caches of the CPU that it runs on, and with the blocks
/// the order of its sums changes: here all CPUs have the same caches (bytes of level 1, 2, 3). Set
/// before main(), as other threads may multiply later.
inline const bool eigen_knows_one_cpu = [] {
    Eigen::setCpuCacheSizes(32 << 10, 256 << 10, 2 << 20);
    return true;
}();

template <class Real>
using EigenMatrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
template <class Real>
using EigenRows = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A copy of row-major numbers.
template <class Real>
EigenMatrix<Real> eigen_matrix(const Real* numbers, std::int64_t rows, std::int64_t columns)
{
    return Eigen::Map<const EigenRows<Real>>(numbers, rows, columns);
}

/// Copies to row-major numbers.
template <class Matrix, class Real>
void put(const Matrix& matrix, Real* numbers)
{
    Eigen::Map<EigenRows<Real>>(numbers, matrix.rows(), matrix.cols()) = matrix;
}

/// Whether each number is finite. Decompositions of others have no end or no meaning.
template <class Real>
bool all_finite(const Real* numbers, std::int64_t count)
{
    return std::all_of(numbers, numbers + count, [](Real x) { return std::isfinite(x); });
}

template <class Real>
void fill_with_nan(Real* numbers, std::int64_t count)
{
    std::fill(numbers, numbers + count, std::numeric_limits<Real>::quiet_NaN());
}

/// -1 for a column whose entry of largest magnitude (the first of several) is negative, else 1:
/// what makes the sign of an eigenvector or singular vector one that all programs agree on.
template <class Column>
typename Column::Scalar sign_of_largest(const Column& column)
{
    Eigen::Index place = 0;
    column.cwiseAbs().maxCoeff(&place);
    return column(place) < 0 ? typename Column::Scalar(-1) : typename Column::Scalar(1);
}

} // namespace alxsim::spmd
