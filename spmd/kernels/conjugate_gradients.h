// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spmd/kernels/arithmetic.h"
#include "spmd/kernels/linear_system.h"

namespace alxsim::spmd {
namespace {

template <int Width>
[[gnu::always_inline]] inline void multiply_block(const float* matrix, const float* x,
                                                  std::int64_t stride, float* product)
{
    constexpr int width = PackOf<float>::width;
    FloatPack sums[Width] = {};
    for (int i = 0; i < stride; ++i) {
        const FloatPack factor = broadcast(x[i]);
        for (int v = 0; v < Width; ++v) {
            sums[v] = multiply_add(load(matrix + i * stride + v * width), factor, sums[v]);
        }
    }
    for (int v = 0; v < Width; ++v) {
        store(product + v * width, sums[v]);
    }
}

/// product = matrix * x for a symmetric, padded matrix, by ascending row.
inline void multiply_symmetric(const float* matrix, const float* x, std::int64_t stride,
                               float* product)
{
    constexpr int width = PackOf<float>::width;
    int j = 0;
    for (; j + 8 * width <= stride; j += 8 * width) {
        multiply_block<8>(matrix + j, x, stride, product + j);
    }
    for (; j + 4 * width <= stride; j += 4 * width) {
        multiply_block<4>(matrix + j, x, stride, product + j);
    }
    for (; j < stride; j += width) {
        multiply_block<1>(matrix + j, x, stride, product + j);
    }
}

template <class Real>
void multiply_symmetric(const Real* matrix, const Real* x, std::int64_t stride, Real* product)
{
    for (int i = 0; i < stride; ++i) {
        product[i] = dot(matrix + i * stride, x, stride);
    }
}

/// y += factor x
template <class Real>
[[gnu::always_inline]] inline void add_scaled(Real factor, const Real* x, std::int64_t length,
                                              Real* y)
{
    const Pack<Real> factors = broadcast(factor);
    for (int i = 0; i < length; i += PackOf<Real>::width) {
        store(y + i, multiply_add(factors, load(x + i), load(y + i)));
    }
}

/// y = x + factor y
template <class Real>
[[gnu::always_inline]] inline void scale_and_add(Real factor, const Real* x, std::int64_t length,
                                                 Real* y)
{
    const Pack<Real> factors = broadcast(factor);
    for (int i = 0; i < length; i += PackOf<Real>::width) {
        store(y + i, multiply_add(factors, load(y + i), load(x + i)));
    }
}

template <class Real>
std::int64_t conjugate_gradients(const LinearSystemOf<Real>& system, Real tolerance,
                                 std::int64_t limit, Real* scratch)
{
    const std::int64_t n = system.stride;
    Real* residual = scratch;
    Real* direction = residual + n;
    Real* product = direction + n;
    for (int i = 0; i < n; ++i) {
        system.solution[i] = Real(0);
        residual[i] = direction[i] = system.rhs[i];
    }
    Real gamma = dot(residual, residual, n);
    const Real goal = tolerance * tolerance * gamma;
    std::int64_t iteration = 0;
    for (; gamma > goal && iteration < limit; ++iteration) {
        multiply_symmetric(system.matrix, direction, n, product);
        const Real step = gamma / dot(direction, product, n);
        add_scaled(step, direction, n, system.solution);
        add_scaled(-step, product, n, residual);
        const Real next_gamma = dot(residual, residual, n);
        scale_and_add(next_gamma / gamma, residual, n, direction);
        gamma = next_gamma;
    }
    return iteration;
}

} // namespace
} // namespace alxsim::spmd
