// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/points/trace/trace_request.h"

#include <CLI/CLI.hpp>

namespace alxsim::program {

using namespace experiments;

/// The option --trace-limit.
void add_trace_limit(CLI::App& command, TraceRequest& request);

/// The options --trace (a folder), --trace-steps and --trace-limit.
void add_trace_options(CLI::App& command, TraceRequest& request);

} // namespace alxsim::program
