// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spmd/kernels/arithmetic.h"
#include "spmd/kernels/kernels.h"

namespace alxsim::spmd {
namespace {

/// A tile [Rows x Width packs] of the result, kept in registers while k goes by.
template <int Rows, int Width, class Real>
[[gnu::always_inline]] inline void add_product_tile(const Product<Real>& product, std::int64_t row,
                                                    std::int64_t column)
{
    constexpr int lanes = PackOf<Real>::width;
    Real* const result = product.result + row * product.result_row_stride + column;
    const Real* const left = product.left + row * product.left_row_stride;
    Pack<Real> sums[Rows][Width];
    for (int r = 0; r < Rows; ++r) {
        for (int w = 0; w < Width; ++w) {
            sums[r][w] = load(result + r * product.result_row_stride + w * lanes);
        }
    }
    for (std::int64_t k = 0; k < product.k; ++k) {
        const Real* const right = product.right + k * product.right_row_stride + column;
        Pack<Real> x[Width];
        for (int w = 0; w < Width; ++w) {
            x[w] = load(right + w * lanes);
        }
        for (int r = 0; r < Rows; ++r) {
            const Real factor = left[r * product.left_row_stride + k * product.left_column_stride];
            for (int w = 0; w < Width; ++w) {
                sums[r][w] += factor * x[w];
            }
        }
    }
    for (int r = 0; r < Rows; ++r) {
        for (int w = 0; w < Width; ++w) {
            store(result + r * product.result_row_stride + w * lanes, sums[r][w]);
        }
    }
}

/// Number by number, in the same order: what is left over at the right.
template <class Real>
void add_product_column(const Product<Real>& product, std::int64_t row, std::int64_t rows,
                        std::int64_t column)
{
    for (std::int64_t r = row; r < row + rows; ++r) {
        Real sum = product.result[r * product.result_row_stride + column];
        for (std::int64_t k = 0; k < product.k; ++k) {
            sum += product.left[r * product.left_row_stride + k * product.left_column_stride] *
                   product.right[k * product.right_row_stride + column];
        }
        product.result[r * product.result_row_stride + column] = sum;
    }
}

template <int Rows, class Real>
void add_product_rows(const Product<Real>& product, std::int64_t row)
{
    constexpr std::int64_t lanes = PackOf<Real>::width;
    std::int64_t column = 0;
    for (; column + 2 * lanes <= product.n; column += 2 * lanes) {
        add_product_tile<Rows, 2>(product, row, column);
    }
    for (; column + lanes <= product.n; column += lanes) {
        add_product_tile<Rows, 1>(product, row, column);
    }
    for (; column < product.n; ++column) {
        add_product_column(product, row, Rows, column);
    }
}

template <class Real>
void add_product_tiles(const Product<Real>& product)
{
    constexpr int rows = 6;
    std::int64_t row = 0;
    for (; row + rows <= product.m; row += rows) {
        add_product_rows<rows>(product, row);
    }
    for (; row < product.m; ++row) {
        add_product_rows<1>(product, row);
    }
}

} // namespace
} // namespace alxsim::spmd
