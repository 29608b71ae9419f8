// SPDX-License-Identifier: Apache-2.0
#include "alx/placements/placement_measure.h"

#include <algorithm>
#include <numeric>

namespace alxsim::alx {
namespace {

ShardSpread spread(const std::vector<std::int64_t>& of_shards)
{
    const auto [least, most] = std::minmax_element(of_shards.begin(), of_shards.end());
    const auto sum = std::accumulate(of_shards.begin(), of_shards.end(), std::int64_t{0});
    return {*least, static_cast<double>(sum) / static_cast<double>(of_shards.size()), *most};
}

TableMeasure measure_table(const ShardMap& map, const SparseMatrix& links)
{
    std::vector<std::int64_t> rows_of_shards(static_cast<std::size_t>(map.shards()));
    std::vector<std::int64_t> links_of_shards(rows_of_shards.size());
    for (std::int32_t row = 0; row < links.rows; ++row) {
        const auto shard = static_cast<std::size_t>(map.owner(row));
        ++rows_of_shards[shard];
        links_of_shards[shard] += links.length(row);
    }
    const double count = static_cast<double>(std::max<std::int64_t>(map.count(), 1));
    return {spread(rows_of_shards), spread(links_of_shards),
            static_cast<double>(map.padded_rows()) / count};
}

double local_share(const TablePlacement& placement, const SparseMatrix& by_row)
{
    std::int64_t local = 0;
    std::vector<std::int32_t> ids;
    for (std::int32_t row = 0; row < by_row.rows; ++row) {
        const int shard = placement.rows.owner(row);
        by_row.read(row, ids);
        local += std::count_if(ids.begin(), ids.end(), [&](std::int32_t column) {
            return placement.columns.owner(column) == shard;
        });
    }
    return by_row.links() > 0 ? static_cast<double>(local) / static_cast<double>(by_row.links())
                              : 1;
}

} // namespace

PlacementMeasure measure_placement(const TablePlacement& placement, const SparseMatrix& by_row,
                                   const SparseMatrix& by_column)
{
    return {measure_table(placement.rows, by_row), measure_table(placement.columns, by_column),
            local_share(placement, by_row)};
}

} // namespace alxsim::alx
