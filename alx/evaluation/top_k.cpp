// SPDX-License-Identifier: Apache-2.0
#include "alx/evaluation/top_k.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace alxsim::alx {

void TopK::offer(float score, std::int32_t id)
{
    if (!accepts(score)) {
        return;
    }
    if (full()) {
        std::pop_heap(kept_.begin(), kept_.end(), better);
        kept_.pop_back();
    }
    kept_.push_back({score, id});
    std::push_heap(kept_.begin(), kept_.end(), better);
}

std::vector<Scored> TopK::take()
{
    std::sort(kept_.begin(), kept_.end(), better);
    return std::exchange(kept_, {});
}

std::vector<Scored> approximate_top_k(const std::vector<float>& scores, int k)
{
    constexpr std::int64_t windows_per_result = 5;
    const auto count = static_cast<std::int64_t>(scores.size());
    const std::int64_t windows = windows_per_result * k;
    const std::int64_t length = count / k / windows_per_result + 1;
    std::vector<Scored> best;
    for (std::int64_t window = 0; window < windows; ++window) {
        const std::int64_t begin = window * length;
        Scored top{-std::numeric_limits<float>::infinity(), static_cast<std::int32_t>(begin)};
        for (std::int64_t i = begin; i < std::min(begin + length, count); ++i) {
            const float score = scores[static_cast<std::size_t>(i)];
            if (score > top.score) {
                top = {score, static_cast<std::int32_t>(i)};
            }
        }
        best.push_back(top);
    }
    std::reverse(best.begin(), best.end());
    std::stable_sort(best.begin(), best.end(),
                     [](const Scored& a, const Scored& b) { return a.score > b.score; });
    best.resize(static_cast<std::size_t>(k));
    return best;
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

} // namespace alxsim::alx
