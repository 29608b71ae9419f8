// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spmd/kernels/kernels.h"

#include <algorithm>
#include <vector>

namespace alxsim::spmd {

/// A row-major matrix somewhere, or its transpose.
template <class Number>
struct MatrixAt {
    Number* numbers;
    std::int64_t row_stride;
    bool transposed = false;
};

/// result = left right, of which none overlap the result.
template <class Real>
struct Factors {
    MatrixAt<const Real> left;
    MatrixAt<const Real> right;
    MatrixAt<Real> result;
};

/// left [m x k], right [k x n], after transposing.
struct ProductShape {
    std::int64_t m, k, n;
};

/// result += left right. A transposed right matrix is copied first.
template <class Real>
void add_product(const Factors<Real>& factors, const ProductShape& shape)
{
    const auto& [left, right, result] = factors;
    const Real* numbers = right.numbers;
    std::int64_t stride = right.row_stride;
    std::vector<Real> copy;
    if (right.transposed) {
        copy.resize(static_cast<std::size_t>(shape.k * shape.n));
        for (std::int64_t j = 0; j < shape.n; ++j) {
            for (std::int64_t k = 0; k < shape.k; ++k) {
                copy[static_cast<std::size_t>(k * shape.n + j)] = numbers[j * stride + k];
            }
        }
        numbers = copy.data();
        stride = shape.n;
    }
    add_product(Product<Real>{
        shape.m, shape.k, shape.n, left.numbers, left.transposed ? 1 : left.row_stride,
        left.transposed ? left.row_stride : 1, numbers, stride, result.numbers, result.row_stride});
}

/// result = left right.
template <class Real>
void set_product(const Factors<Real>& factors, const ProductShape& shape)
{
    for (std::int64_t row = 0; row < shape.m; ++row) {
        Real* const numbers = factors.result.numbers + row * factors.result.row_stride;
        std::fill(numbers, numbers + shape.n, Real(0));
    }
    add_product(factors, shape);
}

/// sums[column] = sum over rows of x [rows x columns].
template <class Real>
void column_sums(const Real* x, std::int64_t rows, std::int64_t columns, Real* sums)
{
    std::fill(sums, sums + columns, Real(0));
    for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t i = 0; i < columns; ++i) {
            sums[i] += x[row * columns + i];
        }
    }
}

/// x[row][:] += bias.
template <class Real>
void add_bias(const Real* bias, std::int64_t rows, std::int64_t columns, Real* x)
{
    for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t i = 0; i < columns; ++i) {
            x[row * columns + i] += bias[i];
        }
    }
}

} // namespace alxsim::spmd
