// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/kernels/arithmetic.h"

namespace alxsim::alx {
namespace {

/// Rows of a tile whose sums stay in registers: half of these, beside what they are made of.
constexpr int tile_rows = vector_registers / 4;

/// Adds sum_k left[k][i] right[k][j] to the tile [Rows x Width packs] of the matrix.
template <class Sum, int Rows, int Width, class Real>
[[gnu::always_inline]] inline void add_tile(const Real* left, const Real* right, std::int64_t count,
                                            std::int64_t stride, Real* tile)
{
    constexpr int width = PackOf<Real>::width;
    Pack<Real> sums[Rows][Width] = {};
    for (std::int64_t k = 0; k < count; ++k) {
        const Real* factors = left + k * stride;
        const Real* row = right + k * stride;
        Pack<Real> x[Width];
        for (int v = 0; v < Width; ++v) {
            x[v] = load(row + v * width);
        }
        for (int r = 0; r < Rows; ++r) {
            const Pack<Real> factor = broadcast(factors[r]);
            for (int v = 0; v < Width; ++v) {
                sums[r][v] = Sum::add(x[v], factor, sums[r][v]);
            }
        }
    }
    for (int r = 0; r < Rows; ++r) {
        for (int v = 0; v < Width; ++v) {
            Real* target = tile + r * stride + v * width;
            store(target, load(target) + sums[r][v]);
        }
    }
}

/// The upper triangle, tile by tile.
template <class Sum, class Real>
void add_tiles(const Real* left, const Real* right, std::int64_t count, std::int64_t stride,
               Real* matrix)
{
    constexpr int width = PackOf<Real>::width;
    for (int i = 0; i < stride; i += tile_rows) {
        int j = i / width * width;
        for (; j + 2 * width <= stride; j += 2 * width) {
            add_tile<Sum, tile_rows, 2>(left + i, right + j, count, stride,
                                        matrix + i * stride + j);
        }
        for (; j < stride; j += width) {
            add_tile<Sum, tile_rows, 1>(left + i, right + j, count, stride,
                                        matrix + i * stride + j);
        }
    }
}

/// bf16 numbers whose products are no subnormal numbers of f32, and finite.
bool are_bf16_numbers(const float* numbers, std::int64_t count)
{
    constexpr std::uint32_t smallest = 64U << 23; // 2^-63
    constexpr std::uint32_t largest = 189U << 23; // 2^62
    std::uint32_t wrong = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        std::uint32_t bits = 0;
        __builtin_memcpy(&bits, numbers + i, sizeof bits);
        const std::uint32_t magnitude = bits & 0x7fffffffU;
        wrong |= bits & 0xffffU;
        wrong |= static_cast<std::uint32_t>(magnitude - smallest > largest - smallest) &
                 static_cast<std::uint32_t>(magnitude != 0);
    }
    return wrong == 0;
}

/// Numbers that f32 holds: f64 holds their products.
bool are_f32_numbers(const double* numbers, std::int64_t count)
{
    bool right = true;
    for (std::int64_t i = 0; i < count; ++i) {
        right &= static_cast<double>(static_cast<float>(numbers[i])) == numbers[i];
    }
    return right;
}

void add_outer_products(const float* left, const float* right, std::int64_t count,
                        std::int64_t stride, float* matrix)
{
#if !ALXSIM_HAS_FMA
    if (are_bf16_numbers(left, count * stride) &&
        (left == right || are_bf16_numbers(right, count * stride))) {
        add_tiles<ExactProducts>(left, right, count, stride, matrix);
        return;
    }
#endif
    add_tiles<Rounded>(left, right, count, stride, matrix);
}

void add_outer_products_f64(const double* rows, std::int64_t count, std::int64_t stride,
                            double* matrix)
{
    if (are_f32_numbers(rows, count * stride)) {
        add_tiles<ExactProducts>(rows, rows, count, stride, matrix);
    } else {
        add_tiles<Rounded>(rows, rows, count, stride, matrix);
    }
}

void add_rows(const float* rows, std::int64_t count, std::int64_t stride, float* sum)
{
    constexpr int width = PackOf<float>::width;
    constexpr int packs = 16 / width;
    for (int j = 0; j < stride; j += 16) {
        FloatPack sums[packs] = {};
        for (std::int64_t k = 0; k < count; ++k) {
            for (int v = 0; v < packs; ++v) {
                sums[v] += load(rows + k * stride + j + v * width);
            }
        }
        for (int v = 0; v < packs; ++v) {
            float* target = sum + j + v * width;
            store(target, load(target) + sums[v]);
        }
    }
}

using Quad = float __attribute__((vector_size(16)));

/// to[c][r] = from[r][c], 4 x 4.
[[gnu::always_inline]] inline void transpose_square(const float* from, std::int64_t stride,
                                                    float* to)
{
    Quad rows[4];
    for (int r = 0; r < 4; ++r) {
        __builtin_memcpy(&rows[r], from + r * stride, sizeof rows[r]);
    }
    const Quad low01 = __builtin_shufflevector(rows[0], rows[1], 0, 4, 1, 5);
    const Quad high01 = __builtin_shufflevector(rows[0], rows[1], 2, 6, 3, 7);
    const Quad low23 = __builtin_shufflevector(rows[2], rows[3], 0, 4, 1, 5);
    const Quad high23 = __builtin_shufflevector(rows[2], rows[3], 2, 6, 3, 7);
    const Quad columns[4] = {__builtin_shufflevector(low01, low23, 0, 1, 4, 5),
                             __builtin_shufflevector(low01, low23, 2, 3, 6, 7),
                             __builtin_shufflevector(high01, high23, 0, 1, 4, 5),
                             __builtin_shufflevector(high01, high23, 2, 3, 6, 7)};
    for (int c = 0; c < 4; ++c) {
        __builtin_memcpy(to + c * stride, &columns[c], sizeof columns[c]);
    }
}

void add_and_mirror(const float* other, std::int64_t stride, float* matrix)
{
    constexpr int width = PackOf<float>::width;
    for (std::int64_t i = 0; i < stride; ++i) {
        for (std::int64_t j = i / width * width; j < stride; j += width) {
            float* target = matrix + i * stride + j;
            store(target, load(target) + load(other + i * stride + j));
        }
    }
    for (std::int64_t i = 0; i < stride; i += 4) {
        for (std::int64_t row = i; row < i + 4; ++row) {
            for (std::int64_t j = row + 1; j < i + 4; ++j) {
                matrix[j * stride + row] = matrix[row * stride + j];
            }
        }
        for (std::int64_t j = i + 4; j < stride; j += 4) {
            transpose_square(matrix + i * stride + j, stride, matrix + j * stride + i);
        }
    }
}

void widen(const Bf16* from, std::int64_t count, float* to)
{
    for (std::int64_t i = 0; i < count; ++i) {
        const std::uint32_t bits = static_cast<std::uint32_t>(from[i]) << 16;
        __builtin_memcpy(to + i, &bits, sizeof bits);
    }
}

} // namespace
} // namespace alxsim::alx
