// SPDX-License-Identifier: Apache-2.0
#include "alx/evaluation/top_k.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

namespace alxsim::alx {

namespace {

struct Better {
    bool operator()(const Scored& a, const Scored& b) const
    {
        return a.score != b.score ? a.score > b.score : a.id < b.id;
    }
};

} // namespace

TopK::TopK(int k, float bound) : TopK(k)
{
    full_ = bound > -std::numeric_limits<float>::infinity();
    bound_ = bound;
}

void TopK::keep(const Scored& candidate)
{
    kept_.push_back(candidate);
    if (kept_.size() == k_ || kept_.size() == 2 * k_) {
        const auto worst = kept_.begin() + static_cast<std::ptrdiff_t>(k_) - 1;
        std::nth_element(kept_.begin(), worst, kept_.end(), Better());
        full_ = true;
        bound_ = worst->score;
        id_at_bound_ = worst->id;
        kept_.resize(k_);
    }
}

std::vector<Scored> TopK::take()
{
    std::sort(kept_.begin(), kept_.end(), Better());
    kept_.resize(std::min(kept_.size(), k_));
    full_ = false;
    return std::exchange(kept_, {});
}

ApproximateTopK::ApproximateTopK(int k, std::int64_t count) : k_(static_cast<std::size_t>(k))
{
    constexpr std::int64_t windows_per_result = 5;
    window_ = count / k / windows_per_result + 1;
    for (std::int64_t i = 0; i < windows_per_result * k; ++i) {
        windows_.push_back(
            {-std::numeric_limits<float>::infinity(), static_cast<std::int32_t>(i * window_)});
    }
}

std::vector<Scored> ApproximateTopK::take()
{
    std::vector<Scored> best = std::exchange(windows_, {});
    std::reverse(best.begin(), best.end());
    std::stable_sort(best.begin(), best.end(),
                     [](const Scored& a, const Scored& b) { return a.score > b.score; });
    best.resize(k_);
    return best;
}

std::vector<Scored> approximate_top_k(const std::vector<float>& scores, int k)
{
    ApproximateTopK best(k, static_cast<std::int64_t>(scores.size()));
    for (std::size_t i = 0; i < scores.size(); ++i) {
        best.offer(scores[i], static_cast<std::int32_t>(i));
    }
    return best.take();
}

std::vector<Scored> merge_shards(const std::vector<std::vector<Scored>>& lists, int k)
{
    std::vector<Scored> merged;
    std::size_t ranks = 0;
    for (const std::vector<Scored>& list : lists) {
        ranks = std::max(ranks, list.size());
    }
    for (std::size_t rank = ranks; rank-- > 0;) {
        for (std::size_t shard = lists.size(); shard-- > 0;) {
            if (rank < lists[shard].size()) {
                merged.push_back(lists[shard][rank]);
            }
        }
    }
    std::stable_sort(merged.begin(), merged.end(),
                     [](const Scored& a, const Scored& b) { return a.score > b.score; });
    merged.resize(std::min(merged.size(), static_cast<std::size_t>(k)));
    return merged;
}

void MergeFloor::add(const std::vector<Scored>& list)
{
    for (const Scored& one : list) {
        best_.push_back(one.score);
    }
    if (best_.size() < k_) {
        return;
    }
    const auto worst = best_.begin() + static_cast<std::ptrdiff_t>(k_) - 1;
    std::nth_element(best_.begin(), worst, best_.end(), std::greater<>());
    floor_ = *worst;
    best_.resize(k_);
}

} // namespace alxsim::alx
