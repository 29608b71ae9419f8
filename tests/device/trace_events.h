// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/observe/observer.h"

#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace alxsim::sim {

/// What a Chrome trace would be written from: slices on tracks, arrows between them, counters.
class TraceEvents : public Observer {
public:
    struct Slice {
        int device = 0;
        model::Unit unit = model::Unit::control;
        std::string name;
        std::string phase;
        std::int64_t step = 0;
        Picoseconds begin{0};
        Picoseconds waited_until{0}; ///< of a collective, for its last member; else `begin`
        Picoseconds end{0};
        ActivityRef cause;
        std::int64_t iterations = 1;
    };
    using Direction = std::pair<int, int>; ///< axis, +1 or -1

    void op_started(const OpRun& run) override { begun.push_back({run.device, run.start}); }
    void finished(const FinishedActivity& told) override
    {
        const OpRun& run = told.run;
        slices[told.self] = {run.device, run.unit(), run.name(),          run.phase(),
                             run.step,   run.start,  told.activity.start, told.activity.finish,
                             told.cause};
        order.push_back(told.self);
    }
    void repeated(const RepeatedPart& part) override
    {
        const OpRun& run = part.run;
        slices[part.self] = {run.device, run.unit(), run.name(),  run.phase(), run.step,
                             run.start,  run.start,  part.finish, part.cause,  part.iterations};
        order.push_back(part.self);
        repeats.push_back(part);
    }
    void step_closed(const ClosedStep& step) override { steps.push_back(step); }
    void epoch_closed(const ClosedEpoch& epoch) override { epochs.push_back(epoch.epoch); }
    void hbm_moved(const HbmTransfer& transfer) override { dmas.push_back(transfer); }
    void link_carried(const LinkTransfer& transfer) override { links.push_back(transfer); }
    void collective_entered(const CollectiveMember& member) override { entries.push_back(member); }
    void collective_left(const CollectiveMember& member) override { exits.push_back(member); }

    std::map<Direction, Bytes> bytes_by_direction() const
    {
        std::map<Direction, Bytes> bytes;
        for (const LinkTransfer& transfer : links) {
            bytes[{transfer.axis, transfer.direction}] += transfer.bytes;
        }
        return bytes;
    }

    std::vector<std::pair<int, Picoseconds>> begun; ///< device, time
    std::map<ActivityRef, Slice> slices;
    std::vector<ActivityRef> order; ///< in which they were told
    std::vector<RepeatedPart> repeats;
    std::vector<ClosedStep> steps;
    std::vector<int> epochs;
    std::vector<HbmTransfer> dmas;
    std::vector<LinkTransfer> links;
    std::vector<CollectiveMember> entries;
    std::vector<CollectiveMember> exits;
};

} // namespace alxsim::sim
