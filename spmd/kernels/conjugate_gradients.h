// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spmd/kernels/arithmetic.h"
#include "spmd/kernels/linear_system.h"

namespace alxsim::spmd {
namespace {

/// What conjugate gradients know of a system between two iterations.
template <class Real>
struct Descent {
    const Real* matrix;
    Real* solution;
    Real* residual;
    Real* direction;
    Real* product; ///< of the matrix with the direction
    Real gamma;    ///< the residual with itself
    Real goal;
    std::int64_t iterations;
};

/// products = matrices * directions of columns [column, column + Width packs).
template <int Width, int Count>
[[gnu::always_inline]] inline void multiply_block(const Descent<float> (&at)[Count], int column,
                                                  std::int64_t stride)
{
    constexpr int width = PackOf<float>::width;
    const float* matrices[Count];
    const float* directions[Count];
    for (int s = 0; s < Count; ++s) {
        matrices[s] = at[s].matrix + column;
        directions[s] = at[s].direction;
    }
    FloatPack sums[Count][Width] = {};
    for (int i = 0; i < stride; ++i) {
        for (int s = 0; s < Count; ++s) {
            const FloatPack factor = broadcast(directions[s][i]);
            for (int v = 0; v < Width; ++v) {
                const FloatPack row = load(matrices[s] + i * stride + v * width);
                sums[s][v] = multiply_add(row, factor, sums[s][v]);
            }
        }
    }
    for (int s = 0; s < Count; ++s) {
        for (int v = 0; v < Width; ++v) {
            store(at[s].product + column + v * width, sums[s][v]);
        }
    }
}

/// For symmetric, padded matrices, by ascending row.
template <int Count>
[[gnu::always_inline]] inline void multiply_symmetric(const Descent<float> (&at)[Count],
                                                      std::int64_t stride)
{
    constexpr int width = PackOf<float>::width;
    constexpr int most = Count == 1 ? 8 : vector_registers / 4; // registers hold all sums
    int j = 0;
    for (; j + most * width <= stride; j += most * width) {
        multiply_block<most>(at, j, stride);
    }
    for (; j + 4 * width <= stride; j += 4 * width) {
        multiply_block<4>(at, j, stride);
    }
    for (; j < stride; j += width) {
        multiply_block<1>(at, j, stride);
    }
}

template <class Real, int Count>
[[gnu::always_inline]] inline void multiply_symmetric(const Descent<Real> (&at)[Count],
                                                      std::int64_t stride)
{
    for (const Descent<Real>& one : at) {
        for (int i = 0; i < stride; ++i) {
            one.product[i] = dot(one.matrix + i * stride, one.direction, stride);
        }
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

/// From zero; `scratch` holds three vectors.
template <class Real>
[[gnu::always_inline]] inline Descent<Real> begin_descent(const LinearSystemOf<Real>& system,
                                                          Real tolerance, Real* scratch)
{
    const std::int64_t n = system.stride;
    Descent<Real> at{system.matrix,   system.solution, scratch, scratch + n,
                     scratch + 2 * n, Real(0),         Real(0), 0};
    for (int i = 0; i < n; ++i) {
        at.solution[i] = Real(0);
        at.residual[i] = at.direction[i] = system.rhs[i];
    }
    at.gamma = dot(at.residual, at.residual, n);
    at.goal = tolerance * tolerance * at.gamma;
    return at;
}

/// An iteration of each: what one waits for is hidden behind the others' work.
template <class Real, int Count>
[[gnu::always_inline]] inline void descend(Descent<Real> (&at)[Count], std::int64_t n)
{
    multiply_symmetric(at, n);
    Real steps[Count];
    for (int s = 0; s < Count; ++s) {
        steps[s] = at[s].gamma / dot(at[s].direction, at[s].product, n);
    }
    for (int s = 0; s < Count; ++s) {
        add_scaled(steps[s], at[s].direction, n, at[s].solution);
        add_scaled(-steps[s], at[s].product, n, at[s].residual);
    }
    for (int s = 0; s < Count; ++s) {
        const Real next_gamma = dot(at[s].residual, at[s].residual, n);
        scale_and_add(next_gamma / at[s].gamma, at[s].residual, n, at[s].direction);
        at[s].gamma = next_gamma;
        ++at[s].iterations;
    }
}

template <class Real>
[[gnu::always_inline]] inline bool goes_on(const Descent<Real>& at, std::int64_t limit)
{
    return at.gamma > at.goal && at.iterations < limit;
}

template <class Real>
std::int64_t conjugate_gradients(const LinearSystemOf<Real>& system, Real tolerance,
                                 std::int64_t limit, Real* scratch)
{
    Descent<Real> at[1] = {begin_descent(system, tolerance, scratch)};
    while (goes_on(at[0], limit)) {
        descend(at, system.stride);
    }
    return at[0].iterations;
}

/// Both until one is done, then the other by itself.
template <class Real>
void conjugate_gradients_of_two(const LinearSystemOf<Real>* systems, Real tolerance,
                                std::int64_t limit, Real* scratch, std::int64_t* iterations)
{
    const std::int64_t n = systems[0].stride;
    Descent<Real> both[2] = {begin_descent(systems[0], tolerance, scratch),
                             begin_descent(systems[1], tolerance, scratch + 3 * n)};
    while (goes_on(both[0], limit) && goes_on(both[1], limit)) {
        descend(both, n);
    }
    const int left = goes_on(both[0], limit) ? 0 : 1;
    Descent<Real> last[1] = {both[left]};
    while (goes_on(last[0], limit)) {
        descend(last, n);
    }
    iterations[1 - left] = both[1 - left].iterations;
    iterations[left] = last[0].iterations;
}

} // namespace
} // namespace alxsim::spmd
