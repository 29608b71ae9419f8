// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/collectives/collective_group.h"

#include <optional>
#include <vector>

namespace alxsim::model {

/// What a box has of an axis of the slice: `length` chips, each `hops` further than the one before.
struct BoxSide {
    int axis = 0; ///< index into Slice::axes()
    int length = 1;
    int hops = 1;
    int sharing = 1; ///< groups whose messages to the next one link carries
    bool wraps = false;
};

/// Groups that are boxes of the torus, all alike: whole axes, parts of them, rectangles, chips.
struct GroupBox {
    std::vector<BoxSide> sides; ///< of more than one chip, in the order of the slice's axes
    bool whole_chips = true;    ///< with all devices of a chip, and not one of each

    /// No links of others' chips lie between the chips of a group.
    bool is_dense() const;
};

/// Nothing unless the groups, whose devices are listed in ascending order, are boxes all alike. On
/// a twisted torus, whose wraps do not stay on an axis, only what uses none of them is one.
std::optional<GroupBox> box_of(const std::vector<std::vector<int>>& groups,
                               const topologies::Machine& machine);

/// Names of its axes if it has these axes as a whole and with every chip of the slice there is such
/// a group, of which there are `groups`; else nothing.
std::optional<std::vector<std::string>> whole_axes_of(const GroupBox& box, int groups,
                                                      const topologies::Machine& machine);

/// A group that is such a box, in place of one along whole axes. `root`: its place in the ascending
/// list.
CollectiveGroup group_of(const GroupBox& box, int root, const topologies::Machine& machine);

/// [axis of group_of()]: places in the ascending list from one position to the next, as in
/// RankGroups.
std::vector<int> strides_of(const GroupBox& box, const topologies::Machine& machine);

/// Indices into network_axes() of those on which it lies.
std::vector<int> network_axes_of(const GroupBox& box, const topologies::Machine& machine);

/// The axis of the network of which a side is a part, as the side's messages see it.
NetworkAxis part_of(NetworkAxis whole, const BoxSide& side, const topologies::Machine& machine);

} // namespace alxsim::model
