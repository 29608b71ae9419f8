// SPDX-License-Identifier: Apache-2.0
#include "alx/statistics.h"

#include "alx/lanes.h"

namespace alxsim::alx {
namespace {

constexpr int tile_rows = 4;

/// The tile [tile_rows x Width * lane_count] of the result stays in registers over all k.
template <int Width>
void add_tile(const float* left, const float* right, std::int64_t count, int stride, int i, int j,
              float* matrix)
{
    Lanes sums[tile_rows][Width];
    for (int r = 0; r < tile_rows; ++r) {
        for (int v = 0; v < Width; ++v) {
            load(sums[r][v], matrix + (i + r) * stride + j + v * lane_count);
        }
    }
    for (std::int64_t k = 0; k < count; ++k) {
        const float* factors = left + k * stride + i;
        const float* row = right + k * stride;
        Lanes x[Width];
        for (int v = 0; v < Width; ++v) {
            load(x[v], row + j + v * lane_count);
        }
        for (int r = 0; r < tile_rows; ++r) {
            for (int v = 0; v < Width; ++v) {
                sums[r][v] += x[v] * factors[r];
            }
        }
    }
    for (int r = 0; r < tile_rows; ++r) {
        for (int v = 0; v < Width; ++v) {
            store(matrix + (i + r) * stride + j + v * lane_count, sums[r][v]);
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
    for (int i = 0; i < stride; i += tile_rows) {
        int j = i / lane_count * lane_count;
        for (; j + 2 * lane_count <= stride; j += 2 * lane_count) {
            add_tile<2>(left, right, count, stride, i, j, matrix);
        }
        for (; j < stride; j += lane_count) {
            add_tile<1>(left, right, count, stride, i, j, matrix);
        }
    }
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
