// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/transformer/model_size.h"

#include <cstdint>

namespace alxsim::transformer {

/// What stands between the products of an MLP: activation(x), or, gated (Shazeer 2020, "GLU
/// variants"), activation(gate) * up of rows [gate | up].
struct ActivationShape {
    Activation activation;
    bool gated;
    std::int64_t rows, width; ///< of the result
    std::int64_t input_width() const { return gated ? 2 * width : width; }
};

/// y [rows x width] of x [rows x input_width].
template <class Real>
void activate(const ActivationShape& shape, const Real* x, Real* y);
/// dx [rows x input_width]. If it is not gated dx may be dy.
template <class Real>
void activate_backward(const ActivationShape& shape, const Real* x, const Real* dy, Real* dx);

} // namespace alxsim::transformer
