// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/breakdown.h"
#include "model/compiled_graph.h"
#include "model/program.h"
#include "topologies/machine.h"

#include <map>
#include <memory>
#include <vector>

namespace alxsim::model {

/// What the body of an op takes on a device of `speed` times the clock: the MXU's and the VPU's
/// work stretches (rounded up to picoseconds), everything else keeps its time.
Picoseconds body_at_speed(const OpCost& cost, double speed);

/// The analytic reader of the op graph: closed forms along the critical path of one representative
/// device, all devices in step, each with its fair share of HBM and PCIe. Microseconds to compute.
/// It computes at the speed of the slowest device, for which the others wait at the next
/// collective; of a job without collectives it is the slowest device's time.
struct StepEstimate {
    Breakdown on_device; ///< from the step's first op to its last
    Picoseconds infeed{
        0}; ///< PCIe time of its data, hidden behind earlier steps if they are longer
};

/// Estimates steps on one machine; compiles each graph once.
class AnalyticModel {
public:
    explicit AnalyticModel(const topologies::Machine& machine,
                           ScheduleTimes times = ScheduleTimes::exact);

    /// One step by itself. Repeats iterate as often as the slowest device does. Throws InputError
    /// for work that is not supported.
    StepEstimate step(const Step& step);
    /// Bytes that a step puts on all ICI links together.
    Bytes link_bytes(const Step& step);

private:
    const CompiledGraph& compiled(const std::shared_ptr<const OpGraph>& graph);

    struct Program {
        std::shared_ptr<const OpGraph> graph; ///< kept alive: `compiled` points into it
        std::unique_ptr<CompiledGraph> compiled;
    };

    const topologies::Machine& machine_;
    ScheduleTimes times_;
    PhaseNames phases_;
    std::map<const OpGraph*, Program> programs_;
};

} // namespace alxsim::model
