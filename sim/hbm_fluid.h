// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"

#include <functional>
#include <systemc>
#include <vector>

namespace alxsim::sim {

/// The HBM of one chip as a shared-rate server: transfers under way split the bandwidth evenly,
/// whichever of the chip's devices asked for them. Banks, rows and refresh are left out.
class HbmFluid : public sc_core::sc_module {
public:
    HbmFluid(const sc_core::sc_module_name& name, double bytes_per_second);

    /// Starts moving `bytes` now; calls `done` when the last one has moved.
    void transfer(Bytes bytes, std::function<void()> done);

    /// Notes bytes of transfers that are not simulated one by one.
    void add_moved(Bytes bytes) { bytes_moved_ += bytes; }

    bool idle() const { return transfers_.empty(); }
    Bytes bytes_moved() const { return bytes_moved_; }

private:
    struct Transfer {
        double remaining;
        double residue; ///< with no more than this remaining it is over
        std::function<void()> done;
    };

    void serve();
    void progress();
    void arm();

    double bytes_per_picosecond_;
    std::vector<Transfer> transfers_;
    Picoseconds progressed_to_{0};
    Bytes bytes_moved_{0};
    sc_core::sc_event next_done_;
};

} // namespace alxsim::sim
