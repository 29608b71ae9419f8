// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/buffer.h"

#include <cstdint>

namespace alxsim::alx {

/// Adds the upper triangle of sum_k e_k e_k^T to `matrix` ([stride x stride]) as bf16 hardware does
/// for f32 operands: `passes` products of bf16 parts, summed in f32. 1: e rounded to bf16; 3: hi
/// hi, hi lo, lo hi; 6: three parts, all products but the smallest three (XLA's HIGH and HIGHEST).
/// exact_products: f32. `rows` is [count x stride]; `parts` is grown as needed.
void add_outer_products_in_passes(const float* rows, std::int64_t count, int stride, int passes,
                                  float* matrix, FloatBuffer& parts);

} // namespace alxsim::alx
