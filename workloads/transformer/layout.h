// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spmd/device_mesh.h"
#include "workloads/transformer/config.h"

#include <cstdint>
#include <string>
#include <vector>

namespace alxsim::transformer {

/// The axes of the mesh on which devices stand.
namespace axis {
inline const std::string data = "data";         ///< replicas
inline const std::string pipeline = "pipeline"; ///< stages
inline const std::string fsdp = "fsdp";         ///< parts of the parameters
inline const std::string expert = "expert";     ///< experts, parts of other parameters
inline const std::string sequence = "sequence"; ///< parts of each sequence
inline const std::string tensor = "tensor";     ///< one-dimensional: devices that share products
inline const std::string row = "row";       ///< two-dimensional: along a row, its columns differ
inline const std::string column = "column"; ///< along a column, its rows differ
} // namespace axis

/// Where a device stands: numbers count from 0.
struct Place {
    int batch_part = 0; ///< of the sequences: along data, fsdp and expert
    int stage = 0;
    int expert_part = 0; ///< of the experts
    int sequence_part = 0;
    int part = 0;            ///< of products
    int row = 0, column = 0; ///< of the same, two-dimensional
};

/// Devices on a mesh of the axes that are longer than 1, and of data and tensor (or row and column)
/// in any case. A group "along the row" joins the devices of one row.
class Layout : public spmd::DeviceMesh {
public:
    explicit Layout(const TransformerConfig& config);

    const MeshLengths& lengths() const { return lengths_; }
    int parts() const { return lengths_.tensor; } ///< devices that share products
    int side() const { return side_; }            ///< q; 1 of a line
    bool is_grid() const { return grid_; }
    Place place_of(int device) const;
    /// Those axes along which there is more than one device.
    std::vector<std::string> among(const std::vector<std::string>& axes) const;

private:
    MeshLengths lengths_;
    int side_;
    bool grid_, columns_first_;
};

/// The places in their sequence of the tokens of a device, in the order in which it has them. Of
/// 2 n equal pieces, part p of n has the p-th and the p-th last, so that all have as much to attend
/// to.
std::vector<std::int32_t> token_positions(const TransformerConfig& config, int sequence_part);

} // namespace alxsim::transformer
