// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/points/trace/trace_request.h"
#include "model/graph/program.h"
#include "report/point.h"
#include "sim/observe/step_trace.h"
#include "sim/simulator.h"
#include "topologies/machine.h"
#include "workloads/op_sources.h"

#include <optional>
#include <string>
#include <vector>

namespace alxsim::experiments {

/// The trace of a point or an op: watches its simulation, and writes the file.
class PointTrace {
public:
    /// `machine` outlives it. Throws InputError for steps that are none.
    /// `sources`: of the job's ops, for names as XProf's.
    PointTrace(const topologies::Machine& machine, TraceRequest request,
               workloads::OpSources sources = {});

    /// Watches a run of `simulator` whose source says the number of each step
    /// (StepTrace::hand_out). Of several runs, the last counts.
    sim::StepTrace& watch(sim::Simulator& simulator);
    sim::TracedSteps steps() const { return steps_; }
    /// Whether steps are traced that a simulation would leave out, were they not: it then counts
    /// other ops as repeated, which a report tells.
    bool changes_what_is_left_out() const
    {
        return steps_.which == sim::TracedSteps::Which::last ||
               steps_.which == sim::TracedSteps::Which::range;
    }

    /// What a trace comes to.
    struct Outcome {
        /// For people: what was left out, or that no such step was simulated and there is no file.
        std::vector<std::string> notes;
        std::optional<report::CriticalPath> path; ///< of the steps that were traced
    };
    /// After the run. Throws std::runtime_error if the file cannot be written.
    Outcome write() const;

private:
    const topologies::Machine& machine_;
    const TraceRequest request_;
    const workloads::OpSources sources_;
    const sim::TracedSteps steps_;
    std::optional<sim::StepTrace> trace_;
};

/// Runs the simulation, which `trace` (null: nobody) watches.
sim::SimulationResult run_traced(sim::Simulator& simulator, model::StepSource& source,
                                 PointTrace* trace);

} // namespace alxsim::experiments
