// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "topologies/storage_spec.h"

#include <optional>
#include <string_view>

namespace alxsim::topologies {

struct Machine;

/// Memories that a device computes from, or that are below those. The host's is its DRAM, storage
/// the drives below that.
enum class Tier { vmem, hbm, host, storage };

std::string_view name_of(Tier tier);

/// Who shares a memory or a path: all devices of a chip, or of the chips of a host.
enum class SharedBy { device, chip, host };

struct MemoryTier {
    Tier tier = Tier::hbm;
    Bytes capacity{0};           ///< of one; 0: not known
    double bytes_per_second = 0; ///< read and written together; 0: not known, no limit
    SharedBy shared_by = SharedBy::chip;
};

/// Which way bytes go from one tier to another, without those that go back.
struct DataPath {
    Tier from = Tier::hbm;
    Tier to = Tier::vmem;
    double bytes_per_second = 0;
    Seconds latency{0}; ///< until the first byte
    SharedBy shared_by = SharedBy::device;
};

MemoryTier memory_tier(const Machine& machine, Tier tier);

/// Nothing where there is none: VMEM and host memory meet in HBM, HBM and storage in host memory.
/// Within host memory it is what the host's cores read and write there. `io`: of storage.
std::optional<DataPath> data_path(const Machine& machine, Tier from, Tier to,
                                  StorageIo io = StorageIo::kernel);

/// Devices of the machine's generation that share something; a host has all its chips.
int devices_sharing(const Machine& machine, SharedBy shared_by);

/// A device's part of a tier; 0: not known.
Bytes device_capacity(const Machine& machine, Tier tier);

/// What a device gets of a path if all that share it, or the memory at either end, copy the same
/// way at once.
double device_bytes_per_second(const Machine& machine, const DataPath& path);

} // namespace alxsim::topologies
