// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "topologies/machine.h"
#include "workloads/import/hlo/sidecar.h"
#include "workloads/import/hlo/text/module.h"

#include <cstdint>
#include <string>
#include <vector>

namespace alxsim::hlo {

/// The slice that a program was compiled for: chip, shape and slices as NAME.json says them, rings
/// where it says so and lines elsewhere, since the algorithms were chosen for those. Throws
/// InputError for a chip or a shape that is none.
topologies::Machine machine_of(const Sidecar& sidecar, const std::string& file);

/// Counts the devices of a text: replicas x partitions, 1 replica in all of JAX's; 0: it says
/// neither, and runs on as many as there are.
std::int64_t participants(const Module& module);

/// [partition]: the machine's device that runs it; of a text of one of several slices, behind each
/// other those of each slice. JAX counts x fastest, a machine its last axis:
/// device = slice x D + ((x Y + y) Z + z) x cores + core. Without a sidecar, or where that places
/// none, partitions are devices of the same number. Throws InputError where the machine has not as
/// many devices as there are partitions, or a partition lies outside of it.
std::vector<int> devices_of_partitions(const Sidecar* sidecar, const topologies::Machine& machine,
                                       std::int64_t partitions, const std::string& file);

} // namespace alxsim::hlo
