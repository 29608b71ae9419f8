// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_fields.h"
#include "sim/observe/traced_steps.h"

#include <cstdint>
#include <string>

namespace alxsim::experiments {

/// The usual limit of a trace's JSON, in MiB: what ui.perfetto.dev loads in seconds.
constexpr std::int64_t default_trace_limit = 100;
/// The largest limit, in MiB: more than any viewer loads.
constexpr std::int64_t largest_trace_limit = 16384;

/// A trace that is asked for.
struct TraceRequest {
    std::string file; ///< compressed unless it ends in ".json"; of a run, a folder; "": no trace
    std::string title;
    std::string steps = "first";
    std::int64_t limit_mib = default_trace_limit;
    std::string names = "alxsim"; ///< or "xprof": names, tracks and arguments as XProf's

    bool wanted() const { return !file.empty(); }
};

template <class Fields>
void list_fields(Fields& fields, TraceRequest& request)
{
    fields("file", request.file);
    fields("title", request.title);
    fields("steps", request.steps);
    fields("limit_mib", request.limit_mib);
    fields("names", request.names);
}

/// Reads "first", "last", "worst", "3" or "3:8". Throws InputError, naming `option`.
sim::TracedSteps traced_steps_of(const std::string& text, const std::string& option);

/// Says how to see what a trace leaves out.
std::string how_to_see_more(const TraceRequest& request);

/// The file of a point's trace in `folder`: "point-0003-tpu_v3-cores-256.json.gz" of number 3.
std::string trace_file_of(const std::string& folder, std::size_t number, const std::string& label);

} // namespace alxsim::experiments
