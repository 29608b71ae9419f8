// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "topologies/storage_spec.h"

#include <string_view>

namespace alxsim::model {

/// Which way bytes go between a host's memory and its drives.
enum class StorageWay { read, write };

/// Requests to a host's drives in a row, as one of those sees them who share it.
struct StorageQueue {
    Seconds request{0};  ///< of the core that issues them, one after another
    Seconds latency{0};  ///< of a drive, of as many requests at once as there are
    Seconds transfer{0}; ///< of a block, on one drive, one after another
    Bytes block{1};
    int drives = 1;
    int depth = 1; ///< requests under way at once on a drive
};

/// Returns that of `share` of each drive's rate.
StorageQueue storage_queue(const topologies::StorageSpec& storage, StorageWay way,
                           topologies::StorageIo io, double share);

/// The same in the middle of a stream: blocks of it are under way before these bytes and after
/// them. So no block waits for the first one's latency, drives get alike much, and all go as fast
/// as the slowest of drives, queue and core lets a long stream.
StorageQueue in_a_stream(const StorageQueue& queue, Bytes bytes);

/// What bytes take, and until the first block is there.
struct StorageTime {
    Picoseconds first{0};
    Picoseconds total{0};
    std::string_view limited_by; ///< for people
};

/// Blocks go in turn to the drives, and each drive keeps `depth` requests under way: of those it
/// transfers one after another, while what the others wait goes on; the next begins when one is
/// done. So a drive's n blocks take, with a = request + latency + transfer,
///   a + floor((n - 1) / depth) * max(depth * transfer, a) + ((n - 1) mod depth) * transfer,
/// or as long as the core takes to issue all, if that is more. The last block may be a part of one.
StorageTime storage_time(const StorageQueue& queue, Bytes bytes);

} // namespace alxsim::model
