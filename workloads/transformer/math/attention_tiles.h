// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/transformer/math/attention.h"

#include <vector>

namespace alxsim::transformer {

// What flash and ring attention have in common: the queries of one head meet a block of keys and
// values, tile by tile, so that no more than a tile of scores exists at once.

/// Rows of one head in a larger array, and where in the sequence they stand.
template <class Real>
struct HeadRows {
    Real* numbers;
    std::int64_t stride;
};

/// One head's queries and a block of keys.
template <class Real>
struct HeadMeeting {
    std::int64_t queries, keys; ///< how many
    const std::int32_t* positions;
    const std::int32_t* key_positions;
    HeadRows<const Real> q, k, v;
};

/// The forward's state of one head: running maximum and sum [queries] of exp(score - maximum), and
/// context, not yet divided by the sum.
template <class Real>
struct HeadState {
    Real* maxima;
    Real* sums;
    HeadRows<Real> context;
};

/// What the backward of one head starts from and adds to.
template <class Real>
struct HeadGradients {
    HeadRows<const Real> context, dcontext;
    const Real* log_sums; ///< [queries]
    HeadRows<Real> dq, dk, dv;
};

/// Adds one block of keys to the state (Milakov and Gimelshein 2018).
template <class Real>
void meet(const AttentionShape& shape, const HeadMeeting<Real>& meeting,
          const HeadState<Real>& state);
/// Adds to dq, dk and dv.
template <class Real>
void meet_backward(const AttentionShape& shape, const HeadMeeting<Real>& meeting,
                   const HeadGradients<Real>& gradients);

} // namespace alxsim::transformer
