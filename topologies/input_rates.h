// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace alxsim::topologies {

/// What a host's input pipeline does for all its devices, before batches go over PCIe: it reads
/// records, and parses and lays out what they hold. Stages work side by side, each on a batch of
/// its own.
struct InputRates {
    double bytes_per_second = 0; ///< of records that it reads; 0: no limit
    double ids_per_second = 0;   ///< that it parses; 0: no limit
    /// Each host reads the records of all hosts and drops those of others before it parses.
    bool every_host_reads_all = false;
};

} // namespace alxsim::topologies
