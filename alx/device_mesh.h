// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace alxsim::alx {

/// How the devices share the two tables. A table's rows are cut into `row_shards`, its embedding
/// columns into `embedding_shards`; `replicas` devices hold the same piece. The released code has
/// as many row shards as devices, and nothing else.
struct DeviceMesh {
    /// Where a device stands.
    struct Place {
        int row_shard = 0;
        int embedding_shard = 0;
        int replica = 0;
    };

    /// Every device has its own row shard.
    DeviceMesh(int device_count) // NOLINT(google-explicit-constructor): the plain case is a number
        : devices(device_count),
          row_shards(device_count)
    {
        for (int device = 0; device < device_count; ++device) {
            places.push_back({device, 0, 0});
        }
    }

    int devices = 1;
    int row_shards = 1;
    int embedding_shards = 1;
    int replicas = 1;
    /// Axes as in model::Collective::group, which join the devices that differ in nothing but
    /// their row shard; empty: all axes.
    std::vector<std::string> row_axes;
    std::vector<std::string>
        embedding_axes; ///< likewise, of those that differ in their embedding shard
    std::vector<std::string> replica_axes; ///< likewise, in their replica
    std::vector<Place> places;             ///< [devices]

    bool plain() const { return row_shards == devices; }
};

} // namespace alxsim::alx
