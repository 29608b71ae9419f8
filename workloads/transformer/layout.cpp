// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/layout.h"

#include <cmath>

namespace alxsim::transformer {

namespace {

int side_of(const TransformerConfig& config, int parts)
{
    return config.is_two_dimensional() ? static_cast<int>(std::lround(std::sqrt(parts))) : 1;
}

/// An axis is what differs along it: of a row of the grid, the column.
model::Mesh mesh_of(const TransformerConfig& config, int devices)
{
    const int parts = devices / config.replicas;
    const int side = side_of(config, parts);
    model::Mesh mesh{{axis::data, config.replicas}};
    if (!config.is_two_dimensional()) {
        mesh.axes.push_back({axis::tensor, parts});
    } else if (config.columns_first) {
        mesh.axes.push_back({axis::row, side});
        mesh.axes.push_back({axis::column, side});
    } else {
        mesh.axes.push_back({axis::column, side});
        mesh.axes.push_back({axis::row, side});
    }
    return mesh;
}

} // namespace

Layout::Layout(const TransformerConfig& config, int devices)
    : DeviceMesh(mesh_of(config, devices)),
      replicas_(config.replicas),
      parts_(devices / config.replicas),
      side_(side_of(config, parts_)),
      grid_(config.is_two_dimensional()),
      columns_first_(config.columns_first)
{
}

Place Layout::place_of(int device) const
{
    const int inside = device % parts_;
    const int slow = inside / side_;
    const int fast = inside % side_;
    Place place;
    place.replica = device / parts_;
    place.part = inside;
    place.row = columns_first_ ? fast : slow;
    place.column = columns_first_ ? slow : fast;
    return place;
}

} // namespace alxsim::transformer
