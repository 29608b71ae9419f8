// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/profile/profile.h"

#include "base/file_input.h"
#include "base/input_error.h"
#include "base/inputs/gunzip.h"
#include "experiments/answers/profile/trace_events.h"

#include <algorithm>
#include <map>

namespace alxsim::experiments {
namespace {

constexpr std::int64_t most_bytes = std::int64_t{4} << 30;
constexpr std::int64_t rounding = 1000; ///< picoseconds: writers round to nanoseconds
constexpr double seconds_in_picosecond = 1e-12;

using Spans = std::vector<TraceEvent>;

/// N of "/device:TPU:N", with a host's name before it or not; nothing for other processes.
std::optional<int> device_number(const std::string& process)
{
    const std::string words = "/device:TPU:";
    const std::size_t at = process.find(words);
    const std::string digits = at == std::string::npos ? "" : process.substr(at + words.size());
    const bool number = !digits.empty() && digits.size() < 7 &&
                        std::all_of(digits.begin(), digits.end(),
                                    [](char letter) { return letter >= '0' && letter <= '9'; });
    return number ? std::optional(std::stoi(digits)) : std::nullopt;
}

/// Returns the spans of a thread of the process, in the order of time, the outer first.
Spans spans_of(const TraceEvents& events, std::int64_t process, const std::string& thread)
{
    Spans spans;
    for (const TraceEvent& span : events.spans) {
        if (span.thread.first == process) {
            const auto found = events.threads.find(span.thread);
            if (found != events.threads.end() && found->second == thread) {
                spans.push_back(span);
            }
        }
    }
    std::stable_sort(spans.begin(), spans.end(), [](const TraceEvent& a, const TraceEvent& b) {
        return a.begin != b.begin ? a.begin < b.begin : a.duration > b.duration;
    });
    return spans;
}

/// The runs of the module that takes most time.
Spans longest_module(Spans runs)
{
    std::map<int, std::int64_t> time;
    for (const TraceEvent& run : runs) {
        time[run.name] += run.duration;
    }
    int longest = 0;
    std::int64_t most = -1;
    for (const auto& [name, sum] : time) {
        if (sum > most) {
            longest = name;
            most = sum;
        }
    }
    runs.erase(std::remove_if(runs.begin(), runs.end(),
                              [&](const TraceEvent& run) { return run.name != longest; }),
               runs.end());
    return runs;
}

/// The one of median length, of an even number the shorter.
TraceEvent median_of(Spans steps)
{
    const auto middle = steps.begin() + static_cast<std::ptrdiff_t>((steps.size() - 1) / 2);
    std::nth_element(
        steps.begin(), middle, steps.end(), [](const TraceEvent& a, const TraceEvent& b) {
            return a.duration != b.duration ? a.duration < b.duration : a.begin < b.begin;
        });
    return *middle;
}

TraceEvent chosen_step(const TraceEvents& events, std::int64_t process, const Spans& ops,
                       Profile& profile)
{
    Spans steps = spans_of(events, process, "Steps");
    const bool marked = !steps.empty();
    if (!marked) {
        steps = longest_module(spans_of(events, process, "XLA Modules"));
    }
    if (steps.empty()) {
        profile.chosen = "all of the profile, which has neither steps nor modules";
        TraceEvent whole = ops.front();
        for (const TraceEvent& op : ops) {
            whole.duration = std::max(whole.duration, op.begin + op.duration - whole.begin);
        }
        whole.name = 0;
        return whole;
    }
    const TraceEvent step = median_of(steps);
    profile.step = events.words[static_cast<std::size_t>(step.name)];
    profile.chosen =
        (steps.size() == 1 ? "the only " : "the median of " + std::to_string(steps.size()) + " ") +
        (marked ? "step" : "run") + (steps.size() == 1 ? "" : "s") +
        (marked ? "" : " of " + profile.step);
    return step;
}

/// "fusion.12" of "%fusion.12 = f32[..] fusion(..)", as older profiles have it.
std::string instruction_of(const std::string& words)
{
    return words.empty() || words[0] != '%' ? words : words.substr(1, words.find(' ') - 1);
}

/// Without the time of what stands inside another.
std::vector<std::int64_t> own_times(const Spans& ops)
{
    std::vector<std::int64_t> own;
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < ops.size(); ++i) {
        own.push_back(ops[i].duration);
        while (!open.empty() &&
               ops[open.back()].begin + ops[open.back()].duration <= ops[i].begin + rounding) {
            open.pop_back();
        }
        if (!open.empty()) {
            own[open.back()] = std::max<std::int64_t>(0, own[open.back()] - ops[i].duration);
        }
        open.push_back(i);
    }
    return own;
}

void add_ops(Profile& profile, const TraceEvents& events, const Spans& ops, const TraceEvent& step)
{
    const std::vector<std::int64_t> own = own_times(ops);
    std::map<std::string, ProfiledOp> sums;
    for (std::size_t i = 0; i < ops.size(); ++i) {
        const TraceEvent& op = ops[i];
        if (op.begin + rounding < step.begin || op.begin >= step.begin + step.duration) {
            continue;
        }
        const std::string name = instruction_of(events.words[static_cast<std::size_t>(op.name)]);
        ProfiledOp& sum = sums[name];
        sum.name = name;
        sum.category = events.words[static_cast<std::size_t>(op.category)];
        sum.source = events.words[static_cast<std::size_t>(op.source)];
        ++sum.calls;
        sum.seconds += static_cast<double>(own[i]) * seconds_in_picosecond;
    }
    for (auto& [name, op] : sums) {
        profile.busy_seconds += op.seconds;
        profile.ops.push_back(std::move(op));
    }
    std::stable_sort(
        profile.ops.begin(), profile.ops.end(),
        [](const ProfiledOp& a, const ProfiledOp& b) { return a.seconds > b.seconds; });
}

/// The processes of TPUs with ops, by N.
std::map<int, std::int64_t> devices_of(const TraceEvents& events)
{
    std::map<int, std::int64_t> devices;
    for (const auto& [thread, name] : events.threads) {
        const auto process = events.processes.find(thread.first);
        if (name == "XLA Ops" && process != events.processes.end()) {
            if (const std::optional<int> number = device_number(process->second)) {
                devices.emplace(*number, thread.first);
            }
        }
    }
    return devices;
}

std::string names_of(const std::map<std::int64_t, std::string>& processes)
{
    constexpr std::size_t most = 8;
    std::string words;
    std::size_t told = 0;
    for (const auto& [id, name] : processes) {
        words += told == 0 ? "" : ", ";
        if (told++ == most) {
            return words + "...";
        }
        words += name;
    }
    return words.empty() ? "none" : words;
}

} // namespace

Profile profile_of(const std::string& text, const std::string& file, std::optional<int> device)
{
    const TraceEvents events = trace_events_of(text, file);
    const std::map<int, std::int64_t> devices = devices_of(events);
    const auto found = device ? devices.find(*device) : devices.begin();
    const Spans ops = found == devices.end() ? Spans() : spans_of(events, found->second, "XLA Ops");
    if (ops.empty()) {
        throw InputError(file, "",
                         "found processes " + names_of(events.processes) +
                             "; allowed: a trace with a process /device:TPU:" +
                             (device ? std::to_string(*device) : "N") +
                             " that has a thread \"XLA Ops\" with events");
    }
    Profile profile;
    profile.file = file;
    profile.device = found->first;
    const TraceEvent step = chosen_step(events, found->second, ops, profile);
    profile.step_seconds = static_cast<double>(step.duration) * seconds_in_picosecond;
    add_ops(profile, events, ops, step);
    if (profile.ops.empty()) {
        throw InputError(
            file, "", "found no op in " + profile.chosen + "; allowed: a profile of whole steps");
    }
    return profile;
}

Profile read_profile(const std::string& path, std::optional<int> device)
{
    return profile_of(gunzipped(read_file(path, most_bytes), path, most_bytes), path, device);
}

} // namespace alxsim::experiments
