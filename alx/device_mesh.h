// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace alxsim::alx {

/// How the devices share the two tables. A table's rows are cut into `row_shards`, its embedding
/// columns into `embedding_shards`; `replicas` devices hold the same piece. The released code has
/// as many row shards as devices, and nothing else.
struct DeviceMesh {
    /// Where a device stands in the mesh.
    struct Coordinates {
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
            coordinates.push_back({device, 0, 0});
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
    std::vector<Coordinates> coordinates;  ///< [devices]

    bool plain() const { return row_shards == devices; }
};

/// Which device stands where. The mesh outlives it.
class MeshIndex {
public:
    explicit MeshIndex(const DeviceMesh& mesh)
        : mesh_(mesh),
          devices_(static_cast<std::size_t>(mesh.devices))
    {
        for (int device = 0; device < mesh.devices; ++device) {
            devices_[index(mesh.coordinates[static_cast<std::size_t>(device)])] = device;
        }
    }

    int at(const DeviceMesh::Coordinates& coordinates) const
    {
        return devices_[index(coordinates)];
    }

private:
    std::size_t index(const DeviceMesh::Coordinates& at) const
    {
        return static_cast<std::size_t>((at.replica * mesh_.row_shards + at.row_shard) *
                                            mesh_.embedding_shards +
                                        at.embedding_shard);
    }

    const DeviceMesh& mesh_;
    std::vector<int> devices_;
};

} // namespace alxsim::alx
