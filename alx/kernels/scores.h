// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/kernels/arithmetic.h"
#include "alx/kernels/kernels.h"

namespace alxsim::alx {
namespace {

constexpr int panel_packs = 2;
constexpr int panel_width = panel_packs * PackOf<float>::width;

template <class Sum>
void score_panel_with(const float* panel, const float* queries, int dim, std::int64_t stride,
                      float* scores)
{
    constexpr int width = PackOf<float>::width;
    FloatPack sums[scored_queries][panel_packs] = {};
    for (int i = 0; i < dim; ++i) {
        FloatPack rows[panel_packs];
        for (int v = 0; v < panel_packs; ++v) {
            rows[v] = load(panel + i * panel_width + v * width);
        }
        for (int q = 0; q < scored_queries; ++q) {
            const FloatPack query = broadcast(queries[q * dim + i]);
            for (int v = 0; v < panel_packs; ++v) {
                sums[q][v] = Sum::add(rows[v], query, sums[q][v]);
            }
        }
    }
    for (int q = 0; q < scored_queries; ++q) {
        for (int v = 0; v < panel_packs; ++v) {
            store(scores + q * stride + v * width, sums[q][v]);
        }
    }
}

void score_panel(const float* panel, const float* queries, int dim, bool bf16, std::int64_t stride,
                 float* scores)
{
    if (bf16) {
        score_panel_with<ExactProducts>(panel, queries, dim, stride, scores);
    } else {
        score_panel_with<Rounded>(panel, queries, dim, stride, scores);
    }
}

} // namespace
} // namespace alxsim::alx
