// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spmd/linear/product.h"

namespace alxsim::transformer {

// Products of quantized factors. A factor is scaled so that its largest magnitude is the type's,
// rounded to the nearest value of the type (halves to even), and the product is scaled back.

/// result = left right with both in int8: a scale for each row of left [m x k] and for each column
/// of right [k x n] (largest magnitude / 127; Dettmers et al. 2022, "LLM.int8()", vector-wise, as
/// AQT's per-channel scales), sums over k exact in s32 (k up to 133,000).
template <class Real>
void set_int8_product(const spmd::Factors<Real>& factors, const spmd::ProductShape& shape);

/// result = left right with both in fp8 e4m3 and one scale for each factor (448 / largest
/// magnitude: Micikevicius et al. 2022, "FP8 formats for deep learning"), sums over k in ascending
/// order in f32.
template <class Real>
void set_fp8_product(const spmd::Factors<Real>& factors, const spmd::ProductShape& shape);

/// The nearest number of fp8 e4m3 (4 bits of exponent, bias 7, 3 of mantissa, largest 448, no
/// infinity), halves to even; what is beyond the largest becomes the largest. NaN stays.
float round_to_fp8(float value);

} // namespace alxsim::transformer
