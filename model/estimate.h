// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/costs/breakdown.h"
#include "model/costs/input_times.h"
#include "model/costs/numbered_breakdown.h"
#include "model/costs/phase_names.h"
#include "model/graph/program.h"
#include "model/schedules/schedule_choice.h"
#include "topologies/machine.h"

#include <memory>

namespace alxsim::model {

struct BufferPlacement;
struct CompiledGraph;
class ProgramCache;

/// The analytic reader of the op graph: closed forms along the critical path of one representative
/// device, all devices in step, each with its fair share of HBM and PCIe. Microseconds to compute.
/// Devices that differ along an axis on which a broadcast or reduce has a root are not in step:
/// each of them is looked at by itself, and leaves such a collective when it is done
/// (member_times.h). It computes at the speed of the slowest device, for which the others wait at
/// the next collective; of a job without collectives it is the slowest device's time. Likewise each
/// op takes as long as on the device where it takes longest: no less than the slowest device's sum.
/// A step with roles has one device of each, and they meet where their roles do.
struct StepEstimate {
    Breakdown on_device; ///< from the step's first op to its last
    InputTimes infeed;   ///< of its data, hidden behind earlier steps if they are longer
};

/// The same by phase numbers.
struct NumberedStepEstimate {
    NumberedBreakdown on_device;
    InputTimes infeed;
    bool tells_use = false; ///< on_device has one
};

/// Estimates steps on one machine.
class AnalyticModel {
public:
    explicit AnalyticModel(const topologies::Machine& machine,
                           ScheduleTimes times = ScheduleTimes::exact);
    /// With what was chosen before on `schedules`, which goes by `machine` from now on.
    AnalyticModel(const topologies::Machine& machine, std::shared_ptr<ScheduleBook> schedules);
    ~AnalyticModel();
    AnalyticModel(const AnalyticModel&) = delete; // the cache has a reference to the phases
    AnalyticModel& operator=(const AnalyticModel&) = delete;

    /// From now on on `machine`, which it goes by until the next. What machines that differ in
    /// numbers alone share, as draws do, is compiled once.
    void use(const topologies::Machine& machine);
    const topologies::Machine& machine() const { return *machine_; }
    /// Forgets what no other job will ask for, graphs that are large or follow the data of one; and
    /// the numbers of phases: use() comes next.
    void end_job();
    /// From now on, until the job ends, estimates tell what a device does beside its work; those of
    /// steps with roles always do. It takes some more of the host's time.
    void tell_use() { tells_use_ = true; }

    /// One step by itself. Repeats iterate as often as the slowest device does. Throws InputError
    /// for work that is not supported.
    StepEstimate step(const Step& step);
    NumberedStepEstimate numbered_step(const Step& step);
    /// A graph with its costs, while `graph` is held and until use(). Throws InputError likewise.
    std::shared_ptr<const CompiledGraph> compiled(const std::shared_ptr<const OpGraph>& graph);
    /// Where its buffers stand, likewise: of a graph without roles.
    const BufferPlacement& placement(const std::shared_ptr<const OpGraph>& graph);
    /// Devices that an estimate of the graph tells apart, each with a course of its own; 1 where
    /// all are alike, or those of a role.
    int devices_apart(const CompiledGraph& graph) const;
    /// Phases of candidates for its collectives, so far (ScheduleBook::phases_built()).
    std::int64_t phases_built() const;
    /// What the numbers of phases mean.
    PhaseNames& phases() { return phases_; }
    const PhaseNames& phases() const { return phases_; }
    /// Bytes that a step puts on all ICI links together.
    Bytes link_bytes(const Step& step);

private:
    const topologies::Machine* machine_;
    PhaseNames phases_;
    std::unique_ptr<ProgramCache> programs_;
    bool tells_use_ = false;
};

} // namespace alxsim::model
