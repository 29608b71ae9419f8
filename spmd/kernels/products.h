// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spmd/kernels/arithmetic.h"
#include "spmd/kernels/linear_system.h"

#include <utility>

namespace alxsim::spmd {
namespace {

/// Rows of a tile whose sums stay in registers: half of these, beside what they are made of.
constexpr int tile_rows = vector_registers / 4;

/// What a tile's sums are added to: itself, or zeros.
enum class Tile { kept, fresh };

/// Adds sum_k left[k][i] right[k][j] to the tile [Rows x Width packs] of the matrix.
template <class Sum, Tile Before, int Rows, int Width, class Real>
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
            const Pack<Real> before = Before == Tile::kept ? load(target) : Pack<Real>{};
            store(target, before + sums[r][v]);
        }
    }
}

/// The upper triangle, tile by tile.
template <class Sum, Tile Before, class Real>
void add_tiles(const Real* left, const Real* right, std::int64_t count, std::int64_t stride,
               Real* matrix)
{
    constexpr int width = PackOf<Real>::width;
    for (int i = 0; i < stride; i += tile_rows) {
        int j = i / width * width;
        for (; j + 2 * width <= stride; j += 2 * width) {
            add_tile<Sum, Before, tile_rows, 2>(left + i, right + j, count, stride,
                                                matrix + i * stride + j);
        }
        for (; j < stride; j += width) {
            add_tile<Sum, Before, tile_rows, 1>(left + i, right + j, count, stride,
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

template <Tile Before>
void add_products(const float* left, const float* right, std::int64_t count, std::int64_t stride,
                  float* matrix)
{
#if !ALXSIM_HAS_FMA
    if (are_bf16_numbers(left, count * stride) &&
        (left == right || are_bf16_numbers(right, count * stride))) {
        add_tiles<ExactProducts, Before>(left, right, count, stride, matrix);
        return;
    }
#endif
    add_tiles<Rounded, Before>(left, right, count, stride, matrix);
}

void add_outer_products(const float* left, const float* right, std::int64_t count,
                        std::int64_t stride, float* matrix)
{
    add_products<Tile::kept>(left, right, count, stride, matrix);
}

void set_outer_products(const float* left, const float* right, std::int64_t count,
                        std::int64_t stride, float* matrix)
{
    add_products<Tile::fresh>(left, right, count, stride, matrix);
}

void add_outer_products_f64(const double* rows, std::int64_t count, std::int64_t stride,
                            double* matrix)
{
    if (are_f32_numbers(rows, count * stride)) {
        add_tiles<ExactProducts, Tile::kept>(rows, rows, count, stride, matrix);
    } else {
        add_tiles<Rounded, Tile::kept>(rows, rows, count, stride, matrix);
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

/// A square block of a matrix, a row in each pack.
constexpr int block_width = PackOf<float>::width;
using Block = FloatPack[block_width];
using Lanes = std::make_integer_sequence<int, block_width>;

/// Swaps, in each two neighbouring runs of `Run` lanes, the second ones of `a` and the first ones
/// of `b`.
template <int Run, int... Lane>
[[gnu::always_inline]] inline void swap_runs(FloatPack& a, FloatPack& b,
                                             std::integer_sequence<int, Lane...> /*lanes*/)
{
    const FloatPack first =
        __builtin_shufflevector(a, b, ((Lane & Run) == 0 ? Lane : block_width + Lane - Run)...);
    b = __builtin_shufflevector(a, b, ((Lane & Run) == 0 ? Lane + Run : block_width + Lane)...);
    a = first;
}

/// Transposes the blocks of 2 Run x 2 Run, of which those of Run x Run are transposed.
template <int Run>
[[gnu::always_inline]] inline void transpose_blocks(Block& rows)
{
    if constexpr (Run < block_width) {
        for (int row = 0; row < block_width; ++row) {
            if ((row & Run) == 0) {
                swap_runs<Run>(rows[row], rows[row + Run], Lanes());
            }
        }
        transpose_blocks<2 * Run>(rows);
    }
}

/// Lanes below `row` of `low`, the rest of `high`.
template <int... Lane>
[[gnu::always_inline]] inline FloatPack lanes_below(int row, FloatPack low, FloatPack high,
                                                    std::integer_sequence<int, Lane...> /*lanes*/)
{
    using Ints = int __attribute__((vector_size(vector_bytes)));
    return Ints{Lane...} < row ? low : high;
}

/// Adds `other` to the block of rows and columns from (i, j) on, and copies it to (j, i).
[[gnu::always_inline]] inline void add_and_mirror_block(const float* other, std::int64_t stride,
                                                        std::int64_t i, std::int64_t j,
                                                        float* matrix)
{
    Block rows;
    for (int r = 0; r < block_width; ++r) {
        const std::int64_t at = (i + r) * stride + j;
        rows[r] = load(matrix + at) + load(other + at);
        store(matrix + at, rows[r]);
    }
    transpose_blocks<1>(rows);
    for (int r = 0; r < block_width; ++r) {
        float* target = matrix + (j + r) * stride + i;
        store(target, i == j ? lanes_below(r, rows[r], load(target), Lanes()) : rows[r]);
    }
}

[[gnu::always_inline]] inline void add_and_mirror_blocks(const float* other, std::int64_t stride,
                                                         float* matrix)
{
    for (std::int64_t i = 0; i < stride; i += block_width) {
        add_and_mirror_block(other, stride, i, i, matrix);
        for (std::int64_t j = i + block_width; j < stride; j += block_width) {
            add_and_mirror_block(other, stride, i, j, matrix);
        }
    }
}

/// For the usual strides the compiler knows the rows' distances, which registers do not hold.
void add_and_mirror(const float* other, std::int64_t stride, float* matrix)
{
    switch (stride) {
    case 64:
        add_and_mirror_blocks(other, 64, matrix);
        break;
    case 128:
        add_and_mirror_blocks(other, 128, matrix);
        break;
    default:
        add_and_mirror_blocks(other, stride, matrix);
    }
}

void add_upper(const float* other, std::int64_t stride, float* matrix)
{
    for (std::int64_t i = 0; i < stride; ++i) {
        for (std::int64_t j = (i / block_edge + 1) * block_edge; j < stride; j += block_width) {
            float* target = matrix + i * stride + j;
            store(target, load(target) + load(other + i * stride + j));
        }
    }
    for (std::int64_t first = 0; first < stride; first += block_edge) {
        for (std::int64_t i = first; i < first + block_edge; i += block_width) {
            for (std::int64_t j = i; j < first + block_edge; j += block_width) {
                add_and_mirror_block(other, stride, i, j, matrix);
            }
        }
    }
}

/// As to_float(to_bf16(x)), without a branch.
[[gnu::always_inline]] inline float nearest_bf16(float x)
{
    std::uint32_t bits = 0;
    __builtin_memcpy(&bits, &x, sizeof bits);
    const bool is_number = (bits & 0x7fffffffU) <= 0x7f800000U;
    const std::uint32_t rounded = bits + 0x7fffU + ((bits >> 16) & 1U);
    bits = (is_number ? rounded : bits | 0x00400000U) & 0xffff0000U;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}

template <int Parts>
void split_in(const float* from, std::int64_t count, float* to)
{
    for (std::int64_t i = 0; i < count; ++i) {
        float rest = from[i];
        for (int part = 0; part < Parts; ++part) {
            const float rounded = nearest_bf16(rest);
            to[part * count + i] = rounded;
            rest -= rounded;
        }
    }
}

void split_into_bf16(const float* from, std::int64_t count, int parts, float* to)
{
    const auto split = parts == 1 ? split_in<1> : parts == 2 ? split_in<2> : split_in<3>;
    split(from, count, to);
}

void widen(const Bf16* from, std::int64_t count, float* to)
{
    for (std::int64_t i = 0; i < count; ++i) {
        const std::uint32_t bits = static_cast<std::uint32_t>(from[i]) << 16;
        __builtin_memcpy(to + i, &bits, sizeof bits);
    }
}

} // namespace
} // namespace alxsim::spmd
