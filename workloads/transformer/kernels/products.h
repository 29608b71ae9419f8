// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/transformer/kernels/kernels.h"

// For the sources of this folder alone, each compiled for another level of CPU: nothing here may
// have a linkage that merges copies.

namespace alxsim::transformer {
namespace {

#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
#elif defined(__AVX__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif

/// As many numbers as a vector register holds (a GCC and Clang extension).
template <class Real>
struct PackOf;
template <>
struct PackOf<float> {
    using Type = float __attribute__((vector_size(vector_bytes)));
};
template <>
struct PackOf<double> {
    using Type = double __attribute__((vector_size(vector_bytes)));
};

/// A tile [Rows x Width packs] of the result, kept in registers while k goes by.
template <int Rows, int Width, class Real>
[[gnu::always_inline]] inline void add_tile(const Product<Real>& product, std::int64_t row,
                                            std::int64_t column)
{
    using Pack = typename PackOf<Real>::Type;
    constexpr int lanes = vector_bytes / static_cast<int>(sizeof(Real));
    Real* const result = product.result + row * product.result_row_stride + column;
    const Real* const left = product.left + row * product.left_row_stride;
    Pack sums[Rows][Width];
    for (int r = 0; r < Rows; ++r) {
        for (int w = 0; w < Width; ++w) {
            __builtin_memcpy(&sums[r][w], result + r * product.result_row_stride + w * lanes,
                             sizeof(Pack));
        }
    }
    for (std::int64_t k = 0; k < product.k; ++k) {
        const Real* const right = product.right + k * product.right_row_stride + column;
        Pack x[Width];
        for (int w = 0; w < Width; ++w) {
            __builtin_memcpy(&x[w], right + w * lanes, sizeof(Pack));
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
            __builtin_memcpy(result + r * product.result_row_stride + w * lanes, &sums[r][w],
                             sizeof(Pack));
        }
    }
}

/// Number by number, in the same order: what is left over at the right.
template <class Real>
void add_column(const Product<Real>& product, std::int64_t row, std::int64_t rows,
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
void add_rows(const Product<Real>& product, std::int64_t row)
{
    constexpr std::int64_t lanes = vector_bytes / static_cast<std::int64_t>(sizeof(Real));
    std::int64_t column = 0;
    for (; column + 2 * lanes <= product.n; column += 2 * lanes) {
        add_tile<Rows, 2>(product, row, column);
    }
    for (; column + lanes <= product.n; column += lanes) {
        add_tile<Rows, 1>(product, row, column);
    }
    for (; column < product.n; ++column) {
        add_column(product, row, Rows, column);
    }
}

template <class Real>
void add_tiles(const Product<Real>& product)
{
    constexpr int rows = 6;
    std::int64_t row = 0;
    for (; row + rows <= product.m; row += rows) {
        add_rows<rows>(product, row);
    }
    for (; row < product.m; ++row) {
        add_rows<1>(product, row);
    }
}

} // namespace
} // namespace alxsim::transformer
