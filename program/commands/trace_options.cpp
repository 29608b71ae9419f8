// SPDX-License-Identifier: Apache-2.0
#include "program/commands/trace_options.h"

namespace alxsim::program {

void add_trace_limit(CLI::App& command, TraceRequest& request)
{
    command
        .add_option("--trace-limit", request.limit_mib,
                    "MiB of a trace's JSON before it is compressed, which is what a viewer has to "
                    "load; what does not fit is left out, and told")
        ->check(CLI::Range(std::int64_t{1}, largest_trace_limit))
        ->capture_default_str();
}

void add_trace_options(CLI::App& command, TraceRequest& request)
{
    command.add_option(
        "--trace", request.file,
        "Folder for a timeline of each point that SystemC simulates: point-NNNN-....json.gz, in "
        "the trace-event format that ui.perfetto.dev and chrome://tracing show. Such points start "
        "anew with --resume where their trace is missing, and keep no checkpoints");
    command
        .add_option("--trace-steps", request.steps,
                    "Steps of a trace: first, last, worst (the longest), a number like 3, or "
                    "FROM:TO like 3:8, counted from 1 in the first interval that is simulated")
        ->capture_default_str();
    add_trace_limit(command, request);
}

} // namespace alxsim::program
