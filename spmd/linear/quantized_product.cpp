// SPDX-License-Identifier: Apache-2.0
#include "spmd/linear/quantized_product.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace alxsim::spmd {
namespace {

using model::DType;

/// An fp8 type without its infinities.
struct Fp8Type {
    int smallest_exponent, fraction_bits;
    float largest;
};

Fp8Type fp8_type(DType type)
{
    return type == DType::fp8_e4m3 ? Fp8Type{-6, 3, 448} : Fp8Type{-14, 2, 57344};
}

double largest_number(DType type)
{
    constexpr double of_int8 = 127;
    return type == DType::i8 ? of_int8 : static_cast<double>(fp8_type(type).largest);
}

std::int64_t scale_index(ScaleOf of, std::int64_t row, std::int64_t column)
{
    return of == ScaleOf::rows ? row : of == ScaleOf::columns ? column : 0;
}

double rounded(DType type, double number)
{
    return type == DType::i8 ? std::nearbyint(number)
                             : static_cast<double>(round_to_fp8(type, static_cast<float>(number)));
}

/// A factor's lines one after the other: rows of the left one, columns of the right one.
template <class Number, class Real>
std::vector<Number> lines_of(const MatrixAt<const Real>& matrix, bool of_columns,
                             std::int64_t count, std::int64_t length)
{
    std::vector<Number> lines;
    lines.reserve(static_cast<std::size_t>(count * length));
    const bool along_rows = matrix.transposed == of_columns;
    for (std::int64_t line = 0; line < count; ++line) {
        for (std::int64_t i = 0; i < length; ++i) {
            lines.push_back(
                static_cast<Number>(along_rows ? matrix.numbers[line * matrix.row_stride + i]
                                               : matrix.numbers[i * matrix.row_stride + line]));
        }
    }
    return lines;
}

/// Exact sums of products of whole numbers.
template <class Real>
void set_whole_sums(const MatrixAt<const Real>& left, const MatrixAt<const Real>& right,
                    const ProductShape& shape, std::vector<double>& sums)
{
    const auto rows = lines_of<std::int8_t>(left, false, shape.m, shape.k);
    const auto columns = lines_of<std::int8_t>(right, true, shape.n, shape.k);
    for (std::int64_t i = 0; i < shape.m; ++i) {
        for (std::int64_t j = 0; j < shape.n; ++j) {
            const std::int8_t* const row = rows.data() + i * shape.k;
            const std::int8_t* const column = columns.data() + j * shape.k;
            std::int32_t sum = 0;
            for (std::int64_t k = 0; k < shape.k; ++k) {
                sum += std::int32_t{row[k]} * std::int32_t{column[k]};
            }
            sums.push_back(sum);
        }
    }
}

template <class Real>
void set_f32_sums(const MatrixAt<const Real>& left, const MatrixAt<const Real>& right,
                  const ProductShape& shape, std::vector<double>& sums)
{
    const auto rows = lines_of<float>(left, false, shape.m, shape.k);
    const auto columns = lines_of<float>(right, true, shape.n, shape.k);
    std::vector<float> result(static_cast<std::size_t>(shape.m * shape.n));
    set_product<float>(
        {{rows.data(), shape.k}, {columns.data(), shape.k, true}, {result.data(), shape.n}}, shape);
    sums.assign(result.begin(), result.end());
}

} // namespace

float round_to_fp8(DType type, float value)
{
    const auto [smallest_exponent, fraction_bits, largest] = fp8_type(type);
    const float size = std::min(std::abs(value), largest);
    if (!(size > 0)) {
        return value; // zeros, and what is no number
    }
    int exponent = 0;
    std::frexp(size, &exponent); // size is in [2^(exponent - 1), 2^exponent)
    const float step = std::ldexp(1.0F, std::max(exponent - 1, smallest_exponent) - fraction_bits);
    return std::copysign(std::nearbyint(size / step) * step, value);
}

std::int64_t scales_of(ScaleOf of, std::int64_t rows, std::int64_t columns)
{
    return of == ScaleOf::rows ? rows : of == ScaleOf::columns ? columns : 1;
}

ScaleOf scale_of_left(DType type, bool transposed)
{
    return type != DType::i8 ? ScaleOf::whole : transposed ? ScaleOf::columns : ScaleOf::rows;
}

template <class Real>
void quantize(DType type, ScaleOf of, const Real* x, std::int64_t rows, std::int64_t columns,
              Real* numbers, Real* scales)
{
    std::fill(scales, scales + scales_of(of, rows, columns), Real(0));
    const auto largest = static_cast<Real>(largest_number(type));
    for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t i = 0; i < columns; ++i) {
            Real& scale = scales[scale_index(of, row, i)];
            const Real needed = std::abs(x[row * columns + i]) / largest;
            if (needed > scale || std::isnan(needed)) { // what is no number stays none
                scale = needed;
            }
        }
    }
    for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t i = 0; i < columns; ++i) {
            const auto scale = static_cast<double>(scales[scale_index(of, row, i)]);
            const double number = static_cast<double>(x[row * columns + i]) / scale;
            const bool ordinary = scale > 0 && std::isfinite(scale);
            const double most = largest_number(type);
            numbers[row * columns + i] =
                static_cast<Real>(ordinary ? std::clamp(rounded(type, number), -most, most) : 0);
        }
    }
}

template <class Real>
void set_quantized_product(const QuantizedFactor<Real>& left, const QuantizedFactor<Real>& right,
                           const MatrixAt<Real>& result, const ProductShape& shape)
{
    std::vector<double> sums;
    const bool by_line = left.type == DType::i8;
    if (by_line) {
        set_whole_sums(left.numbers, right.numbers, shape, sums);
    } else {
        set_f32_sums(left.numbers, right.numbers, shape, sums);
    }
    for (std::int64_t i = 0; i < shape.m; ++i) {
        for (std::int64_t j = 0; j < shape.n; ++j) {
            const double unit = static_cast<double>(left.scales[by_line ? i : 0]) *
                                static_cast<double>(right.scales[by_line ? j : 0]);
            result.numbers[i * result.row_stride + j] =
                static_cast<Real>(sums[static_cast<std::size_t>(i * shape.n + j)] * unit);
        }
    }
}

// Once for each kind of number.
#define ALXSIM_QUANTIZED_PRODUCT(Real)                                                             \
    template void quantize(DType, ScaleOf, const Real*, std::int64_t, std::int64_t, Real*, Real*); \
    template void set_quantized_product(const QuantizedFactor<Real>&,                              \
                                        const QuantizedFactor<Real>&, const MatrixAt<Real>&,       \
                                        const ProductShape&);

ALXSIM_QUANTIZED_PRODUCT(float)
ALXSIM_QUANTIZED_PRODUCT(double)
#undef ALXSIM_QUANTIZED_PRODUCT

} // namespace alxsim::spmd
