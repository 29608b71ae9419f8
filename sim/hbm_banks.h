// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/dma_engine.h"
#include "sim/hbm.h"
#include "sim/hbm_channel.h"

#include <systemc>

namespace alxsim::sim {

/// The HBM of one chip, burst by burst: a DMA engine and the channels. Only contains.
class HbmBanks : public sc_core::sc_module, public Hbm {
public:
    /// `dma_bytes_per_second`: of one device.
    HbmBanks(const sc_core::sc_module_name& name, const topologies::HbmSpec& spec,
             double dma_bytes_per_second);

    void transfer(const model::HbmAccess& access, const model::HbmCost& cost,
                  std::function<void()> done) override;
    void add_moved(Bytes bytes) override { bytes_moved_ += bytes; }
    bool idle() const { return engine_.idle(); }
    Bytes bytes_moved() const override { return bytes_moved_; }
    void declare_statistics(Statistics& statistics) const override;

private:
    const topologies::HbmSpec spec_;
    DmaEngine engine_;
    sc_core::sc_vector<HbmChannel> channels_;
    Bytes bytes_moved_{0};
};

} // namespace alxsim::sim
