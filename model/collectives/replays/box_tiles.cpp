// SPDX-License-Identifier: Apache-2.0
#include "model/collectives/replays/box_tiles.h"

#include "model/collectives/replays/routed_network.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace alxsim::model {
namespace {

class Tiles {
public:
    explicit Tiles(const CollectiveSchedule& schedule)
        : schedule_(schedule),
          slice_(schedule.ranks->network->slice),
          devices_per_chip_(schedule.ranks->network->devices_per_chip)
    {
    }

    bool cover_all() const
    {
        const std::vector<std::vector<int>>& groups = schedule_.ranks->groups;
        const auto devices = static_cast<std::size_t>(slice_.chips() * devices_per_chip_);
        return groups.size() * groups.front().size() == devices && has_whole_blocks() &&
               std::all_of(groups.begin(), groups.end(), [&](const auto& members) {
                   return begins_a_block(members.front()) && goes_on(members);
               });
    }

    bool is_in_first_block(int device) const
    {
        for (int axis = 0; axis < static_cast<int>(slice_.axes().size()); ++axis) {
            const NetworkAxis* const side = side_along(axis);
            if (coordinate(device, axis) >= (side == nullptr ? 1 : places_of_block(*side))) {
                return false;
            }
        }
        return true;
    }

private:
    const NetworkAxis& side(int axis) const
    {
        return schedule_.axes[static_cast<std::size_t>(axis)];
    }

    /// Null: the groups have one chip of it.
    const NetworkAxis* side_along(int torus_axis) const
    {
        const auto found =
            std::find_if(schedule_.group.begin(), schedule_.group.end(),
                         [&](int axis) { return side(axis).torus_axis == torus_axis; });
        return found == schedule_.group.end() ? nullptr : &side(*found);
    }

    int row(int torus_axis) const
    {
        return slice_.axes()[static_cast<std::size_t>(torus_axis)].length;
    }

    int coordinate(int device, int torus_axis) const
    {
        return device / devices_per_chip_ / slice_.stride(torus_axis) % row(torus_axis);
    }

    bool has_whole_blocks() const
    {
        return std::all_of(schedule_.group.begin(), schedule_.group.end(), [&](int axis) {
            return side(axis).torus_axis == NetworkAxis::on_chip ||
                   row(side(axis).torus_axis) % places_of_block(side(axis)) == 0;
        });
    }

    bool begins_a_block(int device) const
    {
        return std::all_of(schedule_.group.begin(), schedule_.group.end(), [&](int axis) {
            const NetworkAxis& along = side(axis);
            return along.torus_axis == NetworkAxis::on_chip
                       ? device % devices_per_chip_ == 0
                       : coordinate(device, along.torus_axis) % places_of_block(along) < along.hops;
        });
    }

    /// Devices from one position on an axis to the next.
    int step(const NetworkAxis& along) const
    {
        return along.torus_axis == NetworkAxis::on_chip
                   ? 1
                   : along.hops * slice_.stride(along.torus_axis) * devices_per_chip_;
    }

    bool goes_on(const std::vector<int>& members) const
    {
        for (std::size_t place = 0; place < members.size(); ++place) {
            int device = members.front();
            for (const int axis : schedule_.group) {
                const int stride = schedule_.ranks->strides[static_cast<std::size_t>(axis)];
                device += static_cast<int>(place) / stride % side(axis).length * step(side(axis));
            }
            if (device != members[place]) {
                return false;
            }
        }
        return true;
    }

    const CollectiveSchedule& schedule_;
    const topologies::Slice& slice_;
    int devices_per_chip_;
};

} // namespace

bool are_tiles(const CollectiveSchedule& schedule)
{
    if (!schedule.has_rank_network() || schedule.ranks->along.empty() || schedule.group.empty()) {
        return false;
    }
    const RoutedNetwork& network = *schedule.ranks->network;
    return !network.slice.twisted() && network.links.faults.links.empty() &&
           std::none_of(
               schedule.axes.begin(), schedule.axes.end() - 1,
               [](const NetworkAxis& axis) { return axis.torus_axis == NetworkAxis::ranks; }) &&
           Tiles(schedule).cover_all();
}

CollectiveSchedule of_one_block(const CollectiveSchedule& schedule)
{
    const Tiles tiles(schedule);
    auto ranks = std::make_shared<RankGroups>(*schedule.ranks);
    std::vector<std::vector<int>>& groups = ranks->groups;
    groups.erase(std::remove_if(groups.begin(), groups.end(),
                                [&tiles](const std::vector<int>& members) {
                                    return !tiles.is_in_first_block(members.front());
                                }),
                 groups.end());
    CollectiveSchedule block = schedule;
    block.axes.back().length = static_cast<int>(groups.size());
    block.ranks = std::move(ranks);
    return block;
}

} // namespace alxsim::model
