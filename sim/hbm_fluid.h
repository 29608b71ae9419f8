// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/alarms.h"
#include "sim/hbm.h"

#include <functional>
#include <systemc>
#include <vector>

namespace alxsim::sim {

/// The HBM of one chip as a shared-rate server. A transfer is so much time of the whole memory
/// (HbmCost::busy); transfers under way share the memory max-min fairly, whichever device asked for
/// them, but none goes faster than it would alone (HbmCost::alone).
class HbmFluid : public sc_core::sc_module, public Hbm, private Sleeper {
public:
    HbmFluid(const sc_core::sc_module_name& name, Alarms& alarms);

    void transfer(const model::HbmAccess& access, const model::HbmCost& cost,
                  std::function<void()> done) override;
    void add_moved(Bytes bytes) override { bytes_moved_ += bytes; }
    Bytes bytes_moved() const override { return bytes_moved_; }

private:
    /// Work in picoseconds of the whole memory.
    struct Transfer {
        double remaining;
        double residue;  ///< with no more than this remaining it is over
        double fastest;  ///< share of the memory that it can use
        double rate = 0; ///< share that it has now
        std::function<void()> done;
    };

    void wake() override { serve(); }
    void serve();
    void progress();
    void share_out();
    void arm();

    std::vector<Transfer> transfers_;
    std::vector<std::function<void()>> finished_; ///< of those that are over, while they are told
    Picoseconds progressed_to_{0};
    Bytes bytes_moved_{0};
    Alarms& alarms_;
    const int alarm_;
};

} // namespace alxsim::sim
