// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/lanes.h"

#include <algorithm>
#include <cstdint>

namespace alxsim::alx {

// Each kernel has a tuned form in f32, outer products also in f64, and an open one in any other
// number.

/// Adds the upper triangle of sum_k e_k e_k^T, summed in ascending k, to `matrix` ([stride x
/// stride], row-major; some of the lower triangle is written too). `rows` is [count x stride],
/// stride a padded(dim).
void add_outer_products(const float* rows, std::int64_t count, int stride, float* matrix);

/// The same of l_k r_k^T, k over the rows of `left` and `right`.
void add_outer_products(const float* left, const float* right, std::int64_t count, int stride,
                        float* matrix);

/// In f64.
void add_outer_products(const double* rows, std::int64_t count, int stride, double* matrix);

template <class Real>
void add_outer_products(const Real* rows, std::int64_t count, int stride, Real* matrix)
{
    for (std::int64_t k = 0; k < count; ++k) {
        const Real* row = rows + k * stride;
        for (int i = 0; i < stride; ++i) {
            for (int j = i; j < stride; ++j) {
                matrix[i * stride + j] += row[i] * row[j];
            }
        }
    }
}

/// Copies the upper triangle onto the lower one.
template <class Real>
void mirror_upper(Real* matrix, int stride)
{
    for (int i = 0; i < stride; ++i) {
        for (int j = 0; j < i; ++j) {
            matrix[i * stride + j] = matrix[j * stride + i];
        }
    }
}

/// Adds sum_k e_k to `sum` [stride], `width` columns at a time; stride is a multiple of it.
template <class Real>
void add_rows(const Real* rows, std::int64_t count, int stride, Real* sum)
{
    constexpr int width = padded(1);
    for (int j = 0; j < stride; j += width) {
        Real block[width] = {};
        for (std::int64_t k = 0; k < count; ++k) {
            for (int i = 0; i < width; ++i) {
                block[i] += rows[k * stride + j + i];
            }
        }
        for (int i = 0; i < width; ++i) {
            sum[j + i] += block[i];
        }
    }
}

/// product = matrix * x for a symmetric, padded matrix.
void multiply_symmetric(const float* matrix, const float* x, int stride, float* product);

template <class Real>
void multiply_symmetric(const Real* matrix, const Real* x, int stride, Real* product)
{
    for (int i = 0; i < stride; ++i) {
        product[i] = dot(matrix + i * stride, x, stride);
    }
}

} // namespace alxsim::alx
