// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace alxsim::alx {

/// A candidate for a recommendation.
struct Scored {
    float score = 0;
    std::int32_t id = 0;
};

/// Keeps the k best of the candidates that it is offered, by score, then by lower id. Candidates
/// must come with ascending ids.
class TopK {
public:
    explicit TopK(int k) : k_(static_cast<std::size_t>(k)) {}

    /// Whether a score may still enter; NaN never does.
    bool accepts(float score) const { return kept_.size() < k_ ? score == score : score > worst(); }
    void offer(float score, std::int32_t id);
    /// Best first.
    std::vector<Scored> take();
    float worst() const { return kept_.front().score; }
    bool full() const { return kept_.size() == k_; }

private:
    static bool better(const Scored& a, const Scored& b)
    {
        return a.score != b.score ? a.score > b.score : a.id < b.id;
    }

    std::size_t k_;
    std::vector<Scored> kept_; ///< a heap with the worst in front
};

/// The released code's approximate top-k (topk.py) of scores [count]: each of 5 k windows of
/// count / k / 5 + 1 scores sends its best, the first of equals; of these the k best, the last
/// window of equals first. Ids are places among the scores; windows beyond the end hold -inf, and
/// so an id may be `count` or larger.
std::vector<Scored> approximate_top_k(const std::vector<float>& scores, int k);

/// Merges the lists of M shards, each best first: by score, ties to the larger rank * M + shard
/// (the released code reverses a stable ascending sort).
std::vector<Scored> merge_shards(const std::vector<std::vector<Scored>>& lists, int k);

} // namespace alxsim::alx
