// SPDX-License-Identifier: Apache-2.0
#include "sim/hbm_banks.h"

#include <utility>

namespace alxsim::sim {

HbmBanks::HbmBanks(const sc_core::sc_module_name& name, const topologies::HbmSpec& spec,
                   double dma_bytes_per_second)
    : sc_core::sc_module(name),
      spec_(spec),
      engine_("dma", spec_, dma_bytes_per_second),
      channels_("channel", static_cast<std::size_t>(spec.channels),
                [this](const char* channel, std::size_t) { return new HbmChannel(channel, spec_); })
{
    for (std::size_t i = 0; i < channels_.size(); ++i) {
        engine_.channels[i].bind(channels_[i].socket);
    }
}

void HbmBanks::transfer(const model::HbmAccess& access, const model::HbmCost& cost,
                        std::function<void()> done)
{
    bytes_moved_ += cost.bytes;
    engine_.transfer(access, std::move(done));
}

void HbmBanks::declare_statistics(Statistics& statistics) const
{
    engine_.declare_statistics(statistics);
    for (const HbmChannel& channel : channels_) {
        channel.declare_statistics(statistics);
    }
}

} // namespace alxsim::sim
