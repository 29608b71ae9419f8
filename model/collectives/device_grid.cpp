// SPDX-License-Identifier: Apache-2.0
#include "model/collectives/device_grid.h"

namespace alxsim::model {

DeviceGrid::DeviceGrid(const topologies::Machine& machine)
    : axes_(network_axes(machine)),
      devices_(machine.devices),
      devices_per_chip_(machine.devices_per_chip)
{
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
        const int number = static_cast<int>(axis);
        std::vector<int> positions;
        std::array<std::vector<int>, 2> neighbours;
        for (int device = 0; device < devices_; ++device) {
            const int torus_axis = axes_[axis].torus_axis;
            positions.push_back(is_on_chip(number)
                                    ? local(device)
                                    : machine.slice.coordinates(
                                          chip_of(device))[static_cast<std::size_t>(torus_axis)]);
            for (const int direction : {up, down}) {
                neighbours[static_cast<std::size_t>(direction)].push_back(
                    next_device(machine.slice, number, direction, device));
            }
        }
        position_.push_back(std::move(positions));
        for (const std::size_t direction : {std::size_t{0}, std::size_t{1}}) {
            neighbour_[direction].push_back(std::move(neighbours[direction]));
        }
    }
}

DeviceGrid::DeviceGrid(const CollectiveSchedule& schedule, const DeviceGrid& machine)
    : axes_(schedule.axes),
      devices_(machine.devices_),
      devices_per_chip_(machine.devices_per_chip_)
{
    const std::vector<int> nobody(static_cast<std::size_t>(devices_), -1);
    position_.assign(axes_.size(), nobody);
    neighbour_.fill(position_);
    for (const std::vector<int>& members : schedule.ranks->groups) {
        for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
            place(members, axis, schedule.ranks->strides[axis]);
        }
    }
}

/// Members of a group on one axis, all at 0 if `stride` is.
void DeviceGrid::place(const std::vector<int>& members, std::size_t axis, int stride)
{
    const int length = stride == 0 ? 1 : axes_[axis].length;
    for (int i = 0; i < static_cast<int>(members.size()); ++i) {
        const auto device = static_cast<std::size_t>(members[static_cast<std::size_t>(i)]);
        const int position = stride == 0 ? 0 : i / stride % length;
        position_[axis][device] = position;
        for (const int direction : {up, down}) {
            const int next = (position + (direction == up ? 1 : length - 1)) % length;
            neighbour_[static_cast<std::size_t>(direction)][axis][device] =
                members[static_cast<std::size_t>(i + (next - position) * stride)];
        }
    }
}

int DeviceGrid::next_device(const topologies::Slice& slice, int axis, int direction,
                            int device) const
{
    const int sign = direction == up ? 1 : -1;
    if (is_on_chip(axis)) {
        const int other = local(device) + sign;
        return other >= 0 && other < devices_per_chip_ ? device + sign : -1;
    }
    const auto chip =
        slice.neighbour(chip_of(device), axes_[static_cast<std::size_t>(axis)].torus_axis, sign);
    return chip ? *chip * devices_per_chip_ + local(device) : -1;
}

} // namespace alxsim::model
