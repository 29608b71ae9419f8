// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace alxsim::model {

/// How long collectives along some axes are under way on a device: from when the last of those that
/// it waits for has come until it is done.
struct AxisUse {
    Picoseconds total{0};
    Picoseconds alone{0}; ///< of it, while the device computes nothing
};

/// What a device waits for in a collective before its last member has come.
enum class LateMember {
    nobody,  ///< not told: all devices run the same, and whose path it is goes by the late one
    message, ///< of another role, whose data it needs
    collective
};

/// What a device does beside its work, by the axes of its collectives.
struct DeviceUse {
    std::vector<AxisUse> axes; ///< as PhaseNames::axes() numbers them; as far as any is used
    // While it computes nothing and nothing comes or goes:
    Picoseconds bubble{0};    ///< until another role has sent
    Picoseconds late_peer{0}; ///< until the last member of a collective has come

    AxisUse& along(int number);
    /// A collective by itself, from when its last member came.
    void add_alone(int number, Picoseconds time);
    /// Nothing but the wait for a member.
    void add_wait(LateMember late, Picoseconds time);
    /// `times` over.
    void add(const DeviceUse& more, std::int64_t times = 1);
    /// `times` over what came between `before` and `after`, which is later.
    void add_between(const DeviceUse& before, const DeviceUse& after, std::int64_t times);
    /// Along each axis what it has, or `other`, if that is more.
    void take_most_of_axes(const DeviceUse& other);
    /// Returns the mean of one of `devices`, of which this is the sum: totals rounded up, all else
    /// down.
    DeviceUse mean_of(std::int64_t devices) const;
};

/// Finds what a device does from when it worked and when it communicated, told in any order.
class DeviceUseMeter {
public:
    void worked(Picoseconds begin, Picoseconds end);
    /// Entered at `begin`; its last member came at `met`, the device's own coming included.
    void communicated(int axes, LateMember late, Picoseconds begin, Picoseconds met,
                      Picoseconds end);
    /// Adds what was until `until` to `use`, and forgets it. All that began before is told up to
    /// then.
    void settle(Picoseconds until, DeviceUse& use);
    bool is_empty() const { return spans_.empty(); }
    std::size_t size() const { return spans_.size(); }

private:
    enum class Kind : std::uint8_t { work, moving, waits_for_message, waits_for_member };
    struct Span {
        Picoseconds begin{0};
        Picoseconds end{0};
        Kind kind = Kind::work;
        int axes = 0;
    };
    struct Edge {
        Picoseconds time{0};
        int change = 1; ///< of how many are under way
        Kind kind = Kind::work;
        int axes = 0;
    };
    class Sweep;

    void add(const Span& span);

    std::vector<Span> spans_;
    std::vector<Edge> edges_; ///< kept for its memory
    Picoseconds settled_{0};
};

} // namespace alxsim::model
