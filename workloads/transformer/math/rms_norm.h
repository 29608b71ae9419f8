// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/transformer/math/attention.h"

namespace alxsim::transformer {

// Root mean square normalization (Zhang and Sennrich 2019): y = x / sqrt(mean(x^2) + 1e-5) gamma. A
// row may be cut over devices: sums over what stands here are added up between the calls.

inline constexpr double rms_norm_epsilon = 1e-5;

/// sums[row] = sum of x[row][:]^2.
template <class Real>
void row_square_sums(const Real* x, std::int64_t rows, std::int64_t columns, Real* sums);

struct RmsNormShape {
    std::int64_t rows, columns; ///< that stand here
    std::int64_t whole;         ///< numbers of a whole row
};

/// y = x / root mean square * gamma; square_sums [rows] are of whole rows.
template <class Real>
void normalize_rms(const RmsNormShape& shape, const Real* x, const Real* square_sums,
                   const Real* gamma, Real* y);
/// sums_with_x[row] = sum of dy gamma xhat, with xhat = x / root mean square; also sets
/// dgamma[column] = sum over rows of dy xhat.
template <class Real>
void rms_norm_backward_sums(const RmsNormShape& shape, const Real* x, const Real* dy,
                            const Real* square_sums, const Real* gamma, Real* sums_with_x,
                            Real* dgamma);
/// dx += (dy gamma - xhat sums_with_x / whole) / root mean square; sums_with_x are of whole rows.
template <class Real>
void add_rms_norm_backward(const RmsNormShape& shape, const Real* x, const Real* dy,
                           const Real* square_sums, const Real* gamma, const Real* sums_with_x,
                           Real* dx);

/// Each head of q and k is normalized by itself, before it turns (Dehghani et al. 2023; Qwen3),
/// with one gamma of `width` numbers for all heads of q and one for k; v is copied. result may be
/// qkv.
template <class Real>
void normalize_heads(const AttentionShape& shape, const Real* qkv, const Real* q_gamma,
                     const Real* k_gamma, Real* result);
/// In place: the gradient of the result becomes that of qkv, which is the input of
/// normalize_heads. Sets the gammas' gradients: sums over the tokens and heads that are here.
template <class Real>
void normalize_heads_backward(const AttentionShape& shape, const Real* qkv, const Real* q_gamma,
                              const Real* k_gamma, Real* dqkv, Real* dq_gamma, Real* dk_gamma);

} // namespace alxsim::transformer
