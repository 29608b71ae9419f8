// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/compiled_graph.h"
#include "model/critical_path.h"

#include <cstdint>
#include <string>
#include <vector>

namespace alxsim::sim {

/// An activity of some epoch, by its number there: 0, 1, ... in the order in which they are told.
/// Activities name the one that let them start, so that arrows can be drawn: one of the same step,
/// or, where a device waits for dispatch, what it had finished last in the step before.
struct ActivityRef {
    int epoch = 0; ///< counted from 1
    std::int64_t index = model::Activity::no_cause;

    bool exists() const { return index != model::Activity::no_cause; }
    bool operator==(const ActivityRef& other) const
    {
        return epoch == other.epoch && index == other.index;
    }
    bool operator<(const ActivityRef& other) const
    {
        return epoch != other.epoch ? epoch < other.epoch : index < other.index;
    }
};

/// What a device runs. Of a repeat, the control of an iteration: a repeat's ops are runs of their
/// own. Between ops a device waits for the host's dispatch of its next step, which is no op.
struct OpRun {
    int device = 0;
    int epoch = 0;
    std::int64_t step = 0;                 ///< counted from 0, over the whole job
    const model::CompiledOp* op = nullptr; ///< lives while it is told; null: the wait for dispatch
    Picoseconds start{0};                  ///< issued: its unit is taken from then on

    model::Unit unit() const { return op == nullptr ? model::Unit::host : op->cost.unit; }
    /// The op's; of the wait for dispatch that of its phase.
    std::string name() const { return op == nullptr ? model::dispatch_phase : op->op->name; }
    /// Under which its time is reported.
    std::string phase() const { return op == nullptr ? model::dispatch_phase : op->op->phase; }
};

struct FinishedActivity {
    const OpRun& run;
    ActivityRef self;
    ActivityRef cause; ///< of a collective: what its last member had waited for
    /// With its share. Starts with `run` but for a collective, which starts when its last member
    /// has entered. Its own `cause` is not set.
    const model::Activity& activity;
};

/// Iterations of a loop that a device left out, told as one: they are what the last ones that ran
/// were, `rounds` times over; if the loop was not periodic, in as much time as they take in the
/// mean. So may be whole steps, which have no number then.
struct RepeatedPart {
    OpRun run; ///< the repeat, from when the first of them begins; of steps without an op
    ActivityRef self;
    ActivityRef cause; ///< with which the last iteration that ran ended
    ActivityRef since; ///< with which the first of those began that were repeated
    Picoseconds finish{0};
    std::int64_t iterations = 0;
    std::int64_t rounds = 0;
    std::int64_t skip = 0; ///< the same on all devices that left out the same iterations
    std::int64_t ops = 0;  ///< that were not run
    Bytes hbm_bytes{0};    ///< that these would have moved
};

/// The DMA of an op between HBM and its device, from the first byte to the last.
struct HbmTransfer {
    OpRun run;
    Picoseconds start{0};
    Picoseconds finish{0};
    Bytes bytes{0};
};

/// What a directed link carried, without a pause unless it was `repeated`: a packet, several in a
/// row, or all that a collective (or the iterations of a loop) put on it that went again as it went
/// before. All together they are all that links carried. Not told in the order of time.
struct LinkTransfer {
    int chip = 0;         ///< where the link starts
    int axis = 0;         ///< of the slice
    int direction = 1;    ///< +1 or -1
    Picoseconds start{0}; ///< of `repeated` iterations: exact to an iteration
    Picoseconds finish{0};
    Picoseconds busy{0}; ///< of that time
    Bytes bytes{0};
    std::int64_t packets = 0;
    bool repeated = false;
};

/// A device enters a collective, or has its result.
struct CollectiveMember {
    std::int64_t collective = 0; ///< counted from 0 over the job; the same on all devices
    int device = 0;
    Picoseconds time{0};
    bool remembered = false; ///< it went as it went before; not known when devices enter
};

/// All devices are done with a step. Steps close in their order.
struct ClosedStep {
    std::int64_t step = 0;
    int epoch = 0;
    Picoseconds time{0};
};

/// All devices are done with the last step of an epoch: nothing of it is told any more.
struct ClosedEpoch {
    int epoch = 0;
    Picoseconds time{0};
    const model::PhaseNames& phases; ///< by the numbers that its activities have
    /// What a device did beside its work: along each axis the one that did most, of each role, and
    /// the mean over these; what it waited in the mean of all. Where there are roles, it waits for
    /// others when it is done before them, too.
    const model::DeviceUse& use;
};

/// Is told what happens in a simulation. Of what is left out because it repeats itself, it is told
/// as one that so it was. Must not change anything, and decides no time.
class Observer {
public:
    virtual ~Observer() = default;

    /// Whether it is told, beside activities and intervals, of starts, transfers and members of
    /// collectives. Asked once. They are many, and cost time.
    virtual bool looks_closely() const { return true; }

    virtual void finished(const FinishedActivity& /*activity*/) {}
    virtual void repeated(const RepeatedPart& /*part*/) {}
    virtual void step_closed(const ClosedStep& /*step*/) {}
    virtual void epoch_closed(const ClosedEpoch& /*epoch*/) {}

    /// Tells of repeats, too, which finish with the last of their ops.
    virtual void op_started(const OpRun& /*run*/) {}
    virtual void hbm_moved(const HbmTransfer& /*transfer*/) {}
    virtual void link_carried(const LinkTransfer& /*transfer*/) {}
    virtual void collective_entered(const CollectiveMember& /*member*/) {}
    virtual void collective_left(const CollectiveMember& /*member*/) {}
};

} // namespace alxsim::sim
