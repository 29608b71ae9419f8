// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/batches/dense_batches.h"
#include "alx/device_mesh.h"
#include "alx/shard_map.h"
#include "alx/sparse_matrix.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace alxsim::alx {

/// Rows (or windows, or ids) that go from some devices to others in one step.
struct RowExchange {
    struct Between {
        int source;
        int destination;
        std::int64_t rows;
    };

    /// What each device needs, each row once, and what it looks up or computes for itself and
    /// others; a single number where all devices are taken to be alike.
    std::vector<std::int64_t> arriving;
    std::vector<std::int64_t> leaving;
    bool alike = true;
    std::int64_t sent = 0;        ///< alike: what a device sends to others
    std::vector<Between> between; ///< else: who sends what to whom, without what stays

    bool empty() const;
    /// Rows that change their device, of all `devices` together.
    std::int64_t total_sent(int devices) const;
};

/// What a strategy has to know of the data to size its ops.
struct TrafficNeeds {
    bool rows = false; ///< which distinct rows a batch links to
    /// From so many links on a row is long: the owners of its links send partial statistics, and no
    /// rows; absent: no row is.
    std::optional<std::int64_t> long_rows_from;
    bool solutions = false; ///< who owns the rows that a batch solves for

    bool gathers() const { return rows || long_rows_from; }
    bool any() const { return gathers() || solutions; }
};

/// What the batches of one step ask of the shards.
struct StepTraffic {
    RowExchange rows;       ///< distinct rows of the fixed table, from owner to asker
    RowExchange long_links; ///< links of long rows: looked up by the owners of their columns
    RowExchange windows;    ///< partial statistics of long rows, from those owners to the asker
    RowExchange solutions;  ///< solved rows, from who solved them to every holder of the row
};

/// One half as its traffic depends on it. All referenced objects outlive it.
struct TrafficSource {
    const SparseMatrix& links;   ///< by rows of the own table
    const DenseBatches& batches; ///< step by step, one for each device
    const ShardMap& own;
    const ShardMap& fixed;
    const DeviceMesh& mesh;
};

/// The real traffic of step k's gather and of its scatter. Devices that differ in their embedding
/// shard alone gather for each other: they ask for the rows of all their batches.
StepTraffic gather_traffic(const TrafficSource& source, std::int64_t step,
                           const TrafficNeeds& needs);
RowExchange solution_traffic(const TrafficSource& source, std::int64_t step);

/// What a batch of a side is like in the mean: measured, or assumed where no links are at hand.
struct TrafficMeans {
    double rows = 0;          ///< that it solves for
    double links = 0;         ///< of these rows
    double distinct_rows = 0; ///< of the fixed table among those links
    double local_share = 0;   ///< of the distinct rows, those in the asker's own shard
    double hot_shard = 1;     ///< rows asked of the busiest shard over the mean
    double long_rows = 0;     ///< whose statistics come from the owners of its links
    double long_links = 0;
};

/// A step whose batches are all like the mean, its busiest shard like `hot_shard`.
StepTraffic mean_traffic(const TrafficMeans& means, const DeviceMesh& mesh);

/// The means of a half's real batches. `gathered`: of each step, or empty where no strategy needs
/// it.
TrafficMeans mean_of_batches(const TrafficSource& source, const std::vector<StepTraffic>& gathered);

} // namespace alxsim::alx
