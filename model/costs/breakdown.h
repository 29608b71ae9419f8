// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/time_share.h"
#include "base/units.h"
#include "model/costs/device_use.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace alxsim::model {

/// What a picosecond of an interval is spent on. Every one has exactly one share and one phase.
using alxsim::name_of;
using alxsim::Share;
using alxsim::share_count;

/// What the time before an op's body counts as, latency and the first bytes: of the host where the
/// body is the host's.
inline Share fill_share(Share body)
{
    return body == Share::host ? Share::host : Share::hbm;
}

/// What collectives along some axes take of an interval.
struct AxisTimes {
    Picoseconds total{0};   ///< under way on a device; no less than on the critical path
    Picoseconds exposed{0}; ///< on the critical path
    Picoseconds alone{0};   ///< of the total, while the device computes nothing
};

/// Time split twice: by phase (what the algorithm was doing) and by share (what held it up). Both
/// splits add up to `total` exactly.
struct Breakdown {
    Picoseconds total{0};
    std::map<std::string, Picoseconds> phases;
    std::array<Picoseconds, share_count> shares{};
    /// By the axes of collectives, as CollectiveAxes names them. `exposed` adds up to the share of
    /// communication; the others are zero where nobody asked for them.
    std::map<std::string, AxisTimes> axes;
    // What a device waits for others in the mean, where roles tell devices apart (DeviceUse):
    Picoseconds bubble{0};
    Picoseconds late_peer{0};

    void add(const std::string& phase, Share share, Picoseconds time);
    Breakdown& operator+=(const Breakdown& other);
    Breakdown scaled(std::int64_t times) const;
    /// `names`: of axes, by number.
    void set_use(const DeviceUse& use, const std::vector<std::string>& names);
    /// Rounds `exposed` of all axes so that they add up to the share of communication.
    void fit_exposed();
    Picoseconds share(Share which) const { return shares[static_cast<std::size_t>(which)]; }
    Picoseconds& share(Share which) { return shares[static_cast<std::size_t>(which)]; }
};

/// What its parts are by the side of waiting, which it had none of so far. While the critical path
/// works on one role's devices, others wait: so much of every share is bubble or late peer. Work
/// takes `straggling` times as long (1 or more) on the slowest device as on the median one: what
/// that is longer counts as waiting, too, no longer as compute.
Breakdown with_waiting(Breakdown breakdown, double straggling);

/// Scales each part, rounding so that the results add up to `target`: what the parts add up to,
/// times `numerator / denominator`.
void scale_exactly(const std::vector<Picoseconds*>& parts, std::int64_t numerator,
                   std::int64_t denominator, Picoseconds target);

/// `numerator / denominator` times `whole`, its total rounded to whole picoseconds (downwards),
/// with phases and shares cut by largest remainder so that they still add up exactly.
Breakdown fraction_of(const Breakdown& whole, std::int64_t numerator, std::int64_t denominator);

/// The mean of `total` over `parts` equal parts.
inline Breakdown mean_of(const Breakdown& total, std::int64_t parts)
{
    return fraction_of(total, 1, parts);
}

} // namespace alxsim::model
