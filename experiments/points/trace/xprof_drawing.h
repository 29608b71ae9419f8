// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/points/trace/trace_request.h"
#include "report/trace/trace_writer.h"
#include "sim/observe/timeline.h"
#include "topologies/machine.h"
#include "workloads/op_sources.h"

#include <string>
#include <vector>

namespace alxsim::experiments {

/// Draws a timeline as JAX's profiler writes one (*.trace.json.gz): a process "/device:TPU:N" for
/// each device with the threads Steps, XLA Modules, XLA Ops and Async XLA Ops, and /host:CPU; all
/// arguments are strings (names: xplane_schema.cc and xla_op_utils.h of the profiler).
///
/// XLA Ops has what the TensorCore does, one at a time. What runs beside it is on Async XLA Ops; on
/// XLA Ops stands "...-done" while the TensorCore waits for it. Iterations of loops that were left
/// out are written out, as the last ones went. What does not fit goes to `left_out`.
void draw_as_xprof(report::TraceWriter& writer, const sim::Timeline& timeline,
                   const topologies::Machine& machine, const workloads::OpSources& sources,
                   const TraceRequest& request, std::vector<std::string>& left_out);

} // namespace alxsim::experiments
