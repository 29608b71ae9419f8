// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/training.h"
#include "alx/workload_shape.h"
#include "base/json_document.h"
#include "experiments/alx_workload.h"
#include "experiments/timing.h"
#include "model/memory.h"

namespace alxsim::experiments {

/// A point's `memory`, per core.
Json memory_json(const model::MemoryFit& fit, const topologies::Machine& machine);

/// Writes the epoch's seconds, its phases and shares, traffic, memory rates and, of a sampled run,
/// its interval.
void add_times(Json& point, const Timing& timing, const topologies::Machine& machine);

/// Writes cost and energy of an epoch; only what the preset has a source for: list price, mean
/// power.
void add_cost(Json& point, const topologies::Machine& machine);

/// A point's `geometry`: the batches of both halves.
Json geometry_json(const AlxWorkload& workload);

/// Counters of a half that was timed only, and of one that was computed.
Json side_counters(const alx::SideBatches& side, int devices);
Json half_counters(const alx::HalfCounters& half);

/// Writes objective and recall per evaluated epoch, and the recall of popularity.
void add_quality(Json& point, const alx::TrainingRun& run, const Timing& timing);

/// Preset values that no source settles, and those that the study overrides.
Json assumptions_of(const topologies::Machine& machine);

} // namespace alxsim::experiments
