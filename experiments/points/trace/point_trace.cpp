// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/trace/point_trace.h"

#include "experiments/points/trace/path_spans.h"
#include "experiments/points/trace/trace_file.h"
#include "sim/observe/traced_source.h"

#include <utility>

namespace alxsim::experiments {
namespace {

/// A span of it takes more of the text.
constexpr std::int64_t bytes_of_activity = 256;

} // namespace

PointTrace::PointTrace(const topologies::Machine& machine, TraceRequest request,
                       workloads::OpSources sources)
    : machine_(machine),
      request_(std::move(request)),
      sources_(std::move(sources)),
      steps_(traced_steps_of(request_.steps, "--trace-steps"))
{
}

sim::StepTrace& PointTrace::watch(sim::Simulator& simulator)
{
    const std::int64_t most_activities = (request_.limit_mib << 20) / bytes_of_activity;
    trace_.emplace(machine_, steps_, most_activities);
    simulator.attach(*trace_);
    return *trace_;
}

PointTrace::Outcome PointTrace::write() const
{
    const std::optional<sim::Timeline> timeline = trace_ ? trace_->timeline() : std::nullopt;
    if (!timeline) {
        return {
            {"no trace: none of its steps that were simulated is --trace-steps " + request_.steps},
            {}};
    }
    Outcome outcome;
    outcome.path = path_spans_of(*timeline);
    for (const std::string& left_out : write_trace(*timeline, machine_, request_, sources_)) {
        outcome.notes.push_back("its trace leaves out " + left_out);
    }
    return outcome;
}

sim::SimulationResult run_traced(sim::Simulator& simulator, model::StepSource& source,
                                 PointTrace* trace)
{
    if (trace == nullptr) {
        return simulator.run(source);
    }
    sim::StepTrace& steps = trace->watch(simulator);
    sim::TracedSource traced(source, steps, trace->steps());
    return simulator.run(traced);
}

} // namespace alxsim::experiments
