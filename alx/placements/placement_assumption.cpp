// SPDX-License-Identifier: Apache-2.0
#include "alx/placements/placement_assumption.h"

#include "alx/sparse_matrix.h"
#include "base/portable_math.h"

#include <algorithm>
#include <cmath>

namespace alxsim::alx {

LengthMoments length_moments(const SparseMatrix& links)
{
    LengthMoments moments;
    for (std::int32_t row = 0; row < links.rows; ++row) {
        const auto length = static_cast<double>(links.length(row));
        moments.links += length;
        moments.squares += length * length;
        moments.longest = std::max(moments.longest, length);
    }
    return moments;
}

LengthMoments length_moments(const SideShape& side)
{
    return {static_cast<double>(side.links),
            mean_square_length(side) * static_cast<double>(side.rows),
            static_cast<double>(side.longest)};
}

PlacedLengths placed_lengths(const WorkloadShape& shape)
{
    return {length_moments(row_side(shape)), length_moments(column_side(shape))};
}

PlacementAssumption random_assumption(const PlacedLengths& lengths, int shards)
{
    if (shards == 1) {
        return {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, "one shard"};
    }
    const auto imbalance = [shards](const LengthMoments& moments) -> model::UnknownNumber {
        const double central = random_imbalance(moments, shards);
        return {least_imbalance(moments, shards), central, 2 * central - 1};
    };
    const double share = 1.0 / shards;
    return {{0.75 * share, share, share + 0.03},
            imbalance(lengths.rows),
            imbalance(lengths.columns),
            "rows stand where their links do not matter; high: links of pages to themselves, as "
            "on cnr-2000"};
}

double random_imbalance(const LengthMoments& lengths, int shards)
{
    if (shards == 1 || lengths.links == 0) {
        return 1;
    }
    const double deviation = std::sqrt(lengths.squares * shards) / lengths.links;
    return std::max(1 + std::sqrt(2 * portable::log(shards)) * deviation,
                    least_imbalance(lengths, shards));
}

double least_imbalance(const LengthMoments& lengths, int shards)
{
    return lengths.links > 0 ? std::max(1.0, lengths.longest * shards / lengths.links) : 1;
}

} // namespace alxsim::alx
