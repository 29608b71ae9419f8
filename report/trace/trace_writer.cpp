// SPDX-License-Identifier: Apache-2.0
#include "report/trace/trace_writer.h"

#include "base/text/printed.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace alxsim::report {
namespace {

/// Bytes of the head, the tail and what is about the file.
constexpr std::int64_t frame_bytes = 16384;

std::string json_string(std::string_view text)
{
    const bool plain = std::all_of(text.begin(), text.end(), [](char letter) {
        return letter >= ' ' && letter < '\x7f' && letter != '"' && letter != '\\';
    });
    return plain ? "\"" + std::string(text) + "\"" : Json(std::string(text)).dump();
}

std::string place(TraceTrack track)
{
    return "\"pid\":" + std::to_string(track.process) + ",\"tid\":" + std::to_string(track.track);
}

} // namespace

std::string trace_time(Picoseconds time)
{
    char text[32];
    constexpr std::int64_t in_microsecond = 1'000'000;
    std::snprintf(text, sizeof text, "%lld.%06lld",
                  static_cast<long long>(time.count() / in_microsecond),
                  static_cast<long long>(time.count() % in_microsecond));
    return text;
}

// --- Arguments

void TraceArguments::begin(std::string_view name)
{
    text_ += text_.empty() ? "\"" : ",\"";
    text_ += name;
    text_ += "\":";
}

void TraceArguments::add(std::string_view name, std::int64_t value)
{
    begin(name);
    text_ += std::to_string(value);
}

void TraceArguments::add(std::string_view name, std::string_view value)
{
    begin(name);
    text_ += json_string(value);
}

void TraceArguments::add_flag(std::string_view name)
{
    begin(name);
    text_ += "true";
}

// --- Events

TraceWriter::TraceWriter(std::int64_t most_bytes) : most_bytes_(most_bytes) {}

void TraceWriter::end_event()
{
    pending_ += ",\n";
    ends_.push_back(pending_.size());
}

void TraceWriter::name_process(int process, const std::string& name)
{
    const std::string pid = "\"pid\":" + std::to_string(process);
    pending_ += R"({"ph":"M",)" + pid + R"(,"name":"process_name","args":{"name":)" +
                json_string(name) + "}}";
    end_event();
    pending_ += R"({"ph":"M",)" + pid + R"(,"name":"process_sort_index","args":{"sort_index":)" +
                std::to_string(process) + "}}";
    end_event();
}

void TraceWriter::name_track(TraceTrack track, const std::string& name)
{
    pending_ += R"({"ph":"M",)" + place(track) + R"(,"name":"thread_name","args":{"name":)" +
                json_string(name) + "}}";
    end_event();
    pending_ += R"({"ph":"M",)" + place(track) +
                R"(,"name":"thread_sort_index","args":{"sort_index":)" +
                std::to_string(track.track) + "}}";
    end_event();
}

void TraceWriter::span(const TraceSpan& span)
{
    pending_ += R"({"ph":"X",)" + place(span.on) + R"(,"ts":)" + trace_time(span.begin) +
                R"(,"dur":)" + trace_time(span.end - span.begin) + R"(,"name":)" +
                json_string(span.name) + R"(,"cat":)" + json_string(span.categories);
    if (!span.colour.empty()) {
        pending_ += R"(,"cname":)" + json_string(span.colour);
    }
    pending_ += R"(,"args":{)" + span.arguments.text() + "}}";
    end_event();
}

void TraceWriter::arrow(std::int64_t number, const std::string& name, TraceTrack from,
                        Picoseconds from_time, TraceTrack to, Picoseconds to_time)
{
    const std::string common =
        R"(,"cat":"arrow","name":)" + json_string(name) + R"(,"id":)" + std::to_string(number);
    pending_ += R"({"ph":"s",)" + place(from) + R"(,"ts":)" + trace_time(from_time) + common + "}";
    end_event();
    pending_ +=
        R"({"ph":"f","bp":"e",)" + place(to) + R"(,"ts":)" + trace_time(to_time) + common + "}";
    end_event();
}

void TraceWriter::counter(int process, const std::string& name, const std::string& unit,
                          Picoseconds time, double value)
{
    pending_ += R"({"ph":"C","pid":)" + std::to_string(process) + R"(,"ts":)" + trace_time(time) +
                R"(,"name":)" + json_string(name) + R"(,"args":{)" + json_string(unit) + ":" +
                printed("%.6g", value) + "}}";
    end_event();
}

// --- The text

std::int64_t TraceWriter::room(std::int64_t reserved) const
{
    return most_bytes_ - frame_bytes - reserved - static_cast<std::int64_t>(text_.size());
}

bool TraceWriter::commit(std::int64_t reserved)
{
    const bool fits = pending_bytes() <= room(reserved);
    if (fits) {
        text_ += pending_;
    }
    forget_pending();
    return fits;
}

std::int64_t TraceWriter::commit_what_fits(std::int64_t reserved)
{
    const auto space = static_cast<std::size_t>(std::max<std::int64_t>(0, room(reserved)));
    const auto first_too_many = std::upper_bound(ends_.begin(), ends_.end(), space);
    const std::int64_t forgotten = ends_.end() - first_too_many;
    if (first_too_many != ends_.begin()) {
        text_.append(pending_, 0, *(first_too_many - 1));
    }
    forget_pending();
    return forgotten;
}

void TraceWriter::forget_pending()
{
    pending_.clear();
    ends_.clear();
}

std::string TraceWriter::text(const Json& about)
{
    std::string events = text_;
    if (!events.empty()) {
        events.resize(events.size() - 2); // the comma behind the last one
        events += "\n";
    }
    return "{\"traceEvents\":[\n" + events +
           "],\n\"displayTimeUnit\":\"ns\",\n\"otherData\":" + about.dump() + "}\n";
}

} // namespace alxsim::report
