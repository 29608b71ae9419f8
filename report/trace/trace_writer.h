// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"
#include "base/units.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace alxsim::report {

/// A row of a viewer: chips are its processes, units its tracks (threads).
struct TraceTrack {
    int process = 0;
    int track = 0;
};

/// What a viewer shows of a span that is selected: names and values, as JSON.
class TraceArguments {
public:
    void add(std::string_view name, std::int64_t value);
    void add(std::string_view name, std::string_view value);
    /// True.
    void add_flag(std::string_view name);
    const std::string& text() const { return text_; }

private:
    void begin(std::string_view name);

    std::string text_;
};

struct TraceSpan {
    TraceTrack on;
    std::string name;
    std::string categories; ///< with commas between them
    std::string colour;     ///< one of the names that chrome://tracing has; "": it chooses
    Picoseconds begin{0};
    Picoseconds end{0};
    TraceArguments arguments;
};

/// Writes the trace-event format of Chrome and Perfetto ("Trace Event Format", JSON object form;
/// schema/trace.schema.json is what we use of it). Times are microseconds with six decimals, which
/// are picoseconds, exactly. Spans of a track nest or follow each other, the outer one first.
///
/// Events are pending until they are committed, so that a part that would make the text longer than
/// it may be can be left out as a whole.
class TraceWriter {
public:
    /// `most_bytes`: of the text.
    explicit TraceWriter(std::int64_t most_bytes);

    /// Viewers sort by `process.process`, and tracks within one by their number.
    void name_process(int process, const std::string& name);
    void name_track(TraceTrack track, const std::string& name);
    void span(const TraceSpan& span);
    /// An arrow from the span that is open at one place to that which is open at the other.
    void arrow(std::int64_t number, const std::string& name, TraceTrack from, Picoseconds from_time,
               TraceTrack to, Picoseconds to_time);
    /// The value from `time` on, up to the next one of that name.
    void counter(int process, const std::string& name, const std::string& unit, Picoseconds time,
                 double value);

    /// Keeps what is pending if there is room for it beside `reserved` bytes; else forgets it.
    bool commit(std::int64_t reserved = 0);
    /// Keeps the first of the pending events, as many as there is room for; how many it forgot.
    std::int64_t commit_what_fits(std::int64_t reserved = 0);
    std::int64_t pending_bytes() const { return static_cast<std::int64_t>(pending_.size()); }
    void forget_pending();

    /// The whole text. `about` is what viewers show of the file.
    std::string text(const Json& about);

private:
    void end_event();
    std::int64_t room(std::int64_t reserved) const;

    std::int64_t most_bytes_;
    std::string text_;
    std::string pending_;
    std::vector<std::size_t> ends_; ///< of the pending events
};

/// "1.000250" of 1,000,250 ps.
std::string trace_time(Picoseconds time);

} // namespace alxsim::report
