// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/math/activation.h"

#include "base/portable_math.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace alxsim::transformer {
namespace {

constexpr double root_of_2_over_pi = 0.7978845608028654;
constexpr double cubic_of_gelu = 0.044715;

/// Numbers that are worked on at once: they stay in the cache.
constexpr std::int64_t piece_of_row = 1024;
using Piece = std::array<double, piece_of_row>;

/// What makes value and slope from x, for a piece of `count` numbers: tanh(sqrt(2/pi) (x +
/// 0.044715 x^3)), 1 / (1 + exp(-x)), or nothing.
template <class Real>
void inner_values(Activation activation, const Real* x, std::int64_t count, Piece& inner)
{
    const auto size = static_cast<std::size_t>(count);
    if (activation == Activation::gelu) {
        for (std::size_t i = 0; i < size; ++i) {
            const auto number = static_cast<double>(x[i]);
            inner[i] = 2 * root_of_2_over_pi * (number + cubic_of_gelu * number * number * number);
        }
        portable::expm1(inner.data(), inner.data(), size);
        for (std::size_t i = 0; i < size; ++i) { // of exp(2 u) - 1
            inner[i] = std::isinf(inner[i]) ? 1 : inner[i] / (inner[i] + 2);
        }
    } else if (activation == Activation::silu) {
        for (std::size_t i = 0; i < size; ++i) {
            inner[i] = -static_cast<double>(x[i]);
        }
        portable::exp(inner.data(), inner.data(), size);
        for (std::size_t i = 0; i < size; ++i) {
            inner[i] = 1 / (1 + inner[i]);
        }
    }
}

double value_of(Activation activation, double x, double inner)
{
    switch (activation) {
    case Activation::gelu:
        return 0.5 * x * (1 + inner);
    case Activation::silu:
        return x * inner;
    default:
        return std::max(x, 0.0);
    }
}

double slope_of(Activation activation, double x, double inner)
{
    switch (activation) {
    case Activation::gelu: {
        const double of_inner = root_of_2_over_pi * (1 + 3 * cubic_of_gelu * x * x);
        return 0.5 * (1 + inner) + 0.5 * x * (1 - inner * inner) * of_inner;
    }
    case Activation::silu:
        return inner * (1 + x * (1 - inner));
    default:
        return x > 0 ? 1 : 0;
    }
}

/// Calls body(first number of the input, of the result, count): pieces of all numbers, or, where
/// gates stand beside, of rows.
template <class Body>
void for_each_piece(const ActivationShape& shape, const Body& body)
{
    const std::int64_t runs = shape.gated ? shape.rows : 1;
    const std::int64_t length = shape.gated ? shape.width : shape.rows * shape.width;
    for (std::int64_t run = 0; run < runs; ++run) {
        for (std::int64_t begin = 0; begin < length; begin += piece_of_row) {
            body(run * shape.input_width() + begin, run * shape.width + begin,
                 std::min(piece_of_row, length - begin));
        }
    }
}

} // namespace

template <class Real>
void activate(const ActivationShape& shape, const Real* x, Real* y)
{
    Piece inner;
    for_each_piece(shape, [&](std::int64_t in, std::int64_t out, std::int64_t count) {
        inner_values(shape.activation, x + in, count, inner);
        for (std::int64_t i = 0; i < count; ++i) {
            const double value = value_of(shape.activation, static_cast<double>(x[in + i]),
                                          inner[static_cast<std::size_t>(i)]);
            const double up = shape.gated ? static_cast<double>(x[in + shape.width + i]) : 1;
            y[out + i] = static_cast<Real>(value * up);
        }
    });
}

template <class Real>
void activate_backward(const ActivationShape& shape, const Real* x, const Real* dy, Real* dx)
{
    Piece inner;
    for_each_piece(shape, [&](std::int64_t in, std::int64_t out, std::int64_t count) {
        inner_values(shape.activation, x + in, count, inner);
        for (std::int64_t i = 0; i < count; ++i) {
            const auto number = static_cast<double>(x[in + i]);
            const double of_number = inner[static_cast<std::size_t>(i)];
            const auto gradient = static_cast<double>(dy[out + i]);
            const double slope = slope_of(shape.activation, number, of_number);
            if (!shape.gated) {
                dx[in + i] = static_cast<Real>(gradient * slope);
                continue;
            }
            const auto up = static_cast<double>(x[in + shape.width + i]);
            dx[in + i] = static_cast<Real>(gradient * up * slope);
            dx[in + shape.width + i] =
                static_cast<Real>(gradient * value_of(shape.activation, number, of_number));
        }
    });
}

template void activate(const ActivationShape&, const float*, float*);
template void activate(const ActivationShape&, const double*, double*);
template void activate_backward(const ActivationShape&, const float*, const float*, float*);
template void activate_backward(const ActivationShape&, const double*, const double*, double*);

} // namespace alxsim::transformer
