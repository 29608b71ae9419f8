// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace alxsim::alx {

/// A symmetric positive definite system A x = b.
template <class Real>
struct LinearSystemOf {
    int dim = 0;
    int stride = 0; ///< padded(dim)
    Real* matrix =
        nullptr; ///< [stride x stride], both triangles; zero beyond dim; may be overwritten
    const Real* rhs = nullptr; ///< [stride], zero beyond dim
    Real* solution = nullptr;  ///< [stride]
};
using LinearSystem = LinearSystemOf<float>;

} // namespace alxsim::alx
