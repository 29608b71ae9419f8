// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/costs/breakdown.h"
#include "model/costs/op_cost.h"
#include "model/graph/name.h"
#include "sim/observe/load_curve.h"
#include "sim/observe/observer.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace alxsim::sim {

/// Something that a device did: an op, the control of a loop's iteration, the wait for the host's
/// dispatch, or iterations (whole steps) that were left out because they repeat what was before.
struct TimelineActivity {
    ActivityRef self;
    ActivityRef cause;     ///< what let it start; of a collective, its last member
    std::int64_t step = 0; ///< of its epoch, counted from 1
    int device = 0;
    int op = 0; ///< in its graph, for ties
    model::Unit unit = model::Unit::control;
    model::Name name;
    model::Name phase;
    model::Name work;      ///< "matmul"; of a collective its kind; of what is no op, ""
    Picoseconds issued{0}; ///< its unit is taken from then on
    Picoseconds start{0};  ///< of a collective: when its last member had entered; else `issued`
    Picoseconds finish{0};
    Picoseconds launch{0}; ///< from `start` on
    Picoseconds fill{0};   ///< after the launch: DMA latency and the first tile
    /// Time of the MXU, the VPU or the engine that issues rows, as the report counts it.
    Picoseconds busy{0};
    Share share = Share::host; ///< of what is after the fill
    Bytes hbm_bytes{0};
    Bytes collective_bytes{0};
    std::int64_t collective = -1; ///< of a collective: its number, the same on all members
    bool remembered = false;      ///< a collective that went as it had gone before

    // Counts of what was left out.
    std::int64_t iterations = 0; ///< so many; of anything else 0
    std::int64_t rounds = 0;     ///< `iterations` are these, each as what began with `since`
    std::int64_t skip = 0;       ///< as in RepeatedPart
    ActivityRef since;

    bool is_repeated() const { return iterations > 0; }
    /// Whether it stands for a loop's iterations; else for whole steps.
    bool is_loop() const { return is_repeated() && unit == model::Unit::control; }
    bool is_collective() const { return collective >= 0; }
    Picoseconds waited() const { return start - issued; }
};

struct TimelineTransfer {
    int device = 0;
    model::Name name;  ///< of its op
    model::Name phase; ///< likewise
    Picoseconds start{0};
    Picoseconds finish{0};
    Bytes bytes{0};
};

/// A step as a whole. Devices are in it at different times.
struct TimelineStep {
    std::int64_t number = 0;  ///< of its epoch, counted from 1
    Picoseconds begin{0};     ///< when all devices had left the step before
    Picoseconds end{0};       ///< when all had left it
    std::int64_t repeats = 0; ///< steps before it that were left out: they were as those before
};

/// All links along one axis in one direction.
struct LinkLoad {
    int axis = 0;      ///< of the slice
    int direction = 1; ///< +1 or -1
    LoadCurve busy;    ///< picoseconds, summed over the links
};

/// What happened in some steps of a simulation, all of one epoch (or sampled from one).
struct Timeline {
    std::vector<TimelineStep> steps;          ///< in their order
    std::vector<TimelineActivity> activities; ///< in the order in which they were over
    std::vector<TimelineTransfer> transfers;  ///< between HBM and devices
    std::vector<LinkLoad> links;
    std::int64_t steps_left_out = 0; ///< of those asked for: memory is bounded

    Picoseconds begin() const { return steps.front().begin; }
    Picoseconds end() const { return steps.back().end; }
    /// Null for what it does not have.
    const TimelineActivity* find(ActivityRef activity) const;
};

/// A stretch of the critical path.
struct CriticalSpan {
    const TimelineActivity* activity = nullptr; ///< device, unit, name
    model::Name phase;
    Share share = Share::idle;
    Picoseconds begin{0};
    Picoseconds end{0};
    /// What the path spends in iterations that were left out, by phase and share; the
    /// span's own `phase` and `share` say nothing then.
    std::optional<model::Breakdown> repeated = {};
};

/// The critical path through a timeline, in the order of time: from its last finish (ties: lowest
/// device, then op) back to its beginning. Spans follow each other without a gap and add up to the
/// time that the steps took; over all steps of an epoch, to the epoch's breakdown. It lives as
/// long as the timeline.
std::vector<CriticalSpan> critical_path(const Timeline& timeline);

/// What was done in iterations that were left out, on one device.
struct RepeatedWork {
    struct OfUnit {
        std::vector<model::Name> names; ///< of its ops, each once
        std::int64_t ops = 0;
        Picoseconds busy{0};
    };
    std::map<model::Unit, OfUnit> units;
    Picoseconds waited{0};        ///< in collectives, for the last member
    Picoseconds communicating{0}; ///< in collectives, after that
};

/// By what stands for iterations of a loop that were left out: the work of all of them.
std::map<ActivityRef, RepeatedWork> repeated_work(const Timeline& timeline);

} // namespace alxsim::sim
