// SPDX-License-Identifier: Apache-2.0
#include "alx/top_k.h"

#include "base/units.h"

#include <algorithm>
#include <limits>

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

std::vector<std::int32_t> TopK::take()
{
    std::sort(kept_.begin(), kept_.end(), better);
    std::vector<std::int32_t> ids;
    for (const Candidate& candidate : kept_) {
        ids.push_back(candidate.id);
    }
    kept_.clear();
    return ids;
}

namespace {

constexpr int queries_at_once = 4;
constexpr int panel_width = ScorePanels::panel_width;

using Scores = float[queries_at_once][panel_width];

/// Scores of four queries against one panel, each summed by ascending dimension.
void score_panel(const float* panel, const float* const* queries, int dim, Scores& scores)
{
    constexpr int width = panel_width / lane_count;
    Lanes sums[queries_at_once][width] = {};
    for (int i = 0; i < dim; ++i) {
        Lanes rows[width];
        for (int v = 0; v < width; ++v) {
            load(rows[v], panel + i * panel_width + v * lane_count);
        }
        for (int q = 0; q < queries_at_once; ++q) {
            for (int v = 0; v < width; ++v) {
                sums[q][v] += rows[v] * queries[q][i];
            }
        }
    }
    for (int q = 0; q < queries_at_once; ++q) {
        for (int v = 0; v < width; ++v) {
            store(scores[q] + v * lane_count, sums[q][v]);
        }
    }
}

bool any_above(const float* scores, float threshold)
{
    int above = 0;
    for (int i = 0; i < panel_width; ++i) {
        above |= static_cast<int>(scores[i] > threshold);
    }
    return above != 0;
}

} // namespace

ScorePanels::ScorePanels(const RowStore& rows, std::int64_t count) : count_(count), dim_(rows.dim())
{
    const std::int64_t panels = ceil_divide(count, panel_width);
    values_.assign(static_cast<std::size_t>(panels * dim_ * panel_width), 0.0F);
    std::vector<float> row(static_cast<std::size_t>(dim_));
    for (std::int64_t id = 0; id < count; ++id) {
        rows.get(id, row.data());
        float* target = values_.data() + (id / panel_width) * dim_ * panel_width + id % panel_width;
        for (int i = 0; i < dim_; ++i) {
            target[i * panel_width] = row[static_cast<std::size_t>(i)];
        }
    }
}

std::vector<std::vector<std::int32_t>>
ScorePanels::best(const float* queries, std::size_t query_count, int k,
                  const std::vector<const std::int32_t*>& excluded_begin,
                  const std::vector<const std::int32_t*>& excluded_end) const
{
    std::vector<TopK> kept(query_count, TopK(k));
    const std::int64_t panels = ceil_divide(count_, panel_width);
    for (std::int64_t p = 0; p < panels; ++p) {
        const auto last =
            static_cast<int>(std::min<std::int64_t>(panel_width, count_ - p * panel_width));
        for (std::size_t first = 0; first < query_count; first += queries_at_once) {
            const std::size_t group = std::min<std::size_t>(queries_at_once, query_count - first);
            const float* group_queries[queries_at_once];
            for (std::size_t q = 0; q < queries_at_once; ++q) {
                group_queries[q] =
                    queries + (first + std::min(q, group - 1)) * static_cast<std::size_t>(dim_);
            }
            Scores scores;
            score_panel(panel(p), group_queries, dim_, scores);
            for (std::size_t q = 0; q < group; ++q) {
                TopK& top = kept[first + q];
                if (top.full() && !any_above(scores[q], top.worst())) {
                    continue;
                }
                for (int i = 0; i < last; ++i) {
                    const auto id = static_cast<std::int32_t>(p * panel_width + i);
                    if (top.accepts(scores[q][i]) &&
                        !std::binary_search(excluded_begin[first + q], excluded_end[first + q],
                                            id)) {
                        top.offer(scores[q][i], id);
                    }
                }
            }
        }
    }
    std::vector<std::vector<std::int32_t>> result;
    for (TopK& top : kept) {
        result.push_back(top.take());
    }
    return result;
}

} // namespace alxsim::alx
