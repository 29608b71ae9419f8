// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spmd/kernels/kernels.h"

#include <algorithm>
#include <functional>
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

/// result = left right, its sums over k made in pairs: of the sums over both halves of k, as long
/// as these are whole. Devices that each have an equal part of k, a power of two of them, make the
/// same bits if they add in pairs what they have.
template <class Real>
void set_product_in_pairs(const Factors<Real>& factors, const ProductShape& shape)
{
    if (shape.k % 2 != 0) {
        set_product(factors, shape);
        return;
    }
    const ProductShape half{shape.m, shape.k / 2, shape.n};
    set_product_in_pairs(factors, half);
    std::vector<Real> second(static_cast<std::size_t>(shape.m * shape.n));
    Factors<Real> behind = factors;
    behind.left.numbers += half.k * (factors.left.transposed ? factors.left.row_stride : 1);
    behind.right.numbers += half.k * (factors.right.transposed ? 1 : factors.right.row_stride);
    behind.result = {second.data(), shape.n};
    set_product_in_pairs(behind, half);
    for (std::int64_t row = 0; row < shape.m; ++row) {
        Real* const sums = factors.result.numbers + row * factors.result.row_stride;
        const Real* const added = second.data() + row * shape.n;
        std::transform(sums, sums + shape.n, added, sums, std::plus<Real>());
    }
}

/// A tensor [outer x length x inner] by one of its modes.
struct ModeShape {
    std::int64_t outer = 1, length = 1, inner = 1;
    std::int64_t elements() const { return outer * length * inner; }
};

enum class SumOrder { ascending, in_pairs };

/// result [outer x m x inner] = matrix [m x length] times mode `length` of x [outer x length x
/// inner].
template <class Real>
void mode_product(const Real* matrix, std::int64_t m, const Real* x, const ModeShape& shape,
                  Real* result, SumOrder order = SumOrder::ascending)
{
    const auto product = [&](const Factors<Real>& factors, const ProductShape& sizes) {
        if (order == SumOrder::in_pairs) {
            set_product_in_pairs(factors, sizes);
        } else {
            set_product(factors, sizes);
        }
    };
    const std::int64_t length = shape.length;
    if (shape.inner == 1) {
        product({{x, length}, {matrix, length, true}, {result, m}}, {shape.outer, length, m});
        return;
    }
    for (std::int64_t i = 0; i < shape.outer; ++i) {
        product({{matrix, length},
                 {x + i * length * shape.inner, shape.inner},
                 {result + i * m * shape.inner, shape.inner}},
                {m, length, shape.inner});
    }
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
