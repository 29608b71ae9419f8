// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace alxsim::transformer {

// Causal attention of grouped heads (Ainslie et al. 2023, "GQA"), with a window or without, in
// three forms: stored (scores and probabilities are arrays), flash (neither is; Dao et al. 2022)
// and ring (keys and values come in blocks from other devices; Liu et al. 2023). Sums go in
// ascending order, elementary functions are those of base/portable_math.h: the same bits on every
// CPU. Real is float or double.

/// Attention heads of a device. Rows of qkv are [q of all heads | k of all kv heads | v of all kv
/// heads]; query head i uses the keys and values of kv head i / (heads / kv_heads).
struct AttentionShape {
    std::int64_t sequences, length; ///< tokens of each sequence that are here
    std::int64_t heads, kv_heads, width;
    std::int64_t window = 0; ///< position i sees (i - window, i]; 0: [0, i]

    std::int64_t tokens() const { return sequences * length; }
    std::int64_t query_width() const { return heads * width; }
    std::int64_t key_width() const { return kv_heads * width; }          ///< of values, too
    std::int64_t row() const { return query_width() + 2 * key_width(); } ///< numbers of one of qkv
    std::int64_t queries_per_key() const { return heads / kv_heads; }
    /// The first position that this one sees.
    std::int64_t first_seen(std::int64_t position) const
    {
        return window > 0 && position >= window ? position - window + 1 : 0;
    }
    bool sees(std::int64_t position, std::int64_t of_key) const
    {
        return of_key <= position && of_key >= first_seen(position);
    }
};

/// How many pairs of a query and a key that it sees there are among `length` queries from position
/// `query` on and as many keys from `key` on.
std::int64_t seen_pairs(std::int64_t window, std::int64_t length, std::int64_t query,
                        std::int64_t key);

/// Turns q and k in place (Su et al. 2021, "RoFormer"): numbers i and i + width / 2 of a head by
/// the angle position theta^(-2 i / width), or by less that angle for `direction` -1, which is the
/// backward. `positions`: of each of the `length` tokens of a sequence.
template <class Real>
void rotary(const AttentionShape& shape, const std::int32_t* positions, double theta, int direction,
            Real* qkv);

// Stored. The sequences are whole: token i of one is position i.

/// scores[sequence][head][i][j] = q_i k_j / sqrt(width); those that i does not see are computed and
/// unused.
template <class Real>
void attention_scores(const AttentionShape& shape, const Real* qkv, Real* scores);
/// probabilities[..][i][:] = softmax of those scores[..][i][:] that i sees, and 0 elsewhere.
template <class Real>
void causal_softmax(const AttentionShape& shape, const Real* scores, Real* probabilities);
/// context[token][head] = probabilities times v, [tokens x heads width].
template <class Real>
void attention_context(const AttentionShape& shape, const Real* probabilities, const Real* qkv,
                       Real* context);
/// dprobabilities = dcontext times v transposed, and the part of dqkv that is of v.
template <class Real>
void attention_context_backward(const AttentionShape& shape, const Real* probabilities,
                                const Real* qkv, const Real* dcontext, Real* dprobabilities,
                                Real* dqkv);
/// In place: dprobabilities become dscores.
template <class Real>
void causal_softmax_backward(const AttentionShape& shape, const Real* probabilities,
                             Real* dprobabilities);
/// The parts of dqkv that are of q and k.
template <class Real>
void attention_scores_backward(const AttentionShape& shape, const Real* dscores, const Real* qkv,
                               Real* dqkv);

} // namespace alxsim::transformer
