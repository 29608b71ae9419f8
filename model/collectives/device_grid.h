// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/collectives/collective.h"
#include "model/collectives/phase_plan.h"
#include "topologies/machine.h"

#include <array>
#include <vector>

namespace alxsim::model {

/// Where the devices of a slice stand along the axes of its network, and who is next to whom.
class DeviceGrid {
public:
    explicit DeviceGrid(const topologies::Machine& machine);
    /// The same devices on the made-up axes of a schedule for ranks; position -1: not in a group.
    DeviceGrid(const CollectiveSchedule& schedule, const DeviceGrid& machine);

    const std::vector<NetworkAxis>& axes() const { return axes_; }
    int devices() const { return devices_; }
    int chip_of(int device) const { return device / devices_per_chip_; }
    int local(int device) const { return device % devices_per_chip_; }
    bool is_on_chip(int axis) const
    {
        return axes_[static_cast<std::size_t>(axis)].torus_axis == NetworkAxis::on_chip;
    }
    int position(int axis, int device) const
    {
        return position_[static_cast<std::size_t>(axis)][static_cast<std::size_t>(device)];
    }
    /// The device that `device` sends to along `axis`; -1 at the end of a line.
    int neighbour(int axis, int device, int direction) const
    {
        return neighbour_[static_cast<std::size_t>(direction)][static_cast<std::size_t>(axis)]
                         [static_cast<std::size_t>(device)];
    }

private:
    void place(const std::vector<int>& members, std::size_t axis, int stride);
    int next_device(const topologies::Slice& slice, int axis, int direction, int device) const;

    std::vector<NetworkAxis> axes_;
    int devices_;
    int devices_per_chip_;
    std::vector<std::vector<int>> position_;                 ///< [axis][device]
    std::array<std::vector<std::vector<int>>, 2> neighbour_; ///< [direction][axis][device]
};

} // namespace alxsim::model
