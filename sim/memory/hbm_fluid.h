// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/hbm/shared_rates.h"
#include "sim/alarms.h"
#include "sim/memory/hbm.h"

#include <functional>
#include <systemc>
#include <vector>

namespace alxsim::sim {

/// The HBM of one chip as a server of shared rates, whichever device asked for a transfer.
class HbmFluid : public sc_core::sc_module, public Hbm, private Sleeper {
public:
    HbmFluid(const sc_core::sc_module_name& name, Alarms& alarms);

    void transfer(const model::HbmAccess& access, const model::HbmCost& cost,
                  std::function<void()> done) override;
    void add_moved(Bytes bytes) override { bytes_moved_ += bytes; }
    Bytes bytes_moved() const override { return bytes_moved_; }

private:
    void wake() override { serve(); }
    void serve();
    void arm();

    model::SharedRates rates_;
    std::vector<std::function<void()>> done_; ///< of each transfer under way
    std::vector<int> spare_;                  ///< places in it
    std::vector<int> over_;                   ///< likewise, while they are told
    Bytes bytes_moved_{0};
    Alarms& alarms_;
    const int alarm_;
};

} // namespace alxsim::sim
