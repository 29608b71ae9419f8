// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/layout.h"

#include <cmath>

namespace alxsim::transformer {

// On the mesh an axis is what differs along it: of a row of the grid, the column.
Layout::Layout(const TransformerConfig& config, int devices)
    : devices_(devices),
      replicas_(config.replicas),
      parts_(devices / config.replicas),
      side_(config.is_two_dimensional() ? static_cast<int>(std::lround(std::sqrt(parts_))) : 1),
      grid_(config.is_two_dimensional()),
      columns_first_(config.columns_first)
{
    model::Mesh mesh{{axis::data, replicas_}};
    if (!grid_) {
        mesh.axes.push_back({axis::tensor, parts_});
    } else if (columns_first_) {
        mesh.axes.push_back({axis::row, side_});
        mesh.axes.push_back({axis::column, side_});
    } else {
        mesh.axes.push_back({axis::column, side_});
        mesh.axes.push_back({axis::row, side_});
    }
    mesh_ = std::make_shared<const model::Mesh>(mesh);
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

int Layout::length(const std::string& axis) const
{
    return axis == axis::data ? replicas_ : axis == axis::tensor ? parts_ : side_;
}

} // namespace alxsim::transformer
