// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace alxsim::spmd {

/// f32 matrices of which only the upper triangle is read are whole in blocks of so many rows and
/// columns on the diagonal.
constexpr std::int64_t block_edge = 16;

/// A symmetric positive definite system A x = b.
template <class Real>
struct LinearSystemOf {
    int dim = 0;
    int stride = 0; ///< padded(dim)
    /// [stride x stride]: both triangles, or what the solver reads; zero beyond dim; may be
    /// overwritten.
    Real* matrix = nullptr;
    const Real* rhs = nullptr; ///< [stride], zero beyond dim
    Real* solution = nullptr;  ///< [stride]
};
using LinearSystem = LinearSystemOf<float>;

} // namespace alxsim::spmd
