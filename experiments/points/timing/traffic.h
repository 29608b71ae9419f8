// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/program.h"
#include "report/point.h"
#include "topologies/machine.h"
#include "workloads/workload.h"

#include <vector>

namespace alxsim::experiments {

/// What the collectives of an epoch's program carry, each by phase and name. `payload_bytes` is
/// their per-device buffer (model::Collective::bytes), summed over the epoch; of one with messages
/// of different sizes, what a device sends in the mean, and `message_bytes` what all devices send,
/// exactly. Where roles differ, it is the mean over the devices that take part.
std::vector<report::Traffic> traffic_of(const model::Program& epoch,
                                        const topologies::Machine& machine);

/// Quantities that differ from core to core, over an epoch: `spreads`, and sizes of ops that follow
/// the data. Each with its spread and the core that has most. Empty where all cores are alike.
std::vector<report::Skew> skew_of(const model::Program& epoch,
                                  const std::vector<workloads::Spread>& spreads, int devices);

} // namespace alxsim::experiments
