// SPDX-License-Identifier: Apache-2.0
#include "alx/steps/assumed_traffic.h"

#include "alx/placements/placement.h"
#include "alx/steps/step_graph.h"
#include "alx/strategies/scatter.h"

#include <algorithm>

namespace alxsim::alx {
namespace {

void set(model::UnknownNumber& number, const std::optional<double>& value)
{
    if (value) {
        number = {*value, *value, *value};
    }
}

} // namespace

PlacementAssumption assumed_placement(const AlxConfig& config, const WorkloadShape& shape,
                                      const DeviceMesh& mesh)
{
    PlacementAssumption assumption =
        placements().create(config.placement)->assumption(placed_lengths(shape), mesh.row_shards);
    set(assumption.local_share, config.assumed_traffic.local_share);
    set(assumption.row_imbalance, config.assumed_traffic.row_imbalance);
    set(assumption.column_imbalance, config.assumed_traffic.column_imbalance);
    return assumption;
}

TrafficMeans assumed_traffic(const AlxConfig& config, const AssumedHalf& half, std::int64_t batches,
                             const DeviceMesh& mesh)
{
    const auto each = static_cast<double>(std::max<std::int64_t>(1, batches));
    const bool at_owner = scatter_strategies().create(config.scatter)->at_owner();
    TrafficMeans means;
    means.rows = static_cast<double>(half.own.rows) / each;
    means.links = half.links / each;
    if (const auto long_from = needs_of(config, mesh).long_rows_from) {
        const LongTail longer = long_tail(half.own, *long_from);
        means.long_rows = means.rows * longer.rows_share;
        means.long_links = means.links * longer.links_share;
    }
    const double asked = means.links - means.long_links;
    means.distinct_rows =
        expected_distinct(half.fixed, asked) * config.assumed_traffic.distinct_factor;
    means.local_share = at_owner ? half.local_share : 1.0 / mesh.row_shards;
    means.hot_shard = half.fixed_imbalance;
    return means;
}

} // namespace alxsim::alx
