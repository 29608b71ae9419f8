// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/kernel_time.h"
#include "sim/memory/hbm.h"

#include <memory>
#include <systemc>
#include <vector>

namespace alxsim::sim {

/// A SystemC kernel of its own, for an HBM alone.
class HbmKernel {
public:
    struct Transfer {
        model::HbmAccess access;
        model::HbmCost cost;
    };

    HbmKernel() : before_(sc_core::sc_curr_simcontext), fresh_(new sc_core::sc_simcontext)
    {
        sc_core::sc_curr_simcontext = fresh_.get();
    }
    ~HbmKernel() { sc_core::sc_curr_simcontext = before_; }
    HbmKernel(const HbmKernel&) = delete;
    HbmKernel& operator=(const HbmKernel&) = delete;

    /// Starts all of them at time 0; says when each was over.
    static std::vector<Picoseconds> run(Hbm& hbm, const std::vector<Transfer>& transfers)
    {
        std::vector<Picoseconds> over(transfers.size());
        for (std::size_t i = 0; i < transfers.size(); ++i) {
            hbm.transfer(transfers[i].access, transfers[i].cost, [&over, i] { over[i] = now(); });
        }
        sc_core::sc_start();
        return over;
    }

private:
    sc_core::sc_simcontext* before_;
    std::unique_ptr<sc_core::sc_simcontext> fresh_;
};

} // namespace alxsim::sim
