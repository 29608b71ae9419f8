// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "model/graph/message_order.h"
#include "model/graph/work.h"
#include "topologies/machine.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace alxsim::model {

/// What messages do to the links under the machine's dimension-order routing.
struct RoutedLoad {
    Picoseconds time{0};    ///< the larger of the next two sums, and of the same on a chip's path
    Bytes link_bytes{0};    ///< on all ICI links together
    std::int64_t hops = 0;  ///< links that messages pass, in all
    Picoseconds busiest{0}; ///< until the busiest link has sent its bytes, at its usable rate
    Picoseconds longest{0}; ///< hop latencies of the longest way, and software's part
};

RoutedLoad load_of(const std::vector<PairMessage>& messages, const topologies::Machine& machine);

/// The same of messages that wait for others, if `after` is not empty: their time is that of the
/// longest chain, or of the busiest link if that takes longer. Exact where no two that go at once
/// meet on a link.
RoutedLoad load_of(const std::vector<PairMessage>& messages, const MessageOrder& after,
                   const topologies::Machine& machine);

/// What one of several messages gets if all are as long and go at once, nothing broken.
struct RouteShare {
    int hops = 0;                ///< ICI links that it passes
    double bytes_per_second = 0; ///< where most others share its way
    Picoseconds latency{0};
};

/// [message]; of none to oneself.
std::vector<RouteShare> shares_of(const std::vector<PairMessage>& messages,
                                  const topologies::Machine& machine);

/// What messages pass under that routing, each direction of a link or of a chip's path by itself:
/// numbers that mean something on this machine alone, sorted, each once.
std::vector<std::size_t> ways_of(const std::vector<PairMessage>& messages,
                                 const topologies::Machine& machine);

} // namespace alxsim::model
