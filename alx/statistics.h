// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace alxsim::alx {

/// Adds the upper triangle of sum_k e_k e_k^T, in ascending k, to `matrix` ([stride x stride],
/// row-major; some of the lower triangle is written too). `rows` is [count x stride], stride a
/// padded(dim).
void add_outer_products(const float* rows, std::int64_t count, int stride, float* matrix);

/// Copies the upper triangle onto the lower one.
void mirror_upper(float* matrix, int stride);

/// Adds sum_k e_k to `sum` [stride].
void add_rows(const float* rows, std::int64_t count, int stride, float* sum);

/// product = matrix * x for a symmetric, padded matrix.
void multiply_symmetric(const float* matrix, const float* x, int stride, float* product);

} // namespace alxsim::alx
