// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/math/rms_norm.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace alxsim::transformer {
namespace {

template <class Real>
Real inverse_of_root(Real square_sum, std::int64_t whole)
{
    return 1 /
           std::sqrt(square_sum / static_cast<Real>(whole) + static_cast<Real>(rms_norm_epsilon));
}

/// Heads that lie side by side in rows of qkv, of q or of k, with their gamma.
template <class Real>
struct HeadsOf {
    std::int64_t first, count; ///< number in the row, and how many heads
    const Real* gamma;
    Real* dgamma; ///< of the backward
};

/// Calls body(heads, number of the head's first in qkv).
template <class Real, class Body>
void for_heads_of_tokens(const AttentionShape& shape, const HeadsOf<Real>& q,
                         const HeadsOf<Real>& k, const Body& body)
{
    for (std::int64_t token = 0; token < shape.tokens(); ++token) {
        for (const HeadsOf<Real>* const heads : {&q, &k}) {
            for (std::int64_t head = 0; head < heads->count; ++head) {
                body(*heads, token * shape.row() + heads->first + head * shape.width);
            }
        }
    }
}

template <class Real>
Real square_sum_of(const Real* x, std::int64_t count)
{
    Real sum = 0;
    row_square_sums(x, 1, count, &sum);
    return sum;
}

} // namespace

template <class Real>
void row_square_sums(const Real* x, std::int64_t rows, std::int64_t columns, Real* sums)
{
    for (std::int64_t row = 0; row < rows; ++row) {
        Real sum = 0;
        for (std::int64_t i = 0; i < columns; ++i) {
            sum += x[row * columns + i] * x[row * columns + i];
        }
        sums[row] = sum;
    }
}

template <class Real>
void normalize_rms(const RmsNormShape& shape, const Real* x, const Real* square_sums,
                   const Real* gamma, Real* y)
{
    for (std::int64_t row = 0; row < shape.rows; ++row) {
        const Real inverse = inverse_of_root(square_sums[row], shape.whole);
        for (std::int64_t i = 0; i < shape.columns; ++i) {
            y[row * shape.columns + i] = x[row * shape.columns + i] * inverse * gamma[i];
        }
    }
}

template <class Real>
void rms_norm_backward_sums(const RmsNormShape& shape, const Real* x, const Real* dy,
                            const Real* square_sums, const Real* gamma, Real* sums_with_x,
                            Real* dgamma)
{
    std::fill(dgamma, dgamma + shape.columns, Real(0));
    for (std::int64_t row = 0; row < shape.rows; ++row) {
        const Real inverse = inverse_of_root(square_sums[row], shape.whole);
        Real sum = 0;
        for (std::int64_t i = 0; i < shape.columns; ++i) {
            const Real gradient = dy[row * shape.columns + i];
            const Real normal = x[row * shape.columns + i] * inverse;
            sum += gradient * gamma[i] * normal;
            dgamma[i] += gradient * normal;
        }
        sums_with_x[row] = sum;
    }
}

template <class Real>
void add_rms_norm_backward(const RmsNormShape& shape, const Real* x, const Real* dy,
                           const Real* square_sums, const Real* gamma, const Real* sums_with_x,
                           Real* dx)
{
    for (std::int64_t row = 0; row < shape.rows; ++row) {
        const Real inverse = inverse_of_root(square_sums[row], shape.whole);
        const Real sum = sums_with_x[row] / static_cast<Real>(shape.whole);
        for (std::int64_t i = 0; i < shape.columns; ++i) {
            const std::int64_t at = row * shape.columns + i;
            dx[at] += (dy[at] * gamma[i] - x[at] * inverse * sum) * inverse;
        }
    }
}

template <class Real>
void normalize_heads(const AttentionShape& shape, const Real* qkv, const Real* q_gamma,
                     const Real* k_gamma, Real* result)
{
    if (result != qkv) {
        std::copy(qkv, qkv + shape.tokens() * shape.row(), result);
    }
    const RmsNormShape one{1, shape.width, shape.width};
    const HeadsOf<Real> q{0, shape.heads, q_gamma, nullptr};
    const HeadsOf<Real> k{shape.query_width(), shape.kv_heads, k_gamma, nullptr};
    for_heads_of_tokens(shape, q, k, [&](const HeadsOf<Real>& heads, std::int64_t at) {
        const Real sum = square_sum_of(result + at, shape.width);
        normalize_rms(one, result + at, &sum, heads.gamma, result + at);
    });
}

template <class Real>
void normalize_heads_backward(const AttentionShape& shape, const Real* qkv, const Real* q_gamma,
                              const Real* k_gamma, Real* dqkv, Real* dq_gamma, Real* dk_gamma)
{
    const RmsNormShape one{1, shape.width, shape.width};
    const HeadsOf<Real> q{0, shape.heads, q_gamma, dq_gamma};
    const HeadsOf<Real> k{shape.query_width(), shape.kv_heads, k_gamma, dk_gamma};
    std::vector<Real> of_head(static_cast<std::size_t>(shape.width));
    std::vector<Real> gradient = of_head;
    std::fill(dq_gamma, dq_gamma + shape.width, Real(0));
    std::fill(dk_gamma, dk_gamma + shape.width, Real(0));
    for_heads_of_tokens(shape, q, k, [&](const HeadsOf<Real>& heads, std::int64_t at) {
        const Real sum = square_sum_of(qkv + at, shape.width);
        Real sum_with_x = 0;
        std::copy(dqkv + at, dqkv + at + shape.width, gradient.begin());
        rms_norm_backward_sums(one, qkv + at, gradient.data(), &sum, heads.gamma, &sum_with_x,
                               of_head.data());
        std::fill(dqkv + at, dqkv + at + shape.width, Real(0));
        add_rms_norm_backward(one, qkv + at, gradient.data(), &sum, heads.gamma, &sum_with_x,
                              dqkv + at);
        for (std::int64_t i = 0; i < shape.width; ++i) {
            heads.dgamma[i] += of_head[static_cast<std::size_t>(i)];
        }
    });
}

// Once for each kind of number.
#define ALXSIM_RMS_NORM(Real)                                                                      \
    template void row_square_sums(const Real*, std::int64_t, std::int64_t, Real*);                 \
    template void normalize_rms(const RmsNormShape&, const Real*, const Real*, const Real*,        \
                                Real*);                                                            \
    template void rms_norm_backward_sums(const RmsNormShape&, const Real*, const Real*,            \
                                         const Real*, const Real*, Real*, Real*);                  \
    template void add_rms_norm_backward(const RmsNormShape&, const Real*, const Real*,             \
                                        const Real*, const Real*, const Real*, Real*);             \
    template void normalize_heads(const AttentionShape&, const Real*, const Real*, const Real*,    \
                                  Real*);                                                          \
    template void normalize_heads_backward(const AttentionShape&, const Real*, const Real*,        \
                                           const Real*, Real*, Real*, Real*);

ALXSIM_RMS_NORM(float)
ALXSIM_RMS_NORM(double)
#undef ALXSIM_RMS_NORM

} // namespace alxsim::transformer
