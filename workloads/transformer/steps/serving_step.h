// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/transformer/blocks/step_parts.h"
#include "workloads/transformer/math/cached_attention.h"

#include <memory>

namespace alxsim::transformer {

/// What a model that serves does at once: prefill, all tokens of new sequences go through the
/// layers, and their keys and values into the cache; or decode, one more token of each sequence,
/// which attends to the cache. Both end with the most likely next token of each.
class ServingStep {
public:
    explicit ServingStep(const TransformerConfig& config, Numbers* numbers = nullptr,
                         MovedCounts* moved = nullptr);

    const spmd::TimedStep& timed() const { return timed_; }
    const Layout& layout() const { return parts_.layout(); }
    const ParameterArrays& parameters() const { return parts_.parameters(); }
    StepTokens& tokens() { return parts_.sharding().step_tokens(); }
    /// Keys and values of a layer, [sequences places x 2 key width]; see cached_attention.h.
    Array cache(std::int64_t layer);
    /// Returns those of the last tokens, [sequences x a device's part of the vocabulary].
    Array logits();
    /// The next ones, [sequences x 1].
    Array next_tokens();

private:
    void layer(std::int64_t number);
    void keep_keys(std::int64_t layer);
    void decode_attention(std::int64_t layer);
    void last_logits();
    void choose();
    std::int64_t places() const;

    StepParts parts_;
    StepBuilder& builder_;
    AttentionBlock attention_;
    std::unique_ptr<FeedForward> feed_forward_;
    ModelEnds ends_;
    spmd::TimedStep timed_;
};

} // namespace alxsim::transformer
