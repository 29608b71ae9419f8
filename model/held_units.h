// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/compiled_graph.h"
#include "model/ready_ops.h"

#include <array>
#include <cstddef>

namespace alxsim::model {

/// The working units of one device: which ops hold them, and who held them last. Any number of
/// collectives hold a unit together, anything else holds it alone. `Holder` is how an op is named.
template <class Holder>
class HeldUnits {
public:
    /// When the last of some units was free again, and the op that held it until then.
    struct Release {
        Picoseconds at{0};
        Holder by{};
    };

    /// For which ops there are units now.
    UnitGroups startable() const
    {
        UnitGroups groups = (~held_ & (bit_of(all_units) - 1)) | bit_of(no_unit);
        if ((held_alone_ & network) == 0) {
            groups |= network;
        }
        return (held_alone_ & device) == 0 ? groups | bit_of(all_units) : groups;
    }

    /// The latest release of a unit of `group` after `ready`, else `ready` itself.
    Release hold(std::size_t group, const Release& ready)
    {
        Release latest = ready;
        const bool alone = !is_for_collectives(group);
        for_units(group, [&](std::size_t unit) {
            if (released_[unit].at > latest.at) {
                latest = released_[unit];
            }
            ++holders_[unit];
            held_ |= bit_of(unit);
            held_alone_ |= alone ? bit_of(unit) : 0;
        });
        return latest;
    }

    void release(std::size_t group, const Holder& by, Picoseconds now)
    {
        for_units(group, [&](std::size_t unit) {
            released_[unit] = {now, by};
            if (--holders_[unit] == 0) {
                held_ &= ~bit_of(unit);
                held_alone_ &= ~bit_of(unit);
            }
        });
    }

    /// [unit]: the last ones.
    const std::array<Release, working_units>& released() const { return released_; }

private:
    static constexpr UnitGroups device = (UnitGroups{1} << device_units) - 1;
    static constexpr UnitGroups network = UnitGroups{1} << static_cast<std::size_t>(Unit::network);

    template <class Visit>
    static void for_units(std::size_t group, Visit visit)
    {
        if (group < working_units) {
            visit(group);
        } else if (group == all_units) {
            for (std::size_t unit = 0; unit < device_units; ++unit) {
                visit(unit);
            }
        }
    }

    std::array<int, working_units> holders_{};
    std::array<Release, working_units> released_{};
    UnitGroups held_ = 0;       ///< units
    UnitGroups held_alone_ = 0; ///< those of them that no collective holds
};

} // namespace alxsim::model
