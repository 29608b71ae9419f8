// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"

namespace alxsim::topologies {

/// How a host's programs reach its drives: through the kernel and a bounce buffer, from which bytes
/// are copied; or from user space, straight to where they are wanted.
enum class StorageIo { kernel, user };

/// What all drives of a host move by one way of input and output.
struct StorageRates {
    double read_bytes_per_second = 0;
    double write_bytes_per_second = 0;
    Seconds request{0}; ///< that the core of the host takes which issues them, for each
};

/// The drives below a host's DRAM. Bytes go in blocks, in turn to one drive after the other; each
/// works on several requests at once, of which one transfers.
struct StorageSpec {
    Bytes capacity{0}; ///< of a host; 0: not known
    int drives = 1;
    StorageRates kernel;
    StorageRates user;
    Bytes block{1};
    int queue_depth = 1; ///< requests under way at once, of all drives
    Seconds read_latency{0};
    Seconds write_latency{0};

    const StorageRates& by(StorageIo io) const { return io == StorageIo::user ? user : kernel; }
};

} // namespace alxsim::topologies
