// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/collectives/collective.h"

#include <vector>

namespace alxsim::model {

inline bool is_torus(const NetworkAxis& axis)
{
    return axis.torus_axis != NetworkAxis::on_chip;
}

inline Bytes ceil_share(Bytes bytes, std::int64_t parts)
{
    return Bytes(ceil_divide(bytes.count(), parts));
}

/// The name that users give an axis: "x", "y", "z" or "dcn".
inline std::string axis_name(const NetworkAxis& axis)
{
    return axis.joins_slices ? "dcn" : std::string(1, "xyz"[axis.torus_axis]);
}

/// The devices that a collective joins: chips that differ only in some torus axes, with all their
/// devices or, across chips, with those at one place on them. The slice is full of such groups, all
/// alike.
struct CollectiveGroup {
    std::vector<NetworkAxis> axes; ///< all of network_axes()
    std::vector<int> used;         ///< those that the group spans: indices into `axes`
    int chips = 1;                 ///< of one group
    int devices = 1;               ///< of one group
    std::vector<int> root;         ///< where it stands on each of `axes`; 0 where there is none
    /// On a twisted torus, ring lengths in the order in which a gather takes the torus axes,
    /// whichever those are; else empty. Past the wrap of a short axis one is half-way along the
    /// long ones, so the cycle of a short axis is as long as that of a long one. So all cycles have
    /// 2k chips; what one gathers on such a cycle covers the half-way points of the later ones,
    /// where chips k apart hold the same. Of k x k x 2k chips: 2k, k, k; of k x 2k x 2k: 2k, 2k, k.
    std::vector<int> twisted_rings;

    const NetworkAxis& axis(int index) const { return axes[static_cast<std::size_t>(index)]; }
    std::vector<int> torus_axes() const; ///< of `used`, those that are no path on a chip
    std::vector<int> ici_axes() const;   ///< of them, those within a slice
    bool has_torus_axes() const;
    bool wraps() const; ///< every torus axis that it uses does
    int devices_on_a_chip() const { return devices / chips; }
};

/// Throws InputError for a root that a group of `devices` or the kind does not have.
void check_root(const Collective& collective, int devices);

/// Throws InputError for axes that the slice does not have, for less than all of a twisted torus,
/// whose wraps do not stay on an axis, and for a root that the group or the kind does not have.
CollectiveGroup group_of(const Collective& collective, const topologies::Machine& machine);

/// Which chips a chip is joined with, for all chips of the slice: numbered from 0.
std::vector<int> groups_of_chips(const CollectiveGroup& group, const topologies::Slice& slice);

/// Which group a device belongs to, for all devices of the machine: numbered from 0.
std::vector<int> groups_of_devices(const CollectiveGroup& group,
                                   const topologies::Machine& machine);

/// A schedule of `collective` in which nothing is sent yet.
CollectiveSchedule blank_schedule(const Collective& collective, const CollectiveGroup& group,
                                  const std::string& name);

/// The same of a group of one.
CollectiveSchedule nothing_to_do(const Collective& collective, const CollectiveGroup& group);

/// Ways round a ring that `collective` uses: 2 unless it asks for 1.
int directions_of(const Collective& collective);

} // namespace alxsim::model
