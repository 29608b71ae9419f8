// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cpu_level.h"

#include <cstdint>

namespace alxsim::transformer {

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

/// The inner loop, compiled once for every level of CPU. All levels give the same bits: each number
/// of the result is added up by ascending k, products and sums rounded one by one.
struct Kernels {
    void (*add_product_f32)(const Product<float>& product);
    void (*add_product_f64)(const Product<double>& product);
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

} // namespace alxsim::transformer
