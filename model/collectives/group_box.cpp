// SPDX-License-Identifier: Apache-2.0
#include "model/collectives/group_box.h"

#include "base/memo.h"

#include <algorithm>
#include <set>
#include <utility>

namespace alxsim::model {
namespace {

using topologies::Machine;
using topologies::Slice;
using Groups = std::vector<std::vector<int>>;

const topologies::Axis& axis_at(const Slice& slice, int axis)
{
    return slice.axes()[static_cast<std::size_t>(axis)];
}

int coordinate(const Slice& slice, int chip, int axis)
{
    return chip / slice.stride(axis) % axis_at(slice, axis).length;
}

/// Where a group stands along an axis: first, first + hops, ...
struct Row {
    int first = 0;
    int length = 0;
    int hops = 1;
};

/// Nothing if its coordinates are not evenly spaced.
std::optional<Row> row_of(const std::vector<int>& group, int axis, const Machine& machine)
{
    const topologies::Axis& along = axis_at(machine.slice, axis);
    std::vector<bool> there(static_cast<std::size_t>(along.length), false);
    for (const int device : group) {
        const int at = coordinate(machine.slice, device / machine.devices_per_chip, axis);
        there[static_cast<std::size_t>(at)] = true;
    }
    Row row;
    int last = -1;
    for (int at = 0; at < along.length; ++at) {
        if (!there[static_cast<std::size_t>(at)]) {
            continue;
        }
        const int hops = at - last;
        if (row.length == 0) {
            row.first = at;
        } else if (row.length == 1) {
            row.hops = hops;
        } else if (hops != row.hops) {
            return std::nullopt;
        }
        ++row.length;
        last = at;
    }
    if (along.wraps && row.length == 2) {
        row.hops = std::min(row.hops, along.length - row.hops); // the shorter way round
    }
    return row;
}

/// All devices of a chip, or one each; nothing if neither.
std::optional<bool> has_whole_chips(const std::vector<int>& group, std::size_t chips,
                                    int devices_per_chip)
{
    if (devices_per_chip == 1 ||
        group.size() == chips * static_cast<std::size_t>(devices_per_chip)) {
        return group.size() == chips * static_cast<std::size_t>(devices_per_chip)
                   ? std::optional<bool>(true)
                   : std::nullopt;
    }
    const bool one_each = std::all_of(group.begin(), group.end(), [&](int device) {
        return device % devices_per_chip == group.front() % devices_per_chip;
    });
    return one_each && group.size() == chips ? std::optional<bool>(false) : std::nullopt;
}

/// Rows of a group along all axes, if it is all that they span.
struct Rows {
    std::vector<Row> along; ///< [axis of the slice]
    bool whole_chips = true;
};

std::optional<Rows> rows_of(const std::vector<int>& group, const Machine& machine)
{
    Rows rows;
    std::size_t chips = 1;
    for (int axis = 0; axis < static_cast<int>(machine.slice.axes().size()); ++axis) {
        const std::optional<Row> row = row_of(group, axis, machine);
        if (!row) {
            return std::nullopt;
        }
        chips *= static_cast<std::size_t>(row->length);
        rows.along.push_back(*row);
    }
    const std::optional<bool> whole = has_whole_chips(group, chips, machine.devices_per_chip);
    if (!whole) {
        return std::nullopt;
    }
    rows.whole_chips = *whole;
    return rows;
}

bool alike(const Rows& a, const Rows& b)
{
    return a.whole_chips == b.whole_chips &&
           std::equal(a.along.begin(), a.along.end(), b.along.begin(),
                      [](const Row& one, const Row& other) {
                          return one.length == other.length && one.hops == other.hops;
                      });
}

/// Counts for each link along an axis the groups that pass it to the next, the devices of a chip as
/// one.
class LinkSharing {
public:
    LinkSharing(int axis, const BoxSide& side, const Machine& machine)
        : axis_(axis),
          side_(side),
          machine_(machine),
          passed_(static_cast<std::size_t>(machine.slice.chips()))
    {
    }

    void add(const std::vector<int>& group, const Row& row)
    {
        const int length = axis_at(machine_.slice, axis_).length;
        const int links = side_.wraps ? length : (row.length - 1) * row.hops;
        for (const int device : group) {
            const int chip = device / machine_.devices_per_chip;
            if (coordinate(machine_.slice, chip, axis_) == row.first && seen_.insert(chip).second) {
                for (int link = 0; link < links; ++link) {
                    const int at = (row.first + link) % length;
                    const int from = chip + (at - row.first) * machine_.slice.stride(axis_);
                    most_ = std::max(most_, ++passed_[static_cast<std::size_t>(from)]);
                }
            }
        }
    }

    int most() const { return most_; }

private:
    int axis_;
    const BoxSide& side_;
    const Machine& machine_;
    std::vector<int> passed_; ///< [chip]: by the link that leads up from it
    std::set<int> seen_;      ///< first chips of groups
    int most_ = 1;
};

/// Sides by the order in which they count in an ascending list of devices.
std::vector<std::size_t> fastest_first(const GroupBox& box, const Slice& slice)
{
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < box.sides.size(); ++i) {
        order.push_back(i);
    }
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return slice.stride(box.sides[a].axis) < slice.stride(box.sides[b].axis);
    });
    return order;
}

/// All that a box goes by.
std::vector<int> key_of(const Groups& groups, const Machine& machine)
{
    std::vector<int> key{machine.devices_per_chip, machine.slice.twisted()};
    for (const topologies::Axis& axis : machine.slice.axes()) {
        key.insert(key.end(), {axis.length, axis.wraps});
    }
    for (const std::vector<int>& members : groups) {
        key.push_back(-1);
        key.insert(key.end(), members.begin(), members.end());
    }
    return key;
}

std::optional<GroupBox> find_box(const Groups& groups, const Machine& machine)
{
    std::vector<Rows> all;
    for (const std::vector<int>& group : groups) {
        const std::optional<Rows> rows = rows_of(group, machine);
        if (!rows || (!all.empty() && !alike(*rows, all.front()))) {
            return std::nullopt;
        }
        all.push_back(*rows);
    }
    GroupBox box;
    box.whole_chips = all.front().whole_chips;
    for (int axis = 0; axis < static_cast<int>(machine.slice.axes().size()); ++axis) {
        const auto which = static_cast<std::size_t>(axis);
        const Row& row = all.front().along[which];
        const topologies::Axis& along = axis_at(machine.slice, axis);
        if (row.length == 1) {
            continue;
        }
        BoxSide side{axis, row.length, row.hops};
        side.wraps = along.wraps && row.length * row.hops == along.length;
        if (machine.slice.twisted() && (side.wraps || side.hops > 1)) {
            return std::nullopt;
        }
        if (side.hops > 1) {
            LinkSharing sharing(axis, side, machine);
            for (std::size_t i = 0; i < groups.size(); ++i) {
                sharing.add(groups[i], all[i].along[which]);
            }
            side.sharing = sharing.most();
        }
        box.sides.push_back(side);
    }
    return box;
}

} // namespace

bool GroupBox::is_dense() const
{
    return std::all_of(sides.begin(), sides.end(),
                       [](const BoxSide& side) { return side.hops == 1; });
}

std::optional<GroupBox> box_of(const Groups& groups, const Machine& machine)
{
    // Every op, draw and point of a mesh asks for the few that its axes make.
    static Memo<std::vector<int>, std::optional<GroupBox>> known(64);
    return known.get(key_of(groups, machine), [&] { return find_box(groups, machine); });
}

std::optional<std::vector<std::string>> whole_axes_of(const GroupBox& box, int groups,
                                                      const Machine& machine)
{
    int devices = groups * (box.whole_chips ? machine.devices_per_chip : 1);
    std::vector<std::string> names;
    for (const BoxSide& side : box.sides) {
        if (side.length != axis_at(machine.slice, side.axis).length) {
            return std::nullopt;
        }
        devices *= side.length;
        names.push_back(machine.slice.axis_name(side.axis));
    }
    // Without a name all axes would be meant.
    const bool whole = !names.empty() && devices == machine.devices && !machine.slice.twisted();
    return whole ? std::optional<std::vector<std::string>>(names) : std::nullopt;
}

CollectiveGroup group_of(const GroupBox& box, int root, const Machine& machine)
{
    const std::vector<NetworkAxis> network = network_axes(machine);
    CollectiveGroup group;
    if (machine.devices_per_chip > 1) {
        group.axes.push_back(network.front());
        if (box.whole_chips) {
            group.used.push_back(0);
            group.devices = machine.devices_per_chip;
        }
    }
    for (const BoxSide& side : box.sides) {
        const auto whole =
            std::find_if(network.begin(), network.end(),
                         [&side](const NetworkAxis& axis) { return axis.torus_axis == side.axis; });
        group.used.push_back(static_cast<int>(group.axes.size()));
        group.axes.push_back(part_of(*whole, side, machine));
        group.chips *= side.length;
    }
    group.devices *= group.chips;
    const std::vector<int> strides = strides_of(box, machine);
    for (std::size_t axis = 0; axis < group.axes.size(); ++axis) {
        group.root.push_back(strides[axis] == 0 ? 0
                                                : root / strides[axis] % group.axes[axis].length);
    }
    return group;
}

std::vector<int> strides_of(const GroupBox& box, const Machine& machine)
{
    const std::size_t on_chip = machine.devices_per_chip > 1 ? 1 : 0;
    std::vector<int> strides(box.sides.size() + on_chip, 0);
    int stride = 1;
    if (on_chip == 1 && box.whole_chips) {
        strides.front() = stride;
        stride *= machine.devices_per_chip;
    }
    for (const std::size_t side : fastest_first(box, machine.slice)) {
        strides[on_chip + side] = stride;
        stride *= box.sides[side].length;
    }
    return strides;
}

std::vector<int> network_axes_of(const GroupBox& box, const Machine& machine)
{
    std::vector<int> along;
    const std::vector<NetworkAxis> network = network_axes(machine);
    for (int i = 0; i < static_cast<int>(network.size()); ++i) {
        const int axis = network[static_cast<std::size_t>(i)].torus_axis;
        const bool used =
            axis == NetworkAxis::on_chip
                ? box.whole_chips
                : std::any_of(box.sides.begin(), box.sides.end(),
                              [axis](const BoxSide& side) { return side.axis == axis; });
        if (used) {
            along.push_back(i);
        }
    }
    return along;
}

NetworkAxis part_of(NetworkAxis whole, const BoxSide& side, const Machine& machine)
{
    whole.length = side.length;
    whole.wraps = side.wraps;
    whole.hops = side.hops;
    whole.sharing = side.sharing;
    whole.bytes_per_second /= side.sharing;
    whole.latency += machine.network.hop_time(axis_at(machine.slice, side.axis)) * (side.hops - 1);
    return whole;
}

} // namespace alxsim::model
