// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/trace/xprof_device.h"

#include <algorithm>

namespace alxsim::experiments {
namespace {

using sim::TimelineActivity;

/// Iterations that were left out, as those between `since` and now went: each device is at rest
/// when an iteration begins.
void write_out(const TimelineActivity& loop, std::vector<DeviceOp>& ops, std::int64_t& room,
               std::int64_t& left_out)
{
    std::size_t first = ops.size();
    while (first > 0 && loop.since < ops[first - 1].self) {
        --first;
    }
    const std::size_t last = ops.size();
    if (first == last || loop.rounds <= 0) {
        return;
    }
    const Picoseconds whole = loop.finish - loop.issued;
    Picoseconds before = ops[first].begin;
    for (std::size_t i = first; i < last; ++i) {
        before = std::min(before, ops[i].begin);
    }
    const double scale =
        static_cast<double>(whole.count()) / static_cast<double>(loop.rounds) /
        static_cast<double>(std::max<std::int64_t>(1, (loop.issued - before).count()));
    const auto moved = [&](Picoseconds time, std::int64_t round) {
        const double within = static_cast<double>((time - before).count()) * scale;
        return loop.issued +
               Picoseconds(whole.count() / loop.rounds * round + static_cast<std::int64_t>(within));
    };
    for (std::int64_t round = 0; round < loop.rounds; ++round) {
        if (room < static_cast<std::int64_t>(last - first)) {
            left_out += (loop.rounds - round) * static_cast<std::int64_t>(last - first);
            return;
        }
        for (std::size_t i = first; i < last; ++i) {
            const DeviceOp like = ops[i];
            ops.push_back(
                {like.activity, loop.self, moved(like.begin, round), moved(like.end, round)});
        }
        room -= static_cast<std::int64_t>(last - first);
    }
}

bool is_of_tensor_core(const DeviceOp& op)
{
    const model::Unit unit = op.activity->unit;
    return unit == model::Unit::mxu || unit == model::Unit::vpu || unit == model::Unit::control;
}

bool is_of_host(const DeviceOp& op)
{
    return op.activity->work.text().empty() || op.activity->unit == model::Unit::host;
}

/// A name of what XLA begins and waits for elsewhere.
bool is_begun(const DeviceOp& op)
{
    return op.activity->name.text().find("-start") != std::string::npos;
}

bool earlier(const DeviceOp& a, const DeviceOp& b)
{
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
}

/// Takes the op among `track` unless another one is there meanwhile.
bool take(std::map<Picoseconds, Picoseconds>& track, const DeviceOp& op)
{
    const auto after = track.lower_bound(op.begin);
    if (after != track.end() && after->first < op.end) {
        return false;
    }
    if (after != track.begin() && std::prev(after)->second > op.begin) {
        return false;
    }
    track.emplace_hint(after, op.begin, op.end);
    return true;
}

/// For what the TensorCore waits between two of its ops: each that ends there, from when the one
/// before has ended.
void add_waits(DeviceTracks& tracks)
{
    std::vector<DeviceOp> ends = tracks.beside;
    std::stable_sort(ends.begin(), ends.end(),
                     [](const DeviceOp& a, const DeviceOp& b) { return a.end < b.end; });
    auto next = tracks.ops.begin();
    Picoseconds free(0);
    for (const DeviceOp& over : ends) {
        for (; next != tracks.ops.end() && next->begin < over.end; ++next) {
            free = std::max(free, next->end);
        }
        const Picoseconds begin = std::max(free, over.begin);
        if (begin < over.end) {
            tracks.waits.push_back({over.activity, begin, over.end});
            free = over.end;
        }
    }
}

} // namespace

DeviceOps device_ops(const sim::Timeline& timeline, std::int64_t most)
{
    DeviceOps all;
    std::int64_t room = most;
    for (const TimelineActivity& activity : timeline.activities) {
        std::vector<DeviceOp>& ops = all.of_device[activity.device];
        if (activity.is_loop()) {
            write_out(activity, ops, room, all.left_out);
        } else if (!activity.is_repeated()) {
            ops.push_back({&activity, activity.self, activity.issued, activity.finish});
        }
    }
    return all;
}

DeviceTracks tracks_of(const std::vector<DeviceOp>& ops)
{
    DeviceTracks tracks;
    std::vector<DeviceOp> own;
    std::vector<DeviceOp> network;
    std::vector<DeviceOp> others;
    for (const DeviceOp& op : ops) {
        if (is_of_host(op)) {
            tracks.of_host.push_back(op);
        } else if (is_of_tensor_core(op)) {
            own.push_back(op);
        } else if (is_begun(op)) {
            tracks.beside.push_back(op);
        } else {
            (op.activity->is_collective() ? network : others).push_back(op);
        }
    }
    std::map<Picoseconds, Picoseconds> track;
    for (std::vector<DeviceOp>* const kind : {&own, &network, &others}) {
        std::stable_sort(kind->begin(), kind->end(), earlier);
        for (const DeviceOp& op : *kind) {
            (take(track, op) ? tracks.ops : tracks.beside).push_back(op);
        }
    }
    std::stable_sort(tracks.ops.begin(), tracks.ops.end(), earlier);
    std::stable_sort(tracks.beside.begin(), tracks.beside.end(), earlier);
    add_waits(tracks);
    return tracks;
}

} // namespace alxsim::experiments
