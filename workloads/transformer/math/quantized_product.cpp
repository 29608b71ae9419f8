// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/math/quantized_product.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace alxsim::transformer {
namespace {

constexpr double largest_int8 = 127;
constexpr float largest_fp8 = 448;

/// Number (row, column) of a factor, after transposing.
template <class Real>
Real number_at(const spmd::MatrixAt<const Real>& matrix, std::int64_t row, std::int64_t column)
{
    return matrix.transposed ? matrix.numbers[column * matrix.row_stride + row]
                             : matrix.numbers[row * matrix.row_stride + column];
}

/// A factor's lines: rows of the left one, columns of the right one.
struct Lines {
    std::int64_t count, length;
    bool columns;
};

/// Calls body(line, place in it, number).
template <class Real, class Body>
void for_each_number(const spmd::MatrixAt<const Real>& matrix, const Lines& lines, const Body& body)
{
    for (std::int64_t line = 0; line < lines.count; ++line) {
        for (std::int64_t i = 0; i < lines.length; ++i) {
            body(line, i,
                 static_cast<double>(lines.columns ? number_at(matrix, i, line)
                                                   : number_at(matrix, line, i)));
        }
    }
}

struct QuantizedLines {
    std::vector<std::int8_t> numbers; ///< [count x length]
    std::vector<double> scales;       ///< [count]: what a unit of each stands for
};

template <class Real>
QuantizedLines quantized(const spmd::MatrixAt<const Real>& matrix, const Lines& lines)
{
    QuantizedLines result;
    result.scales.assign(static_cast<std::size_t>(lines.count), 0);
    for_each_number(matrix, lines, [&](std::int64_t line, std::int64_t /*i*/, double number) {
        double& scale = result.scales[static_cast<std::size_t>(line)];
        const double needed = std::abs(number) / largest_int8;
        if (needed > scale || std::isnan(needed)) { // what is no number stays none
            scale = needed;
        }
    });
    result.numbers.resize(static_cast<std::size_t>(lines.count * lines.length));
    for_each_number(matrix, lines, [&](std::int64_t line, std::int64_t i, double number) {
        const double scale = result.scales[static_cast<std::size_t>(line)];
        const double units = scale > 0 && std::isfinite(scale) ? std::nearbyint(number / scale) : 0;
        result.numbers[static_cast<std::size_t>(line * lines.length + i)] =
            static_cast<std::int8_t>(std::clamp(units, -largest_int8, largest_int8));
    });
    return result;
}

/// A factor in fp8, [count x length] by lines, and what its numbers were multiplied with.
struct ScaledFactor {
    std::vector<float> numbers;
    double scale = 1;
};

template <class Real>
ScaledFactor in_fp8(const spmd::MatrixAt<const Real>& matrix, const Lines& lines)
{
    double largest = 0;
    for_each_number(matrix, lines, [&](std::int64_t /*line*/, std::int64_t /*i*/, double number) {
        largest = std::max(largest, std::abs(number));
    });
    ScaledFactor result;
    result.scale = largest > 0 ? static_cast<double>(largest_fp8) / largest : 1;
    for_each_number(matrix, lines, [&](std::int64_t /*line*/, std::int64_t /*i*/, double number) {
        result.numbers.push_back(round_to_fp8(static_cast<float>(number * result.scale)));
    });
    return result;
}

} // namespace

template <class Real>
void set_int8_product(const spmd::Factors<Real>& factors, const spmd::ProductShape& shape)
{
    const QuantizedLines left = quantized(factors.left, {shape.m, shape.k, false});
    const QuantizedLines right = quantized(factors.right, {shape.n, shape.k, true});
    for (std::int64_t i = 0; i < shape.m; ++i) {
        const std::int8_t* const row = left.numbers.data() + i * shape.k;
        for (std::int64_t j = 0; j < shape.n; ++j) {
            const std::int8_t* const column = right.numbers.data() + j * shape.k;
            std::int32_t sum = 0;
            for (std::int64_t k = 0; k < shape.k; ++k) {
                sum += std::int32_t{row[k]} * std::int32_t{column[k]};
            }
            const double unit = left.scales[static_cast<std::size_t>(i)] *
                                right.scales[static_cast<std::size_t>(j)];
            factors.result.numbers[i * factors.result.row_stride + j] =
                static_cast<Real>(sum * unit);
        }
    }
}

template <class Real>
void set_fp8_product(const spmd::Factors<Real>& factors, const spmd::ProductShape& shape)
{
    const ScaledFactor left = in_fp8(factors.left, {shape.m, shape.k, false});
    const ScaledFactor right = in_fp8(factors.right, {shape.n, shape.k, true});
    std::vector<float> sums(static_cast<std::size_t>(shape.m * shape.n));
    spmd::set_product<float>({{left.numbers.data(), shape.k},
                              {right.numbers.data(), shape.k, true},
                              {sums.data(), shape.n}},
                             shape);
    const double unit = 1 / (left.scale * right.scale);
    for (std::int64_t i = 0; i < shape.m; ++i) {
        for (std::int64_t j = 0; j < shape.n; ++j) {
            const auto sum = static_cast<double>(sums[static_cast<std::size_t>(i * shape.n + j)]);
            factors.result.numbers[i * factors.result.row_stride + j] =
                static_cast<Real>(sum * unit);
        }
    }
}

float round_to_fp8(float value)
{
    constexpr int smallest_exponent = -6;
    constexpr int fraction_bits = 3;
    const float size = std::min(std::abs(value), largest_fp8);
    if (!(size > 0)) {
        return value; // zeros, and what is no number
    }
    int exponent = 0;
    std::frexp(size, &exponent); // size is in [2^(exponent - 1), 2^exponent)
    const float step = std::ldexp(1.0F, std::max(exponent - 1, smallest_exponent) - fraction_bits);
    return std::copysign(std::nearbyint(size / step) * step, value);
}

template void set_int8_product(const spmd::Factors<float>&, const spmd::ProductShape&);
template void set_int8_product(const spmd::Factors<double>&, const spmd::ProductShape&);
template void set_fp8_product(const spmd::Factors<float>&, const spmd::ProductShape&);
template void set_fp8_product(const spmd::Factors<double>&, const spmd::ProductShape&);

} // namespace alxsim::transformer
