// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/bf16_number.h"

#include <Eigen/Core>

#include <cstdint>
#include <cstring>
#include <vector>

namespace alxsim::alx {

// Kernels for the f32 inner loops. Each output number is summed in one fixed order (by ascending
// row or column), whatever the width of the machine's vectors, so that results do not depend on
// threads or on how a batch is made up. Eigen's own products block by the host's cache sizes, which
// would.

#if defined(__AVX512F__)
constexpr int lane_count = 16;
#elif defined(__AVX__)
constexpr int lane_count = 8;
#else
constexpr int lane_count = 4;
#endif

/// As many f32 numbers as a vector register holds (a GCC and Clang extension).
using Lanes = float __attribute__((vector_size(lane_count * sizeof(float))));

/// Half as many f64 numbers.
using DoubleLanes = double __attribute__((vector_size(lane_count * sizeof(float))));

template <class LanesOf, class Real>
void load(LanesOf& lanes, const Real* from)
{
    std::memcpy(&lanes, from, sizeof lanes);
}
template <class LanesOf, class Real>
void store(Real* to, const LanesOf& lanes)
{
    std::memcpy(to, &lanes, sizeof lanes);
}

/// Vectors and rows of matrices in the kernels are this long: `dim` and zeros behind it.
constexpr int padded(int dim)
{
    return (dim + 15) / 16 * 16;
}

template <class Real>
using Buffer = std::vector<Real, Eigen::aligned_allocator<Real>>;
using FloatBuffer = Buffer<float>;

/// In what sums of products are kept until they are complete: those of bf16 numbers in f32, as on
/// the MXU and in XLA's reductions.
template <class Real>
struct SumOf {
    using Type = Real;
};
template <>
struct SumOf<Bf16Number> {
    using Type = float;
};

/// sum x[i] y[i] over a padded length: sixteen partial sums, added in order.
inline float dot(const float* x, const float* y, int length)
{
    constexpr int width = 16 / lane_count;
    Lanes sums[width] = {};
    for (int i = 0; i < length; i += 16) {
        for (int v = 0; v < width; ++v) {
            Lanes a;
            Lanes b;
            load(a, x + i + v * lane_count);
            load(b, y + i + v * lane_count);
            sums[v] += a * b;
        }
    }
    float parts[16];
    std::memcpy(parts, sums, sizeof parts);
    float sum = 0;
    for (const float part : parts) {
        sum += part;
    }
    return sum;
}

/// sum x[i] y[i] in order. For validation in f64 and what-ifs in bf16: not tuned.
template <class Real>
Real dot(const Real* x, const Real* y, int length)
{
    typename SumOf<Real>::Type sum(0);
    for (int i = 0; i < length; ++i) {
        sum += static_cast<typename SumOf<Real>::Type>(x[i]) *
               static_cast<typename SumOf<Real>::Type>(y[i]);
    }
    return static_cast<Real>(sum);
}

} // namespace alxsim::alx
