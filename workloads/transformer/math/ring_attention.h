// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/transformer/math/attention.h"

namespace alxsim::transformer {

// Attention of queries that stay and keys and values that come by (Liu et al. 2023, "Ring attention
// with blockwise transformers"; sums that are scaled anew when a larger maximum comes are of
// Milakov and Gimelshein 2018). A device has some tokens of each sequence, in any order of
// positions.

/// Keys and values that visit a device: of `length` tokens of each of its sequences, rows
/// [k of all kv heads | v of all kv heads], and at which positions of the sequence they stand.
template <class Real>
struct KeyBlock {
    const Real* numbers; ///< [sequences length x 2 key_width]
    const std::int32_t* positions;
    std::int64_t length;
};

/// The k and v of qkv, as the block that a device sends: [tokens x 2 key_width].
template <class Real>
void take_keys(const AttentionShape& shape, const Real* qkv, Real* block);
/// The other way round: the parts of dqkv that are of k and v become those of the block that came
/// home.
template <class Real>
void put_keys(const AttentionShape& shape, const Real* block, Real* dqkv);

/// What queries have of the keys that they have met: maximum and sum [sequences][heads][length] of
/// exp(score - maximum), and context [tokens x heads width], not yet divided by the sum.
template <class Real>
struct RingState {
    Real* maxima;
    Real* sums;
    Real* context;
};

/// Begins with no keys.
template <class Real>
void start_ring(const AttentionShape& shape, const RingState<Real>& state);
/// The queries of qkv, at `positions` of their sequences, meet one block more.
template <class Real>
void meet_keys(const AttentionShape& shape, const Real* qkv, const std::int32_t* positions,
               const KeyBlock<Real>& keys, const RingState<Real>& state);
/// All have been met: context = the state's, divided, and log_sums = log(sums) + maxima. Each may
/// be an array of the state. Each query has seen a key.
template <class Real>
void finish_ring(const AttentionShape& shape, const RingState<Real>& state, Real* context,
                 Real* log_sums);

/// What the backward of ring attention has on a device all the time.
template <class Real>
struct RingQueries {
    const Real* qkv;
    const std::int32_t* positions;
    const Real* context;
    const Real* log_sums;
    const Real* dcontext;
};
/// Takes one block that visits: adds to the part of dqkv that is of q (rows as qkv's), and to
/// `dkeys`, which travels with the block, [sequences keys.length x 2 key_width].
template <class Real>
void meet_keys_backward(const AttentionShape& shape, const RingQueries<Real>& queries,
                        const KeyBlock<Real>& keys, Real* dqkv, Real* dkeys);

} // namespace alxsim::transformer
