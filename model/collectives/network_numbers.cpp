// SPDX-License-Identifier: Apache-2.0
#include "model/collectives/network_numbers.h"

#include "base/numbers/double_bits.h"
#include "topologies/machine.h"

namespace alxsim::model {

NetworkNumbers network_numbers(const topologies::NetworkSpec& network)
{
    // All fields are named, so that another one does not compile until its place is decided here.
    const auto& [link_rate, ring_efficiency, line_efficiency, hop_latency, message_latency, packet,
                 vc_buffer, on_chip_rate, on_chip_latency, on_chip_overlap, collectives_overlap,
                 all_gathers_overlap, reductions_overlap, permutes_overlap,
                 recipe_all_gathers_overlap, dcn_rate, dcn_efficiency, dcn_latency] = network;
    return {double_bits(link_rate),
            double_bits(ring_efficiency),
            double_bits(line_efficiency),
            double_bits(hop_latency.count()),
            double_bits(message_latency.count()),
            packet.count(),
            vc_buffer.count(),
            double_bits(on_chip_rate),
            double_bits(on_chip_latency.count()),
            double_bits(on_chip_overlap),
            double_bits(dcn_rate),
            double_bits(dcn_efficiency),
            double_bits(dcn_latency.count())};
}

} // namespace alxsim::model
