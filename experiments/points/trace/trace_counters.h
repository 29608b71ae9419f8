// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/points/trace/chip_drawing.h"
#include "report/trace/trace_writer.h"
#include "sim/observe/timeline.h"
#include "topologies/machine.h"

namespace alxsim::experiments {

/// Bandwidth of a chip's HBM over time, in GB/s.
void write_hbm_counter(report::TraceWriter& writer, const ChipDrawing::Subject& subject, int chip);

/// Busy share of the links along each axis in each direction over time, in percent.
void write_link_counters(report::TraceWriter& writer, const sim::Timeline& timeline,
                         const topologies::Machine& machine);

} // namespace alxsim::experiments
