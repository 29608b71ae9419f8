// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spmd/kernels/arithmetic.h"
#include "spmd/kernels/kernels.h"

namespace alxsim::spmd {
namespace {

/// Queries lie side by side in packs; a row's number is multiplied with that of all of them.
constexpr int panel_packs = 2;
constexpr int panel_width = panel_packs * PackOf<float>::width;

/// Rows of a tile whose sums take three quarters of the registers.
constexpr int scored_rows = vector_registers * 3 / 4 / panel_packs;

/// Scores of Rows rows, [Rows x panel_width].
template <class Sum, int Rows>
[[gnu::always_inline]] inline void score_tile(const float* rows, const float* panel, int dim,
                                              float* scores)
{
    constexpr int width = PackOf<float>::width;
    FloatPack sums[Rows][panel_packs] = {};
    for (int i = 0; i < dim; ++i) {
        FloatPack queries[panel_packs];
        for (int v = 0; v < panel_packs; ++v) {
            queries[v] = load(panel + i * panel_width + v * width);
        }
        for (int r = 0; r < Rows; ++r) {
            const FloatPack factor = broadcast(rows[r * dim + i]);
            for (int v = 0; v < panel_packs; ++v) {
                sums[r][v] = Sum::add(queries[v], factor, sums[r][v]);
            }
        }
    }
    for (int r = 0; r < Rows; ++r) {
        for (int v = 0; v < panel_packs; ++v) {
            store(scores + r * panel_width + v * width, sums[r][v]);
        }
    }
}

template <class Sum>
void score_rows_with(const float* rows, std::int64_t count, const float* panel, int dim,
                     float* scores)
{
    std::int64_t row = 0;
    for (; row + scored_rows <= count; row += scored_rows) {
        score_tile<Sum, scored_rows>(rows + row * dim, panel, dim, scores + row * panel_width);
    }
    for (; row < count; ++row) {
        score_tile<Sum, 1>(rows + row * dim, panel, dim, scores + row * panel_width);
    }
}

void score_rows(const float* rows, std::int64_t count, const float* panel, int dim, bool bf16,
                float* scores)
{
    if (bf16) {
        score_rows_with<ExactProducts>(rows, count, panel, dim, scores);
    } else {
        score_rows_with<Rounded>(rows, count, panel, dim, scores);
    }
}

std::int64_t find_above(const float* scores, std::int64_t count, const float* bounds,
                        std::int32_t* places)
{
    constexpr int width = PackOf<float>::width;
    std::int64_t found = 0;
    for (std::int64_t row = 0; row < count; ++row) {
        std::uint32_t above = 0; // bit q: of query q
        for (int v = 0; v < panel_packs; ++v) {
            above |= greater(load(scores + row * panel_width + v * width), load(bounds + v * width))
                     << (v * width);
        }
        for (; above != 0; above &= above - 1) {
            places[found++] = static_cast<std::int32_t>(row) * panel_width + __builtin_ctz(above);
        }
    }
    return found;
}

} // namespace
} // namespace alxsim::spmd
