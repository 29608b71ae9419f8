// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/solver.h"

#include <Eigen/Core>

#include <algorithm>

namespace alxsim::alx {

/// The numbers of a direct solver that is one of Eigen's factorizations: of the matrix, then the
/// solution. For SolverOf.
template <template <class> class Factorization>
struct EigenNumerics {
    template <class Real>
    static std::int64_t solve(const LinearSystemOf<Real>& system, const AlxConfig& /*config*/,
                              Buffer<Real>& /*scratch*/)
    {
        using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
        using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
        using Stride = Eigen::OuterStride<>;
        const Eigen::Map<const Matrix, 0, Stride> matrix(system.matrix, system.dim, system.dim,
                                                         Stride(system.stride));
        const Eigen::Map<const Vector> rhs(system.rhs, system.dim);
        thread_local Factorization<Matrix> factors; // keeps its memory
        factors.compute(matrix);
        std::fill_n(system.solution, system.stride, Real(0));
        Eigen::Map<Vector>(system.solution, system.dim) = factors.solve(rhs);
        return 0;
    }
};

} // namespace alxsim::alx
