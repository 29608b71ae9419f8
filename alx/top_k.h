// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/lanes.h"
#include "alx/row_store.h"

#include <cstdint>
#include <vector>

namespace alxsim::alx {

/// Keeps the k best of the candidates that it is offered, by score, then by lower id. Candidates
/// must come with ascending ids.
class TopK {
public:
    explicit TopK(int k) : k_(static_cast<std::size_t>(k)) {}

    /// Whether a score may still enter; NaN never does.
    bool accepts(float score) const { return kept_.size() < k_ ? score == score : score > worst(); }
    void offer(float score, std::int32_t id);
    /// The ids, best first.
    std::vector<std::int32_t> take();
    float worst() const { return kept_.front().score; }
    bool full() const { return kept_.size() == k_; }

private:
    struct Candidate {
        float score;
        std::int32_t id;
    };
    static bool better(const Candidate& a, const Candidate& b)
    {
        return a.score != b.score ? a.score > b.score : a.id < b.id;
    }

    std::size_t k_;
    std::vector<Candidate> kept_; ///< a heap with the worst in front
};

/// A fixed table laid out for scoring: panels of `panel_width` rows, each [dim x panel_width], f32.
class ScorePanels {
public:
    static constexpr int panel_width = 2 * lane_count;

    /// The rows [0, count) of the store: phantom rows are left out, and so can never be
    /// recommended.
    ScorePanels(const RowStore& store, std::int64_t count);

    std::int64_t count() const { return count_; }
    /// For each query q: its k best rows by the f32 score <query, row>, ties to the lower id,
    /// without those in [excluded_begin, excluded_end), which ascend. `queries` is [count x dim].
    std::vector<std::vector<std::int32_t>>
    best(const float* queries, std::size_t query_count, int k,
         const std::vector<const std::int32_t*>& excluded_begin,
         const std::vector<const std::int32_t*>& excluded_end) const;

private:
    const float* panel(std::int64_t index) const
    {
        return values_.data() + index * dim_ * panel_width;
    }

    std::int64_t count_;
    int dim_;
    FloatBuffer values_;
};

} // namespace alxsim::alx
