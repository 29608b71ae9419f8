// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spmd/buffer.h"
#include "spmd/kernels/kernels.h"

#include <cstdint>

namespace alxsim::alx {

// f32 and f64 through the kernels; what f64 and bf16 need beside them is not tuned.

/// Adds the upper triangle of sum_k l_k r_k^T, k over the rows of `left` and `right` [count x
/// stride], summed in ascending k, to `matrix` ([stride x stride], row-major; some of the lower
/// triangle is written too). stride is a spmd::padded(dim).
inline void add_outer_products(const float* left, const float* right, std::int64_t count,
                               int stride, float* matrix)
{
    spmd::kernels().add_outer_products(left, right, count, stride, matrix);
}

/// The same of sum_k e_k e_k^T; if `fresh`, the matrix is taken to be zero.
inline void add_outer_products(const float* rows, std::int64_t count, int stride, bool fresh,
                               float* matrix)
{
    const auto add =
        fresh ? spmd::kernels().set_outer_products : spmd::kernels().add_outer_products;
    add(rows, rows, count, stride, matrix);
}
inline void add_outer_products(const double* rows, std::int64_t count, int stride, double* matrix)
{
    spmd::kernels().add_outer_products_f64(rows, count, stride, matrix);
}

/// Adds sum_k e_k to `sum` [stride].
inline void add_rows(const float* rows, std::int64_t count, int stride, float* sum)
{
    spmd::kernels().add_rows(rows, count, stride, sum);
}
inline void add_rows(const double* rows, std::int64_t count, int stride, double* sum)
{
    for (int i = 0; i < stride; ++i) {
        double column = 0;
        for (std::int64_t k = 0; k < count; ++k) {
            column += rows[k * stride + i];
        }
        sum[i] += column;
    }
}

/// What a solver reads of a symmetric matrix.
enum class Triangle {
    both,
    upper, ///< of f32 matrices; the blocks on the diagonal are whole (spmd::block_edge)
};

/// Adds `other` to a matrix of which the upper triangle counts, and completes what is read of it.
inline void add_and_complete(const float* other, int stride, Triangle read, float* matrix)
{
    const auto add =
        read == Triangle::upper ? spmd::kernels().add_upper : spmd::kernels().add_and_mirror;
    add(other, stride, matrix);
}
template <class Real>
void add_and_complete(const Real* other, int stride, Triangle /*read*/, Real* matrix)
{
    for (int i = 0; i < stride; ++i) {
        for (int j = i; j < stride; ++j) {
            matrix[i * stride + j] += other[i * stride + j];
            matrix[j * stride + i] = matrix[i * stride + j];
        }
    }
}

/// Adds the upper triangle of sum_k e_k e_k^T to `matrix` ([stride x stride]) as bf16 hardware does
/// for f32 operands: `passes` products of bf16 parts, summed in f32. 1: e rounded to bf16; 3: hi
/// hi, hi lo, lo hi; 6: three parts, all products but the smallest three (XLA's HIGH and HIGHEST).
/// exact_products: f32. `rows` is [count x stride]; `parts` is grown as needed. If `fresh`, the
/// matrix is taken to be zero.
void add_outer_products_in_passes(const float* rows, std::int64_t count, int stride, int passes,
                                  bool fresh, float* matrix, spmd::FloatBuffer& parts);

} // namespace alxsim::alx
