// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/hbm/hbm_access.h"

#include <functional>
#include <vector>

namespace alxsim::model {

/// How a requester offers bursts.
struct HbmOffer {
    int window = 1024;       ///< bursts offered and not yet taken by their channel
    int per_clock = 1 << 20; ///< taken in one clock at most
    DramClock until = never; ///< stop then, whatever is left
};

struct HbmReplayResult {
    DramClock clocks = 0; ///< until the last byte
    std::int64_t bursts = 0;
    std::int64_t activates = 0;
    std::int64_t row_hits = 0;
    std::vector<std::int64_t> bursts_of_channel;
    std::vector<DramClock> done; ///< when each burst was over, in the order of issue

    /// Returns the share of what the data buses could have moved in that time.
    double share_of_peak(const topologies::HbmSpec& spec) const;
};

/// Runs bursts through all channels of a chip at full speed. `next` as BurstStream::next.
HbmReplayResult replay(const topologies::HbmSpec& spec, const std::function<bool(HbmBurst&)>& next,
                       const HbmOffer& offer = {});
HbmReplayResult replay(const topologies::HbmSpec& spec, const HbmAccess& access,
                       const HbmOffer& offer = {});

} // namespace alxsim::model
