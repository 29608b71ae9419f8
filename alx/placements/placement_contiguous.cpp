// SPDX-License-Identifier: Apache-2.0
#include "alx/placements/placement.h"

#include "base/portable_math.h"

#include <algorithm>
#include <cmath>

namespace alxsim::alx {
namespace {

/// Ranges of ids, as in the released code. Keeps what locality the order of the ids has.
class ContiguousPlacement : public RowPlacement {
public:
    TablePlacement place(const SparseMatrix& rows, const SparseMatrix& columns, int shards,
                         std::uint64_t /*seed*/) const override
    {
        return {ShardMap::contiguous(rows.rows, shards),
                ShardMap::contiguous(columns.rows, shards)};
    }

    /// The order of a published matrix' ids may be unknown (WebGraph's is): central is then an
    /// order that has nothing to do with links, high what a crawl's order gives. Local share on
    /// cnr-2000 (by URL): exp(-0.017 (ln shards)^2), to 0.025 on 2 to 256 shards. The busiest shard
    /// there, and on four other graphs, has up to 1 + 0.36 shards^0.87 times the mean's links.
    PlacementAssumption assumption(const PlacedLengths& lengths, int shards) const override
    {
        PlacementAssumption assumption = random_assumption(lengths, shards);
        if (shards == 1) {
            return assumption;
        }
        const double log_shards = portable::log(shards);
        const double local = portable::exp(-0.017 * log_shards * log_shards) + 0.01;
        assumption.local_share.high = std::min(1.0, std::max(assumption.local_share.high, local));
        const double crawl = 1 + 0.36 * portable::pow(shards, 0.87);
        for (model::UnknownNumber* imbalance :
             {&assumption.row_imbalance, &assumption.column_imbalance}) {
            imbalance->high = std::max(imbalance->high, crawl);
        }
        assumption.source = "an order of ids without locality; high: measured on cnr-2000 in "
                            "crawl order, 2 to 256 shards";
        return assumption;
    }
};

} // namespace

std::unique_ptr<const RowPlacement> make_contiguous_placement()
{
    return std::make_unique<ContiguousPlacement>();
}

} // namespace alxsim::alx
