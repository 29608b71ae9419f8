// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/trace/trace_writer.h"
#include "sim/observe/timeline.h"
#include "topologies/machine.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace alxsim::experiments {

constexpr int critical_path_process = 1;
constexpr int network_process = 2;
constexpr int first_chip_process = 10; ///< of chip 0

/// "compute", "hbm", ...: a colour of the viewer for each.
std::string colour_of(Share share);
/// "1:57": by which arguments of spans name activities.
std::string words_of(sim::ActivityRef activity);

/// Draws what the devices of a chip did: a process, with tracks for each unit of each device.
///
/// A track has one span at a time, or spans within one another. Where a unit has several under way
/// at once (collectives, infeeds, transfers), it gets as many tracks as it needs.
class ChipDrawing {
public:
    /// What is drawn of all chips.
    struct Subject {
        /// `on_path`: what is on the critical path.
        Subject(const sim::Timeline& drawn, const topologies::Machine& on,
                std::set<const sim::TimelineActivity*> on_path);

        const sim::Timeline& timeline;
        const topologies::Machine& machine;
        std::set<const sim::TimelineActivity*> critical;
        std::map<sim::ActivityRef, sim::RepeatedWork> repeated;
        std::vector<std::vector<const sim::TimelineActivity*>> activities; ///< [chip]
        std::vector<std::vector<const sim::TimelineTransfer*>> transfers;  ///< [chip]
    };

    ChipDrawing(const Subject& subject, int chip);

    void write(report::TraceWriter& writer) const;
    /// Where its activities of the critical path are.
    const std::map<const sim::TimelineActivity*, report::TraceTrack>& critical() const
    {
        return critical_;
    }

private:
    /// What a device's tracks are for, in the order in which a viewer shows them.
    enum class Kind {
        steps,
        mxu,
        vpu,
        dma,
        sparse_core,
        hbm,
        network,
        host_in,
        host_out,
        storage_read,
        storage_write,
        host_cpu,
        host,
        control
    };
    /// A span, and where it is drawn.
    struct Item {
        int device = 0;
        Kind kind = Kind::control;
        report::TraceSpan span;
        const sim::TimelineActivity* activity = nullptr; ///< if it stands for one
    };
    using Lanes = std::map<std::pair<int, Kind>, std::vector<Picoseconds>>;

    static Kind kind_of(const sim::TimelineActivity& activity);
    static const char* name_of(Kind kind);
    report::TraceTrack track(int device, Kind kind, std::size_t lane) const;

    void add_steps(const std::vector<const sim::TimelineActivity*>& activities);
    void add_activity(const sim::TimelineActivity& activity);
    void add_wait(const sim::TimelineActivity& collective);
    void add_repeated(const sim::TimelineActivity& repeated);
    void add_transfer(const sim::TimelineTransfer& transfer);
    void arrange();

    const Subject& subject_;
    const int chip_;
    std::vector<Item> items_; ///< in the order of time, the outer first
    Lanes lanes_;             ///< until when each is taken
    std::map<const sim::TimelineActivity*, report::TraceTrack> critical_;
};

} // namespace alxsim::experiments
