// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spmd/kernels/conjugate_gradients.h"
#include "spmd/kernels/factorizations.h"
#include "spmd/kernels/kernels.h"
#include "spmd/kernels/matrix_product.h"
#include "spmd/kernels/products.h"
#include "spmd/kernels/scores.h"

namespace alxsim::spmd {
namespace {

template <class Real>
constexpr SolverKernels<Real> solver_table()
{
    return {conjugate_gradients<Real>, conjugate_gradients_of_two<Real>, cholesky<Real>, lu<Real>,
            qr<Real>};
}

/// As this source is compiled. `bf16` solvers are the same at all levels.
constexpr Kernels table(const SolverKernels<Bf16Number>& bf16)
{
    return {add_outer_products,
            set_outer_products,
            add_outer_products_f64,
            add_rows,
            add_and_mirror,
            add_upper,
            split_into_bf16,
            widen,
            score_rows,
            find_above,
            panel_width,
            are_bf16_numbers,
            add_product_tiles<float>,
            add_product_tiles<double>,
            solver_table<float>(),
            solver_table<double>(),
            bf16};
}

} // namespace
} // namespace alxsim::spmd
