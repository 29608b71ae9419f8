// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"
#include "model/program.h"
#include "workloads/workload.h"

#include <vector>

namespace alxsim::experiments {

/// The point's `traffic`: what the collectives of an epoch's program carry, each by phase and name.
/// `payload_bytes` is their per-device buffer (model::Collective::bytes), summed over the epoch; of
/// one with messages of different sizes, what a device sends in the mean, and `message_bytes` what
/// all devices send, exactly.
Json traffic_json(const model::Program& epoch, int devices);

/// The point's `skew`: quantities that differ from core to core, over an epoch: `spreads`, and
/// sizes of ops that follow the data. Each with its spread and the core that has most. Empty where
/// all cores are alike.
Json skew_json(const model::Program& epoch, const std::vector<workloads::Spread>& spreads,
               int devices);

} // namespace alxsim::experiments
