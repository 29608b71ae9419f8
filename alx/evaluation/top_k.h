// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace alxsim::alx {

/// A candidate for a recommendation.
struct Scored {
    float score = 0;
    std::int32_t id = 0;
};

/// Keeps the k best of the candidates that it is offered, by score, then by lower id.
class TopK {
public:
    explicit TopK(int k) : k_(static_cast<std::size_t>(k)) {}
    /// Only of those that score more than a bound; -inf is none.
    TopK(int k, float bound);

    void offer(float score, std::int32_t id)
    {
        const bool better = score > bound_ || (score == bound_ && id < id_at_bound_);
        if (full_ ? better : score == score) {
            keep({score, id});
        }
    }
    /// Whether only scores above a bound, or lower ids at it, may still enter; NaN never does.
    bool has_bound() const { return full_; }
    float bound(std::int32_t /*next_id*/) const { return bound_; }
    /// Best first.
    std::vector<Scored> take();

private:
    void keep(const Scored& candidate);

    std::size_t k_;
    bool full_ = false; ///< there is a bound
    float bound_ = 0;   ///< what the worst of k candidates scored, or just below the floor
    std::int32_t id_at_bound_ = 0; ///< of that candidate; 0: there is none
    std::vector<Scored> kept_;     ///< up to 2 k, in no order: cheaper than a heap of k
};

/// The released code's approximate top-k (topk.py) of `count` scores: each of 5 k windows of
/// count / k / 5 + 1 scores sends its best, the first of equals; of these the k best, the last
/// window of equals first. Ids are places among the scores; windows beyond the end hold -inf, and
/// so an id may be `count` or larger. Scores must come with ascending ids; what is not offered
/// counts as -inf.
class ApproximateTopK {
public:
    ApproximateTopK(int k, std::int64_t count);

    void offer(float score, std::int32_t id)
    {
        Scored& best = windows_[static_cast<std::size_t>(id / window_)];
        if (score > best.score) {
            best = {score, id};
        }
    }
    bool has_bound() const { return true; }
    /// Holds up to the end of the window that the id stands in.
    float bound(std::int32_t next_id) const
    {
        return windows_[static_cast<std::size_t>(next_id / window_)].score;
    }
    std::int64_t window() const { return window_; }
    /// Best first.
    std::vector<Scored> take();

private:
    std::size_t k_;
    std::int64_t window_;
    std::vector<Scored> windows_;
};

/// Ranks all scores at once.
std::vector<Scored> approximate_top_k(const std::vector<float>& scores, int k);

/// Merges the lists of M shards, each best first: by score, ties to the larger rank * M + shard
/// (the released code reverses a stable ascending sort).
std::vector<Scored> merge_shards(const std::vector<std::vector<Scored>>& lists, int k);

/// The k-th best score of lists that come one after another: what scores less is in no merged list.
class MergeFloor {
public:
    explicit MergeFloor(int k) : k_(static_cast<std::size_t>(k)) {}

    void add(const std::vector<Scored>& list);
    /// -inf while there are fewer than k.
    float floor() const { return floor_; }

private:
    std::size_t k_;
    float floor_ = -std::numeric_limits<float>::infinity();
    std::vector<float> best_; ///< up to k
};

} // namespace alxsim::alx
