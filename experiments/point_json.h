// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"
#include "experiments/timing.h"
#include "model/memory.h"
#include "workloads/workload.h"

#include <vector>

namespace alxsim::experiments {

/// A point's `memory`, per core.
Json memory_json(const model::MemoryFit& fit, const topologies::Machine& machine);

/// Writes the epoch's seconds, its phases and shares, traffic, memory rates and, of a sampled run,
/// its interval.
void add_times(Json& point, const Timing& timing, const topologies::Machine& machine);

/// Writes cost and energy of an epoch; only what the preset has a source for: list price, mean
/// power.
void add_cost(Json& point, const topologies::Machine& machine);

/// A point's `quality`: the metrics of each evaluated interval, and the simulated time after it.
Json quality_json(const std::vector<workloads::IntervalMetrics>& metrics, const Timing& timing);

/// Preset values that no source settles, and those that the study overrides.
Json assumptions_of(const topologies::Machine& machine);

} // namespace alxsim::experiments
