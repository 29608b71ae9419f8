// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/host_pool.h"

#include <functional>
#include <memory>

namespace alxsim::model {

struct Effect;
struct OpGraph;

/// Runs the effects of a step's ops in topological order on the host pool, every op for all
/// `devices` before the next one. A repeat's effect stands on the repeat; its body's ops have none.
void run_effects(const OpGraph& graph, int devices, HostPool& pool);

/// The same of one op.
void run_effect(const Effect& effect, int devices, HostPool& pool);

/// An effect of one item on each device.
std::shared_ptr<const Effect> device_effect(std::function<void(int device)> run);

/// An effect of one item for all devices together, as a collective has it.
std::shared_ptr<const Effect> group_effect(std::function<void()> run);

} // namespace alxsim::model
