// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/transformer/math/attention.h"

namespace alxsim::transformer {

// Attention of one new token of each sequence with keys and values that are kept: shape.length is
// 1. The cache has rows [k of all kv heads | v of all kv heads] of `places` positions of each
// sequence, of which the token's own is the last; it sees the last `seen` of them.

struct CacheShape {
    AttentionShape attention;
    std::int64_t places = 0;
    std::int64_t seen() const
    {
        return attention.window > 0 && attention.window < places ? attention.window : places;
    }
    std::int64_t row() const { return 2 * attention.key_width(); }
};

/// The k and v of qkv become the last row of each sequence's part of the cache.
template <class Real>
void append_keys(const CacheShape& shape, const Real* qkv, Real* cache);
/// scores[sequence][head][j] = q k_j / sqrt(width), of the positions that are seen.
template <class Real>
void cached_scores(const CacheShape& shape, const Real* qkv, const Real* cache, Real* scores);
/// In place: each head's scores become their softmax.
template <class Real>
void cached_softmax(const CacheShape& shape, Real* scores);
/// context[sequence][head] = probabilities times v.
template <class Real>
void cached_context(const CacheShape& shape, const Real* probabilities, const Real* cache,
                    Real* context);

} // namespace alxsim::transformer
