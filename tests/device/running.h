// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/estimate.h"
#include "sim/simulator.h"
#include "tests/unit/model/building.h"

#include <optional>
#include <utility>
#include <vector>

/// What the tests of the simulator share: programs, and the times that they take.
namespace alxsim::sim {

using model::easy_machine;
using model::easy_pairs;
using model::graph_of;
using model::machine_of;
using model::nanoseconds;
using model::op_of;
using model::repeat_of;

/// The same graph `times` times, all in epoch 1.
inline std::vector<model::Step> steps_of(const std::shared_ptr<const model::OpGraph>& graph,
                                         int times = 1)
{
    return std::vector<model::Step>(static_cast<std::size_t>(times), model::Step{graph, {}, 1});
}

class ListedSteps : public model::StepSource {
public:
    explicit ListedSteps(std::vector<model::Step> steps) : steps_(std::move(steps)) {}

    std::optional<model::Step> next() override
    {
        return next_ < steps_.size() ? std::optional<model::Step>(steps_[next_++]) : std::nullopt;
    }

private:
    std::vector<model::Step> steps_;
    std::size_t next_ = 0;
};

inline SimulationResult simulate(const topologies::Machine& machine, std::vector<model::Step> steps)
{
    ListedSteps source(std::move(steps));
    Simulator simulator(machine);
    return simulator.run(source);
}

inline Picoseconds dispatch_of(const topologies::Machine& machine)
{
    return to_picoseconds(machine.device.step_dispatch);
}

inline Picoseconds program_overhead_of(const topologies::Machine& machine)
{
    return to_picoseconds(machine.device.program_overhead);
}

/// From the first op of a single step to the last: all but dispatch and per-program overhead.
inline Picoseconds on_device(const topologies::Machine& machine, const SimulationResult& result)
{
    return result.epochs.at(0).finish - dispatch_of(machine) - program_overhead_of(machine);
}

/// The simulated time of a graph that is the only step of a job.
inline Picoseconds simulated(const topologies::Machine& machine,
                             const std::shared_ptr<const model::OpGraph>& graph)
{
    return on_device(machine, simulate(machine, steps_of(graph)));
}

inline Picoseconds simulated(const topologies::Machine& machine, const model::Op& op)
{
    return simulated(machine, graph_of({op}));
}

/// The same by the analytic model.
inline Picoseconds estimated(const topologies::Machine& machine,
                             const std::shared_ptr<const model::OpGraph>& graph)
{
    return model::AnalyticModel(machine).step({graph, {}, 1}).on_device.total;
}

inline Picoseconds estimated(const topologies::Machine& machine, const model::Op& op)
{
    return estimated(machine, graph_of({op}));
}

} // namespace alxsim::sim
