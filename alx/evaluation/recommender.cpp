// SPDX-License-Identifier: Apache-2.0
#include "alx/evaluation/recommender.h"

#include "alx/evaluation/score_bound.h"
#include "alx/evaluation/scoring.h"
#include "base/numbers/bf16.h"
#include "base/units.h"
#include "spmd/buffer.h"
#include "spmd/kernels/kernels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

namespace alxsim::alx {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

/// What the released code adds to the scores of columns in the history.
constexpr float history_score = -1e19F;

float round_to_bf16(float value)
{
    return to_float(to_bf16(value));
}

/// The greatest bf16 number below another.
float bf16_below(float value)
{
    constexpr Bf16 least_negative = 0x8001;
    const Bf16 bits = to_bf16(value);
    return to_float(value == 0  ? least_negative
                    : value > 0 ? static_cast<Bf16>(bits - 1)
                                : static_cast<Bf16>(bits + 1));
}

/// What scores become before they are ranked: never more than they were, but for the rounding.
struct ScoreRules {
    bool in_bf16 = false;
    bool excludes_history = false;

    explicit ScoreRules(const Semantics& semantics)
        : in_bf16(semantics.score_dtype == ScoreDType::bf16),
          excludes_history(semantics.ranking == Ranking::global)
    {
    }
    float rounded(float score) const { return in_bf16 ? round_to_bf16(score) : score; }
    /// What is not greater ranks below `score`, rounded or not.
    float below(float score) const
    {
        if (score == -infinity) {
            return score;
        }
        return in_bf16 ? bf16_below(score) : std::nextafter(score, -infinity);
    }
    float of_history(float score) const
    {
        return excludes_history ? -infinity : rounded(score + rounded(history_score));
    }
};

/// A test row for which columns are ranked.
template <class Selection>
struct Query {
    Selection best;
    double length;
    const std::int32_t* history; ///< ascending
    const std::int32_t* history_end;

    void offer(float score, std::int32_t column, std::int64_t first, const ScoreRules& rules)
    {
        const std::int64_t id = first + column;
        const float rounded = rules.rounded(score);
        const bool known = std::binary_search(history, history_end, id);
        best.offer(known ? rules.of_history(rounded) : rounded, column);
    }
};

/// Ranks a shard's columns for all queries of a scorer.
template <class Selection>
class ShardRanking {
public:
    /// `reaches`: of all rows of the table, or none: see score_bound.h. `make_query(i)` for the
    /// i-th of the scorer's queries.
    template <class MakeQuery>
    ShardRanking(const RankedColumns& shard, const ScoreRules& rules,
                 const std::vector<float>& reaches, Scorer& scorer, std::size_t queries,
                 const MakeQuery& make_query)
        : shard_(shard),
          rules_(rules),
          reaches_(reaches),
          scorer_(scorer),
          bounds_(static_cast<std::size_t>(scorer.panel_width())),
          scores_(bounds_.size() * static_cast<std::size_t>(Scorer::block_rows)),
          places_(scores_.size())
    {
        for (std::size_t i = 0; i < queries; ++i) {
            queries_.push_back(make_query(i));
        }
    }

    /// In blocks that do not cross the multiples of `window`. Where the farthest come first, those
    /// behind a block of which none may enter a list may not, either.
    void rank(const RowStore& columns, std::int64_t window)
    {
        std::int64_t end = 0;
        for (std::int64_t begin = 0; begin < shard_.candidates; begin = end) {
            end = std::min(
                {begin + Scorer::block_rows, (begin / window + 1) * window, shard_.candidates});
            if (!rank_block(columns, begin, end) && in_order_of_reach()) {
                return;
            }
        }
    }

    /// Best first, with ids of the whole table.
    std::vector<Scored> take(std::size_t query)
    {
        Selection& selection = queries_[query].best;
        // What may not be recommended fills up a list that is too short.
        for (std::int64_t i = shard_.candidates; i < shard_.count && !selection.has_bound(); ++i) {
            selection.offer(-infinity, static_cast<std::int32_t>(i));
        }
        std::vector<Scored> best = selection.take();
        for (Scored& one : best) {
            one.id += static_cast<std::int32_t>(shard_.first);
        }
        return best;
    }

private:
    /// The farthest reach of each tile of a block.
    using Reaches = std::array<float, Scorer::block_rows / Scorer::tile_rows>;

    bool in_order_of_reach() const { return !shard_.farthest_first.empty(); }

    /// Its place in the shard.
    std::int32_t column_at(std::int64_t rank) const
    {
        return in_order_of_reach() ? shard_.farthest_first[static_cast<std::size_t>(rank)]
                                   : static_cast<std::int32_t>(rank);
    }

    void take_block(const RowStore& columns, std::int64_t begin, std::int64_t end)
    {
        if (in_order_of_reach()) {
            scorer_.take_block(columns, shard_.first, shard_.farthest_first.data() + begin,
                               end - begin);
        } else {
            scorer_.take_block(columns, shard_.first + begin, end - begin);
        }
    }

    /// Whether any column had to be scored.
    bool rank_block(const RowStore& columns, std::int64_t begin, std::int64_t end)
    {
        const Reaches reaches = farthest(begin, end);
        const std::int64_t tiles = ceil_divide(end - begin, Scorer::tile_rows);
        bool taken = false;
        for (std::int64_t panel = 0; panel < scorer_.panels(); ++panel) {
            const double too_near = reach_below_all(panel * scorer_.panel_width(), begin);
            for (std::int64_t tile = 0; tile < tiles; ++tile) {
                const std::int64_t first = tile; // of a run, scored at once
                while (tile < tiles && !(reaches[static_cast<std::size_t>(tile)] <= too_near)) {
                    ++tile;
                }
                if (tile > first) {
                    if (!std::exchange(taken, true)) {
                        take_block(columns, begin, end);
                    }
                    rank_rows(panel, begin, first * Scorer::tile_rows,
                              std::min(tile * Scorer::tile_rows, end - begin));
                }
            }
        }
        return taken;
    }

    /// Rows [first, last) of the block that begins at a column.
    void rank_rows(std::int64_t panel, std::int64_t begin, std::int64_t first, std::int64_t last)
    {
        scorer_.score(panel, first, last - first, scores_.data());
        offer(panel * scorer_.panel_width(), begin + first, last - first);
    }

    Reaches farthest(std::int64_t begin, std::int64_t end) const
    {
        Reaches result{};
        for (std::int64_t rank = begin; rank < end && !reaches_.empty(); ++rank) {
            float& tile = result[static_cast<std::size_t>((rank - begin) / Scorer::tile_rows)];
            tile =
                std::max(tile, reaches_[static_cast<std::size_t>(shard_.first + column_at(rank))]);
        }
        return result;
    }

    /// A column from `first_column` on that reaches no farther enters the list of no query of the
    /// panel, whose first one is given. Negative: each may.
    double reach_below_all(std::int64_t first_query, std::int64_t first_column) const
    {
        double least = reaches_.empty() ? -1 : std::numeric_limits<double>::infinity();
        const auto count = static_cast<std::int64_t>(queries_.size());
        const std::int64_t end = std::min(first_query + scorer_.panel_width(), count);
        for (std::int64_t q = first_query; q < end && !reaches_.empty(); ++q) {
            const Query<Selection>& query = queries_[static_cast<std::size_t>(q)];
            if (!query.best.has_bound()) {
                return -1;
            }
            least = std::min(
                least, reach_below(bound_of(query, first_column), query.length, scorer_.dim()));
        }
        return least;
    }

    /// What is not greater enters no list. Where columns do not come by ascending ids, one that
    /// equals the worst of a list may.
    float bound_of(const Query<Selection>& query, std::int64_t next) const
    {
        const float bound = query.best.bound(static_cast<std::int32_t>(next));
        return in_order_of_reach() ? rules_.below(bound) : bound;
    }

    /// The scores of a panel, whose first query is given, for `count` columns.
    void offer(std::int64_t first_query, std::int64_t first_column, std::int64_t count)
    {
        const auto width = static_cast<std::int64_t>(bounds_.size());
        Query<Selection>* queries = queries_.data() + first_query;
        const auto real = static_cast<std::int64_t>(queries_.size()) - first_query;
        const auto offer_one = [&](std::int64_t place) {
            queries[place % width].offer(scores_[static_cast<std::size_t>(place)],
                                         column_at(first_column + place / width), shard_.first,
                                         rules_);
        };
        std::fill(bounds_.begin(), bounds_.end(), infinity);
        for (std::int64_t q = 0; q < std::min(real, width); ++q) {
            const bool bounded = queries[q].best.has_bound();
            const float bound = bounded ? bound_of(queries[q], first_column) : -infinity;
            if (bounded && !(in_order_of_reach() && bound == -infinity)) {
                bounds_[static_cast<std::size_t>(q)] = bound;
                continue;
            }
            for (std::int64_t row = 0; row < count; ++row) {
                offer_one(row * width + q);
            }
        }
        // Most scores are compared with a bound and nothing else.
        const std::int64_t found =
            spmd::kernels().find_above(scores_.data(), count, bounds_.data(), places_.data());
        std::for_each(places_.data(), places_.data() + found, offer_one);
    }

    const RankedColumns& shard_;
    const ScoreRules& rules_;
    const std::vector<float>& reaches_;
    Scorer& scorer_;
    std::vector<Query<Selection>> queries_;
    spmd::FloatBuffer bounds_;         ///< [panel_width]
    spmd::FloatBuffer scores_;         ///< [block_rows x panel_width]
    std::vector<std::int32_t> places_; ///< [block_rows x panel_width]
};

} // namespace

Recommender::Recommender(const AlxConfig& config, const SparseMatrix& history,
                         const FactorTable& columns, std::vector<float> reaches)
    : config_(config),
      history_(history),
      columns_(columns),
      reaches_(std::move(reaches)),
      sharded_(config.semantics.ranking == Ranking::sharded || config.evaluation.approximate)
{
    const std::int64_t shards = sharded_ ? columns.devices() : 1;
    const std::int64_t size = sharded_ ? columns.shard_rows() : columns.padded_rows();
    for (std::int64_t i = 0; i < shards; ++i) {
        RankedColumns shard{i * size, size, size};
        if (!config.semantics.phantom_candidates) {
            shard.candidates = std::clamp<std::int64_t>(columns.count() - shard.first, 0, size);
        }
        if (!reaches_.empty() && !config.evaluation.approximate) { // that goes by windows
            shard.farthest_first = farthest_first(shard);
        }
        shards_.push_back(std::move(shard));
    }
}

/// What holds NaN enters no list, and comes last.
std::vector<std::int32_t> Recommender::farthest_first(const RankedColumns& shard) const
{
    std::vector<std::int32_t> places(static_cast<std::size_t>(shard.candidates));
    std::iota(places.begin(), places.end(), 0);
    const auto reach = [&](std::int32_t place) {
        const float reaches = reaches_[static_cast<std::size_t>(shard.first + place)];
        return reaches == reaches ? reaches : -infinity;
    };
    std::sort(places.begin(), places.end(), [&](std::int32_t a, std::int32_t b) {
        const float of_a = reach(a);
        const float of_b = reach(b);
        return of_a != of_b ? of_a > of_b : a < b;
    });
    return places;
}

std::vector<std::vector<Scored>> Recommender::recommend(const RowStore& queries,
                                                        std::int64_t begin) const
{
    const std::unique_ptr<Scorer> scorer = make_scorer(queries);
    const ScoreRules rules(config_.semantics);
    const int k = config_.evaluation.top_k;
    std::vector<std::vector<std::vector<Scored>>> lists(static_cast<std::size_t>(queries.rows()));
    std::vector<MergeFloor> floors(lists.size(), MergeFloor(k));
    std::vector<std::vector<std::int32_t>> histories;
    std::vector<double> lengths;
    for (std::size_t i = 0; i < lists.size(); ++i) {
        lengths.push_back(length_of(queries, static_cast<std::int64_t>(i)));
        histories.push_back(
            history_.ids(static_cast<std::int32_t>(begin) + static_cast<std::int32_t>(i)));
    }
    // The lists of one shard, each begun by `select(i)`, in blocks within windows.
    const auto rank = [&](const RankedColumns& shard, const auto& select, std::int64_t window) {
        const auto query = [&](std::size_t i) {
            const std::int32_t* first = histories[i].data();
            const std::int32_t* end = first + histories[i].size();
            return Query<decltype(select(i))>{select(i), lengths[i],
                                              std::lower_bound(first, end, shard.first), end};
        };
        ShardRanking<decltype(select(0))> ranking(shard, rules, reaches_, *scorer, lists.size(),
                                                  query);
        ranking.rank(columns_.store(), window);
        for (std::size_t i = 0; i < lists.size(); ++i) {
            lists[i].push_back(ranking.take(i));
            floors[i].add(lists[i].back());
        }
    };
    for (const RankedColumns& shard : shards_) {
        if (config_.evaluation.approximate) {
            const ApproximateTopK none(k, shard.count);
            rank(
                shard, [&](std::size_t) { return none; }, none.window());
        } else {
            rank(
                shard, [&](std::size_t i) { return TopK(k, rules.below(floors[i].floor())); },
                shard.count);
        }
    }
    std::vector<std::vector<Scored>> result;
    for (auto& list : lists) {
        result.push_back(merged(std::move(list)));
    }
    return result;
}

std::vector<Scored> Recommender::merged(std::vector<std::vector<Scored>> lists) const
{
    std::vector<Scored> best =
        sharded_ ? merge_shards(lists, config_.evaluation.top_k) : std::move(lists.front());
    if (config_.semantics.ranking == Ranking::global) {
        const auto excluded = [](const Scored& one) { return one.score == -infinity; };
        best.erase(std::remove_if(best.begin(), best.end(), excluded), best.end());
    }
    return best;
}

} // namespace alxsim::alx
