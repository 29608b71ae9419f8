// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/host_pool.h"

#include <functional>
#include <memory>
#include <vector>

namespace alxsim::model {

struct Effect;
struct OpGraph;

/// Runs the effects of a step's ops in topological order on the host pool, every op for all
/// `devices` before the next one. A repeat's effect stands on the repeat; its body's ops have none.
/// In a step with roles each role runs its own ops, on its devices: one that gets messages of
/// another role waits for what it sends, whose effect keeps them until then; in other collectives
/// of several roles all wait for each other, and one effect is for all. Throws std::logic_error for
/// roles that wait for each other for ever.
void run_effects(const OpGraph& graph, int devices, HostPool& pool);

/// The same of one op.
void run_effect(const Effect& effect, int devices, HostPool& pool);
void run_effect(const Effect& effect, const std::vector<int>& devices, HostPool& pool);

/// An effect of one item on each device.
std::shared_ptr<const Effect> device_effect(std::function<void(int device)> run);

/// An effect of one item for all devices together, as a collective has it.
std::shared_ptr<const Effect> group_effect(std::function<void()> run);

} // namespace alxsim::model
