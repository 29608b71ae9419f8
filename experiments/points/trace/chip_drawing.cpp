// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/trace/chip_drawing.h"

#include "base/input_error.h"

#include <algorithm>
#include <array>

namespace alxsim::experiments {
namespace {

using report::TraceArguments;
using report::TraceSpan;
using sim::TimelineActivity;

constexpr int tracks_of_kind = 1000; // of a device, at most
constexpr std::size_t most_names = 3;

/// What a viewer shows of every span; exact where it rounds.
void add_times(TraceArguments& arguments, Picoseconds begin, Picoseconds end)
{
    arguments.add("begin_ps", begin.count());
    arguments.add("duration_ps", (end - begin).count());
}

void add_if_any(TraceArguments& arguments, const char* name, std::int64_t value)
{
    if (value != 0) {
        arguments.add(name, value);
    }
}

TraceArguments arguments_of(const TimelineActivity& activity)
{
    TraceArguments arguments;
    arguments.add("step", activity.step);
    arguments.add("phase", activity.phase.text());
    if (!activity.is_repeated()) {
        arguments.add("share", name_of(activity.share));
    }
    arguments.add("id", words_of(activity.self));
    if (activity.cause.exists()) {
        arguments.add("cause", words_of(activity.cause));
    }
    add_times(arguments, activity.issued, activity.finish);
    add_if_any(arguments, "launch_ps", activity.is_collective() ? 0 : activity.launch.count());
    add_if_any(arguments, "fill_ps", activity.fill.count());
    add_if_any(arguments, "busy_ps", activity.busy.count());
    add_if_any(arguments, "hbm_bytes", activity.hbm_bytes.count());
    if (activity.is_collective()) {
        arguments.add("collective", activity.collective);
        arguments.add("kind", activity.work.text());
        arguments.add("bytes", activity.collective_bytes.count());
        arguments.add("waited_ps", activity.waited().count());
        arguments.add("communicating_ps", (activity.finish - activity.start).count());
        if (activity.remembered) {
            arguments.add_flag("remembered");
        }
    }
    if (activity.is_repeated()) {
        arguments.add("iterations", activity.iterations);
        arguments.add("since", words_of(activity.since));
    }
    return arguments;
}

std::string categories_of(const TimelineActivity& activity, bool critical)
{
    std::string categories = activity.is_repeated() ? "repeated" : name_of(activity.share);
    categories += activity.remembered ? ",remembered" : "";
    return categories + (critical ? ",critical" : "");
}

std::string list_of(const std::vector<model::Name>& names)
{
    std::vector<std::string> words;
    for (const model::Name name : names) {
        if (words.size() == most_names) {
            words.emplace_back("...");
            break;
        }
        words.push_back(name.text());
    }
    return join(words);
}

std::string times(std::int64_t iterations)
{
    return " repeated " + std::to_string(iterations) + (iterations == 1 ? " time" : " times");
}

std::string title_of(const TimelineActivity& activity)
{
    if (activity.is_repeated()) {
        return (activity.is_loop() ? activity.name.text() : "steps") + times(activity.iterations);
    }
    const bool named = activity.is_collective() && activity.name != activity.work;
    return activity.name.text() + (named ? " (" + activity.work.text() + ")" : "") +
           (activity.remembered ? ", as before" : "");
}

constexpr const char* repeated_colour = "olive";
constexpr const char* wait_colour = "grey";

} // namespace

std::string colour_of(Share share)
{
    constexpr std::array<const char*, share_count> colours{"thread_state_running",
                                                           "thread_state_runnable",
                                                           "thread_state_iowait",
                                                           "thread_state_sleeping",
                                                           "grey",
                                                           "white"};
    return colours[static_cast<std::size_t>(share)];
}

std::string words_of(sim::ActivityRef activity)
{
    return std::to_string(activity.epoch) + ":" + std::to_string(activity.index);
}

// --- Tracks

ChipDrawing::Kind ChipDrawing::kind_of(const TimelineActivity& activity)
{
    if (activity.work.text().empty()) {
        return Kind::steps; // the wait for dispatch, and whole steps
    }
    switch (activity.unit) {
    case model::Unit::mxu:
        return Kind::mxu;
    case model::Unit::vpu:
        return Kind::vpu;
    case model::Unit::dma:
        return Kind::dma;
    case model::Unit::network:
        return Kind::network;
    case model::Unit::sparse_core:
        return Kind::sparse_core;
    case model::Unit::host_in:
        return Kind::host_in;
    case model::Unit::host_out:
        return Kind::host_out;
    case model::Unit::storage_read:
        return Kind::storage_read;
    case model::Unit::storage_write:
        return Kind::storage_write;
    case model::Unit::host_cpu:
        return Kind::host_cpu;
    case model::Unit::host:
        return Kind::host;
    case model::Unit::control:
        break;
    }
    return Kind::control;
}

const char* ChipDrawing::name_of(Kind kind)
{
    constexpr std::array names{"steps",        "MXU",          "VPU",           "DMA",
                               "SparseCore",   "HBM",          "network",       "host to chip",
                               "chip to host", "storage read", "storage write", "host cores",
                               "host",         "loop control"};
    static_assert(names.size() == static_cast<std::size_t>(Kind::control) + 1);
    return names[static_cast<std::size_t>(kind)];
}

report::TraceTrack ChipDrawing::track(int device, Kind kind, std::size_t lane) const
{
    constexpr int kinds = static_cast<int>(Kind::control) + 1;
    const int local = device % subject_.machine.devices_per_chip;
    const int of_kind = local * kinds + static_cast<int>(kind);
    return {first_chip_process + chip_, of_kind * tracks_of_kind + static_cast<int>(lane) + 1};
}

// --- What is drawn

ChipDrawing::Subject::Subject(const sim::Timeline& drawn, const topologies::Machine& on,
                              std::set<const TimelineActivity*> on_path)
    : timeline(drawn),
      machine(on),
      critical(std::move(on_path)),
      repeated(sim::repeated_work(drawn)),
      activities(static_cast<std::size_t>(on.slice.chips())),
      transfers(activities.size())
{
    const auto chip_of = [&](int device) {
        return static_cast<std::size_t>(device / on.devices_per_chip);
    };
    for (const TimelineActivity& activity : timeline.activities) {
        activities[chip_of(activity.device)].push_back(&activity);
    }
    for (const sim::TimelineTransfer& transfer : timeline.transfers) {
        transfers[chip_of(transfer.device)].push_back(&transfer);
    }
}

ChipDrawing::ChipDrawing(const Subject& subject, int chip) : subject_(subject), chip_(chip)
{
    const auto which = static_cast<std::size_t>(chip);
    const std::vector<const TimelineActivity*>& own = subject.activities[which];
    add_steps(own);
    for (const TimelineActivity* const activity : own) {
        add_activity(*activity);
    }
    for (const sim::TimelineTransfer* const transfer : subject.transfers[which]) {
        add_transfer(*transfer);
    }
    arrange();
}

/// A step of a device lasts from when it has left the one before until it leaves it.
void ChipDrawing::add_steps(const std::vector<const TimelineActivity*>& activities)
{
    std::map<std::pair<int, std::int64_t>, std::pair<Picoseconds, Picoseconds>> steps;
    for (const TimelineActivity* const activity : activities) {
        const std::pair whole{activity->issued, activity->finish};
        const auto [at, is_new] = steps.try_emplace({activity->device, activity->step}, whole);
        at->second.first = std::min(at->second.first, whole.first);
        at->second.second = std::max(at->second.second, whole.second);
    }
    for (const auto& [which, whole] : steps) {
        TraceSpan span;
        span.name = "step " + std::to_string(which.second);
        span.categories = "step";
        span.colour = "white";
        span.begin = whole.first;
        span.end = whole.second;
        span.arguments.add("step", which.second);
        add_times(span.arguments, span.begin, span.end);
        items_.push_back({which.first, Kind::steps, std::move(span)});
    }
}

void ChipDrawing::add_activity(const TimelineActivity& activity)
{
    const bool critical = subject_.critical.count(&activity) > 0;
    TraceSpan span;
    span.name = title_of(activity);
    span.categories = categories_of(activity, critical);
    span.colour = activity.is_repeated() ? repeated_colour : colour_of(activity.share);
    span.begin = activity.issued;
    span.end = activity.finish;
    span.arguments = arguments_of(activity);
    items_.push_back({activity.device, kind_of(activity), std::move(span), &activity});
    if (activity.is_loop()) {
        add_repeated(activity);
    } else if (activity.is_collective() && activity.waited() > Picoseconds(0)) {
        add_wait(activity);
    }
}

/// Within the collective's span, on its track: see arrange().
void ChipDrawing::add_wait(const TimelineActivity& collective)
{
    TraceSpan span;
    span.name = "waits for the last member";
    span.categories = "wait";
    span.colour = wait_colour;
    span.begin = collective.issued;
    span.end = collective.start;
    span.arguments.add("collective", collective.collective);
    add_times(span.arguments, span.begin, span.end);
    items_.push_back({collective.device, kind_of(collective), std::move(span), &collective});
}

/// On the track of each unit that worked in the iterations left out.
void ChipDrawing::add_repeated(const TimelineActivity& repeated)
{
    TraceSpan span;
    span.categories = "repeated";
    span.colour = repeated_colour;
    span.begin = repeated.issued;
    span.end = repeated.finish;
    const auto add = [&](Kind kind, const std::string& name, const TraceArguments& arguments) {
        span.name = name + times(repeated.iterations);
        span.arguments = arguments;
        span.arguments.add("step", repeated.step);
        span.arguments.add("repeats", words_of(repeated.self));
        add_times(span.arguments, span.begin, span.end);
        items_.push_back({repeated.device, kind, span});
    };
    const sim::RepeatedWork& work = subject_.repeated.at(repeated.self);
    for (const auto& [unit, of_unit] : work.units) {
        if (unit == model::Unit::control) {
            continue;
        }
        TraceArguments arguments;
        arguments.add("ops", of_unit.ops);
        add_if_any(arguments, "busy_ps", of_unit.busy.count());
        if (unit == model::Unit::network) {
            arguments.add("waited_ps", work.waited.count());
            arguments.add("communicating_ps", work.communicating.count());
        }
        TimelineActivity of_kind = repeated;
        of_kind.unit = unit;
        add(kind_of(of_kind), list_of(of_unit.names), arguments);
    }
    if (repeated.hbm_bytes > Bytes(0)) {
        TraceArguments arguments;
        arguments.add("bytes", repeated.hbm_bytes.count());
        add(Kind::hbm, "transfers", arguments);
    }
}

void ChipDrawing::add_transfer(const sim::TimelineTransfer& transfer)
{
    TraceSpan span;
    span.name = transfer.name.text();
    span.categories = "hbm";
    span.colour = colour_of(Share::hbm);
    span.begin = transfer.start;
    span.end = transfer.finish;
    span.arguments.add("phase", transfer.phase.text());
    span.arguments.add("bytes", transfer.bytes.count());
    add_times(span.arguments, span.begin, span.end);
    items_.push_back({transfer.device, Kind::hbm, std::move(span)});
}

// --- Where it is drawn

/// Sorts by time, and finds a track for each span.
void ChipDrawing::arrange()
{
    std::stable_sort(items_.begin(), items_.end(), [](const Item& a, const Item& b) {
        return a.span.begin != b.span.begin ? a.span.begin < b.span.begin : a.span.end > b.span.end;
    });
    std::map<const TimelineActivity*, report::TraceTrack> placed;
    for (Item& item : items_) {
        if (const auto outer = placed.find(item.activity);
            item.activity != nullptr && outer != placed.end()) {
            item.span.on = outer->second;
            continue;
        }
        std::vector<Picoseconds>& lanes = lanes_[{item.device, item.kind}];
        auto lane = std::find_if(lanes.begin(), lanes.end(), [&](Picoseconds taken_until) {
            return taken_until <= item.span.begin;
        });
        if (item.kind == Kind::steps && !lanes.empty()) {
            lane = lanes.begin(); // steps follow each other, and hold what is within
        } else if (lane == lanes.end()) {
            lane = lanes.emplace(lanes.end());
        }
        *lane = item.span.end;
        item.span.on =
            track(item.device, item.kind, static_cast<std::size_t>(lane - lanes.begin()));
        if (item.activity != nullptr) {
            placed.emplace(item.activity, item.span.on);
            if (subject_.critical.count(item.activity) > 0) {
                critical_.emplace(item.activity, item.span.on);
            }
        }
    }
}

void ChipDrawing::write(report::TraceWriter& writer) const
{
    std::string place;
    for (const int coordinate : subject_.machine.slice.coordinates(chip_)) {
        place += (place.empty() ? "" : ",") + std::to_string(coordinate);
    }
    writer.name_process(first_chip_process + chip_,
                        "chip " + std::to_string(chip_) + " (" + place + ")");
    for (const auto& [which, lanes] : lanes_) {
        const auto [device, kind] = which;
        const std::string of_device =
            subject_.machine.devices_per_chip > 1 ? "device " + std::to_string(device) + " " : "";
        for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
            writer.name_track(track(device, kind, lane),
                              of_device + name_of(kind) +
                                  (lane > 0 ? " " + std::to_string(lane + 1) : ""));
        }
    }
    for (const Item& item : items_) {
        writer.span(item.span);
    }
}

} // namespace alxsim::experiments
