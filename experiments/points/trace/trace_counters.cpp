// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/trace/trace_counters.h"

#include <algorithm>
#include <cmath>

namespace alxsim::experiments {
namespace {

/// A curve as a counter, within the timeline. `scale`: of an amount per picosecond.
void write_curve(report::TraceWriter& writer, int process, const std::string& name,
                 const std::string& unit, const sim::LoadCurve& curve, double scale,
                 const sim::Timeline& timeline)
{
    Picoseconds shown_until = timeline.begin();
    double shown = -1;
    const auto show = [&](Picoseconds time, double value) {
        if (value != shown) {
            writer.counter(process, name, unit, time, value);
            shown = value;
        }
    };
    show(timeline.begin(), 0);
    for (const auto& [part, amount] : curve.parts()) {
        const Picoseconds begin = std::max(curve.width() * part, timeline.begin());
        const Picoseconds end = std::min(curve.width() * (part + 1), timeline.end());
        if (begin >= end) {
            continue;
        }
        if (begin > shown_until) {
            show(shown_until, 0);
        }
        const double rate =
            static_cast<double>(amount) / static_cast<double>(curve.width().count());
        show(begin, std::round(rate * scale * 1000) / 1000);
        shown_until = end;
    }
    show(shown_until, 0);
}

/// Directed links along an axis.
std::int64_t links_of(const topologies::Slice& slice, int axis, int direction)
{
    std::int64_t links = 0;
    for (int chip = 0; chip < slice.chips(); ++chip) {
        links += slice.neighbour(chip, axis, direction) ? 1 : 0;
    }
    return links;
}

} // namespace

void write_hbm_counter(report::TraceWriter& writer, const ChipDrawing::Subject& subject, int chip)
{
    sim::LoadCurve bytes;
    for (const sim::TimelineTransfer* const transfer :
         subject.transfers[static_cast<std::size_t>(chip)]) {
        bytes.add(transfer->start, transfer->finish, transfer->bytes.count());
    }
    for (const sim::TimelineActivity* const activity :
         subject.activities[static_cast<std::size_t>(chip)]) {
        if (activity->is_loop()) {
            bytes.add(activity->issued, activity->finish, activity->hbm_bytes.count());
        }
    }
    constexpr double gigabytes_per_second = 1e12 / 1e9;
    if (!bytes.parts().empty()) {
        write_curve(writer, first_chip_process + chip, "HBM bandwidth", "GB/s", bytes,
                    gigabytes_per_second, subject.timeline);
    }
}

void write_link_counters(report::TraceWriter& writer, const sim::Timeline& timeline,
                         const topologies::Machine& machine)
{
    if (timeline.links.empty()) {
        return;
    }
    writer.name_process(network_process, "network " + machine.slice.words());
    for (const sim::LinkLoad& load : timeline.links) {
        const std::int64_t links = links_of(machine.slice, load.axis, load.direction);
        if (links > 0) {
            write_curve(writer, network_process,
                        "links " + machine.slice.axis_name(load.axis) +
                            (load.direction > 0 ? "+" : "-"),
                        "busy %", load.busy, 100.0 / static_cast<double>(links), timeline);
        }
    }
}

} // namespace alxsim::experiments
