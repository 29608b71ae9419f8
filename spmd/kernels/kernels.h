// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cpu_level.h"
#include "base/numbers/bf16.h"
#include "spmd/bf16_number.h"
#include "spmd/kernels/linear_system.h"

#include <cstddef>
#include <cstdint>

namespace alxsim::spmd {

/// How systems are solved, in one kind of number. `scratch` holds scratch_numbers(stride) numbers.
template <class Real>
struct SolverKernels {
    using Direct = void (*)(const LinearSystemOf<Real>& system, Real* scratch);

    /// As jax.scipy.sparse.linalg.cg: x0 = 0, no preconditioner, stops once |r|^2 <= tolerance^2
    /// |b|^2 or after `limit` iterations. Returns the iterations.
    std::int64_t (*conjugate_gradients)(const LinearSystemOf<Real>& system, Real tolerance,
                                        std::int64_t limit, Real* scratch);
    /// The same of two systems [2] of one size, to the same bits, and quicker than one by one: what
    /// each waits for is hidden. `iterations`: [2].
    void (*conjugate_gradients_of_two)(const LinearSystemOf<Real>* systems, Real tolerance,
                                       std::int64_t limit, Real* scratch, std::int64_t* iterations);
    Direct cholesky; ///< A = U^T U; reads the upper triangle alone
    Direct lu;       ///< P A = L U with partial pivoting
    Direct qr;       ///< A = Q R by Householder reflectors
};

constexpr std::size_t scratch_numbers(std::int64_t stride)
{
    return 6 * static_cast<std::size_t>(stride);
}

/// Adds left [m x k] times right [k x n] to result [m x n]. Strides count numbers; the columns of
/// `right` and `result` lie next to each other.
template <class Real>
struct Product {
    std::int64_t m, k, n;
    const Real* left;
    std::int64_t left_row_stride, left_column_stride;
    const Real* right;
    std::int64_t right_row_stride;
    Real* result;
    std::int64_t result_row_stride;
};

/// The inner loops, compiled once for every level of CPU. All levels give the same bits: each
/// number is summed in one fixed order (by ascending row or column), whatever the width of vectors,
/// and an f32 product is fused with its sum, one rounding for both: by an instruction, or by
/// arithmetic in f64 on CPUs that have none. In f64, and in add_product, products are rounded by
/// themselves.
struct Kernels {
    /// Adds the upper triangle of sum_k l_k r_k^T, k over the rows of `left` and `right` [count x
    /// stride], to `matrix` [stride x stride] (some of the lower triangle is written too). Sums are
    /// complete before they are added, so that sums over blocks of rows round like sums of blocks.
    void (*add_outer_products)(const float* left, const float* right, std::int64_t count,
                               std::int64_t stride, float* matrix);
    /// The same with a matrix that is taken to be zero.
    void (*set_outer_products)(const float* left, const float* right, std::int64_t count,
                               std::int64_t stride, float* matrix);
    /// Adds the upper triangle of sum_k e_k e_k^T, in f64.
    void (*add_outer_products_f64)(const double* rows, std::int64_t count, std::int64_t stride,
                                   double* matrix);
    /// Adds sum_k e_k to `sum` [stride].
    void (*add_rows)(const float* rows, std::int64_t count, std::int64_t stride, float* sum);
    /// Adds `other` to the upper triangle, then copies it onto the lower one.
    void (*add_and_mirror)(const float* other, std::int64_t stride, float* matrix);
    /// The same of the blocks on the diagonal and right of it alone ([block_edge x block_edge]).
    void (*add_upper)(const float* other, std::int64_t stride, float* matrix);
    /// Numbers as sums of one to three bf16 numbers, [parts x count]: the nearest, the nearest to
    /// the rest, and so on. `to` does not overlap `from`.
    void (*split_into_bf16)(const float* from, std::int64_t count, int parts, float* to);
    void (*widen)(const Bf16* from, std::int64_t count, float* to);

    /// Scores of rows [count x dim] for a panel of queries [dim x panel_width], by ascending
    /// dimension, to `scores` [count x panel_width]. `bf16`: that both hold bf16 numbers is known.
    void (*score_rows)(const float* rows, std::int64_t count, const float* panel, int dim,
                       bool bf16, float* scores);
    /// Where scores [count x panel_width] are greater than their query's bound [panel_width], in
    /// ascending order, to `places` [count x panel_width]. Returns how many.
    std::int64_t (*find_above)(const float* scores, std::int64_t count, const float* bounds,
                               std::int32_t* places);
    int panel_width;
    /// Whether all are bf16 numbers whose products f32 holds exactly.
    bool (*are_bf16)(const float* numbers, std::int64_t count);

    /// Each number of the result is added up by ascending k, products and sums rounded one by one.
    void (*add_product_f32)(const Product<float>& product);
    void (*add_product_f64)(const Product<double>& product);

    SolverKernels<float> f32;
    SolverKernels<double> f64;
    SolverKernels<Bf16Number> bf16;
};

/// Those of cpu_level().
const Kernels& kernels();
/// Those of a level that this CPU has.
const Kernels& kernels_of(CpuLevel level);

inline void add_product(const Product<float>& product)
{
    kernels().add_product_f32(product);
}
inline void add_product(const Product<double>& product)
{
    kernels().add_product_f64(product);
}

template <class Real>
const SolverKernels<Real>& solver_kernels();
template <>
inline const SolverKernels<float>& solver_kernels()
{
    return kernels().f32;
}
template <>
inline const SolverKernels<double>& solver_kernels()
{
    return kernels().f64;
}
template <>
inline const SolverKernels<Bf16Number>& solver_kernels()
{
    return kernels().bf16;
}

} // namespace alxsim::spmd
