// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/points/trace/trace_request.h"
#include "sim/observe/timeline.h"
#include "topologies/machine.h"

#include "workloads/op_sources.h"

#include <string>
#include <vector>

namespace alxsim::experiments {

/// A timeline in the trace-event format of Chrome and Perfetto (docs/trace.md says what is where).
struct TraceText {
    std::string json;
    std::vector<std::string> left_out; ///< for people: what did not fit, and how to have it
};
/// `sources`: of ops, for names as XProf's.
TraceText trace_text(const sim::Timeline& timeline, const topologies::Machine& machine,
                     const TraceRequest& request, const workloads::OpSources& sources = {});

/// Writes it to the file of the request, whole or not at all; what was left out. Throws
/// std::runtime_error if it cannot be written.
std::vector<std::string> write_trace(const sim::Timeline& timeline,
                                     const topologies::Machine& machine,
                                     const TraceRequest& request,
                                     const workloads::OpSources& sources = {});

} // namespace alxsim::experiments
