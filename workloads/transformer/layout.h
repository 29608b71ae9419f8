// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spmd/device_mesh.h"
#include "workloads/transformer/config.h"

#include <string>

namespace alxsim::transformer {

/// The axes of the mesh on which devices stand.
namespace axis {
inline const std::string data = "data";     ///< replicas
inline const std::string tensor = "tensor"; ///< one-dimensional: all devices of a replica
inline const std::string row = "row";       ///< two-dimensional: along a row, its columns differ
inline const std::string column = "column"; ///< along a column, its rows differ
} // namespace axis

/// Where a device stands: numbers count from 0.
struct Place {
    int replica = 0;
    int part = 0;            ///< one-dimensional
    int row = 0, column = 0; ///< two-dimensional
};

/// Devices as replicas of a line of `parts`, or of a square grid of q x q. A group "along the row"
/// joins the devices of one row.
class Layout : public spmd::DeviceMesh {
public:
    Layout(const TransformerConfig& config, int devices);

    int replicas() const { return replicas_; }
    int parts() const { return parts_; } ///< devices of a replica
    int side() const { return side_; }   ///< q; 1 of a line
    bool is_grid() const { return grid_; }
    Place place_of(int device) const;

private:
    int replicas_, parts_, side_;
    bool grid_, columns_first_;
};

} // namespace alxsim::transformer
