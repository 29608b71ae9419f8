// SPDX-License-Identifier: Apache-2.0
#include "alx/statistics.h"

#include "alx/lanes.h"

namespace alxsim::alx {
namespace {

constexpr int tile_rows = 4;

/// The tile [tile_rows x Width registers] of the sum over all k stays in registers, and is added to
/// the matrix at the end: so that sums over many blocks of rows round like sums of blocks.
template <class LanesOf, int Width, class Real>
void add_tile(const Real* left, const Real* right, std::int64_t count, int stride, int i, int j,
              Real* matrix)
{
    constexpr int width = sizeof(LanesOf) / sizeof(Real);
    LanesOf sums[tile_rows][Width] = {};
    for (std::int64_t k = 0; k < count; ++k) {
        const Real* factors = left + k * stride + i;
        const Real* row = right + k * stride;
        LanesOf x[Width];
        for (int v = 0; v < Width; ++v) {
            load(x[v], row + j + v * width);
        }
        for (int r = 0; r < tile_rows; ++r) {
            for (int v = 0; v < Width; ++v) {
                sums[r][v] += x[v] * factors[r];
            }
        }
    }
    for (int r = 0; r < tile_rows; ++r) {
        for (int v = 0; v < Width; ++v) {
            Real* target = matrix + (i + r) * stride + j + v * width;
            LanesOf before;
            load(before, target);
            store(target, before + sums[r][v]);
        }
    }
}

/// The upper triangle, tile by tile.
template <class LanesOf, class Real>
void add_tiles(const Real* left, const Real* right, std::int64_t count, int stride, Real* matrix)
{
    constexpr int width = sizeof(LanesOf) / sizeof(Real);
    for (int i = 0; i < stride; i += tile_rows) {
        int j = i / width * width;
        for (; j + 2 * width <= stride; j += 2 * width) {
            add_tile<LanesOf, 2>(left, right, count, stride, i, j, matrix);
        }
        for (; j < stride; j += width) {
            add_tile<LanesOf, 1>(left, right, count, stride, i, j, matrix);
        }
    }
}

template <int Width>
void multiply_block(const float* matrix, const float* x, int stride, int j, float* product)
{
    Lanes sums[Width] = {};
    for (int i = 0; i < stride; ++i) {
        for (int v = 0; v < Width; ++v) {
            Lanes row;
            load(row, matrix + i * stride + j + v * lane_count);
            sums[v] += row * x[i];
        }
    }
    for (int v = 0; v < Width; ++v) {
        store(product + j + v * lane_count, sums[v]);
    }
}

} // namespace

void add_outer_products(const float* left, const float* right, std::int64_t count, int stride,
                        float* matrix)
{
    add_tiles<Lanes>(left, right, count, stride, matrix);
}

void add_outer_products(const double* rows, std::int64_t count, int stride, double* matrix)
{
    add_tiles<DoubleLanes>(rows, rows, count, stride, matrix);
}

void add_outer_products(const float* rows, std::int64_t count, int stride, float* matrix)
{
    add_outer_products(rows, rows, count, stride, matrix);
}

void multiply_symmetric(const float* matrix, const float* x, int stride, float* product)
{
    int j = 0;
    for (; j + 4 * lane_count <= stride; j += 4 * lane_count) {
        multiply_block<4>(matrix, x, stride, j, product);
    }
    for (; j < stride; j += lane_count) {
        multiply_block<1>(matrix, x, stride, j, product);
    }
}

} // namespace alxsim::alx
