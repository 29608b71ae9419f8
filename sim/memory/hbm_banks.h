// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/hbm/banked_hbm.h"
#include "sim/memory/hbm.h"
#include "sim/own_process.h"

#include <functional>
#include <list>
#include <systemc>
#include <vector>

namespace alxsim::sim {

/// The HBM of one chip, burst by burst: model::BankedHbm in simulated time. Nobody outside can see
/// a burst, only when a transfer is over: nothing is scheduled between two moments at which one
/// begins or may be over, and what happened since is caught up with then. A transfer of a hundred
/// thousand bursts wakes SystemC less than a hundred times.
class HbmBanks : public sc_core::sc_module, public Hbm {
public:
    /// `dma_bytes_per_second`: of one device.
    HbmBanks(const sc_core::sc_module_name& name, const topologies::HbmSpec& spec,
             double dma_bytes_per_second);

    void transfer(const model::HbmAccess& access, const model::HbmCost& cost,
                  std::function<void()> done) override;
    void add_moved(Bytes bytes) override { bytes_moved_ += bytes; }
    bool idle() const { return banks_.idle(); }
    Bytes bytes_moved() const override { return bytes_moved_; }
    void declare_statistics(Statistics& statistics) const override;

private:
    /// A transfer whose bytes come over a time of its own (HbmAccess::over): so many pieces, one
    /// after the other, none before it has come.
    struct Paced {
        model::HbmAccess piece;
        int left;
        Picoseconds every;
        Picoseconds next;
        bool moving;
        std::function<void()> done;
    };

    void serve();
    void arm();
    void begin(const model::HbmAccess& access, std::function<void()> done);
    void begin_paced();
    void piece_is_over(std::list<Paced>::iterator transfer);

    const model::DramTime time_;
    const Bytes burst_;
    model::BankedHbm banks_;
    std::vector<std::function<void()>> done_; ///< of each place
    std::list<Paced> paced_;
    Bytes bytes_moved_{0};
    sc_core::sc_event may_end_;
    OwnProcess process_;
};

} // namespace alxsim::sim
