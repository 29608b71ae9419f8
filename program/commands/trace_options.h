// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/points/study/study.h"
#include "experiments/points/trace/trace_request.h"

#include <CLI/CLI.hpp>

#include <vector>

namespace alxsim::program {

using namespace experiments;

/// The option --trace-limit.
void add_trace_limit(CLI::App& command, TraceRequest& request);

/// The option --trace-names.
void add_trace_names(CLI::App& command, TraceRequest& request);

/// The options --trace (a folder), --trace-steps, --trace-limit and --trace-names.
void add_trace_options(CLI::App& command, TraceRequest& request);

/// Throws InputError for steps that are none, and where no point would have a trace; notes how many
/// have none.
void check_trace(const TraceRequest& request, const std::vector<PointSpec>& points);

} // namespace alxsim::program
