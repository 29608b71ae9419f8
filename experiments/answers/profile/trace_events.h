// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace alxsim::experiments {

/// A span of a trace; times in picoseconds.
struct TraceEvent {
    std::pair<std::int64_t, std::int64_t> thread; ///< process and thread
    std::int64_t begin = 0;
    std::int64_t duration = 0;
    int name = 0, category = 0, source = 0; ///< places in TraceEvents::words
};

/// What counts of a trace in the trace-event format: spans, and names of processes and threads.
struct TraceEvents {
    std::vector<TraceEvent> spans;
    std::vector<std::string> words; ///< each once; the first is ""
    std::map<std::int64_t, std::string> processes;
    std::map<std::pair<std::int64_t, std::int64_t>, std::string> threads;
};

/// Throws InputError: with line and column for what is no JSON, with the event's pointer for times
/// that are no numbers from 0 up, and where there is no list "traceEvents".
TraceEvents trace_events_of(const std::string& text, const std::string& file);

} // namespace alxsim::experiments
