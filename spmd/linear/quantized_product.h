// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/dtype.h"
#include "spmd/linear/product.h"

namespace alxsim::spmd {

// Products of factors in 8 bits: i8, fp8_e4m3 or fp8_e5m2. A factor is divided by a scale so that
// its largest magnitude becomes the type's (127, 448, 57,344), rounded to the nearest number of the
// type, halves to even, and the product is multiplied with both scales. Of i8 each row of the left
// and each column of the right factor has a scale of its own (Dettmers et al. 2022, "LLM.int8()",
// vector-wise; AQT's scales by channel), and sums are exact, in s32, up to 133,000 terms. Of fp8
// each factor has one (Micikevicius et al. 2022, "FP8 formats for deep learning"), and sums are in
// f32, in ascending order.

/// The nearest number of an fp8 type (e4m3: 4 bits of exponent, bias 7, no infinity; e5m2: 5, bias
/// 15), halves to even; what is beyond the largest becomes the largest. NaN stays.
float round_to_fp8(model::DType type, float value);

enum class ScaleOf { rows, columns, whole };

/// How many scales there are.
std::int64_t scales_of(ScaleOf of, std::int64_t rows, std::int64_t columns);
/// How a left factor's scales go, as it is stored; a right one's go like those of a left one that
/// is transposed the other way.
ScaleOf scale_of_left(model::DType type, bool transposed);

/// numbers [rows x columns] = x / its scales, rounded.
template <class Real>
void quantize(model::DType type, ScaleOf of, const Real* x, std::int64_t rows, std::int64_t columns,
              Real* numbers, Real* scales);

/// What quantize() left of a factor, as a product takes it.
template <class Real>
struct QuantizedFactor {
    model::DType type;
    MatrixAt<const Real> numbers;
    const Real* scales;
};
/// result = left right, of both in i8 or both in fp8.
template <class Real>
void set_quantized_product(const QuantizedFactor<Real>& left, const QuantizedFactor<Real>& right,
                           const MatrixAt<Real>& result, const ProductShape& shape);

} // namespace alxsim::spmd
