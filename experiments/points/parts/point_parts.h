// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/points/study/bill_request.h"
#include "experiments/points/timing/timing.h"
#include "model/graph/memory.h"
#include "report/report.h"
#include "workloads/workload.h"

#include <vector>

namespace alxsim::experiments {

/// An interval's times in seconds.
report::Breakdown breakdown_of(const model::Breakdown& interval);

/// A point's memory, per core.
report::PointMemory memory_of(const model::MemoryFit& fit, const topologies::Machine& machine);

/// Writes the times of a mean interval, the links' use, memory rates and, of a sampled run, its
/// interval.
void add_times(report::Result& result, const Timing& timing, const topologies::Machine& machine);

/// Tells the issue of rows from the bandwidth of HBM, by the closed forms of the interval's ops.
void add_row_issue(report::Result& result, const model::Program& interval,
                   const topologies::Machine& machine);

/// What the hosts' pipeline takes of one interval; nothing of a job without one.
std::optional<report::InputStages> input_of(const model::Program& interval,
                                            model::AnalyticModel& model);

/// Writes cost and energy of an interval; only what there is a price or a source for: on demand, by
/// the study's bill or the preset's list price; mean power.
void add_cost(report::Result& result, const ChipPrices& prices, const topologies::Machine& machine);
/// Throughput, what it costs, and model and hardware FLOP utilization (PaLM, Chowdhery et al. 2022,
/// appendix B). `computed`: operations of all devices in an interval.
void add_throughput(report::Result& result, const workloads::UsefulWork& work, double computed,
                    const ChipPrices& prices, const topologies::Machine& machine);

/// Model FLOP utilization of `operations` in this time.
double model_flop_utilization(double operations, double seconds,
                              const topologies::Machine& machine);

/// The metrics of each evaluated interval, and the simulated time after it.
std::vector<report::Quality> quality_of(const std::vector<workloads::IntervalMetrics>& metrics,
                                        const Timing& timing);

/// Whether no source settles a preset's value of which the machine makes use, or an override does.
bool is_assumed(const std::string& key, const topologies::PresetValue& value,
                const topologies::Machine& machine);
/// Returns such a value as a report tells it; `preset` is the name of the preset.
report::Assumption assumption_of(const std::string& preset, const std::string& key,
                                 const topologies::PresetValue& value);

} // namespace alxsim::experiments
