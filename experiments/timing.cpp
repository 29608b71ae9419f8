// SPDX-License-Identifier: Apache-2.0
#include "experiments/timing.h"

#include "model/collective.h"
#include "model/job_estimate.h"
#include "sim/simulator.h"

namespace alxsim::experiments {

using topologies::Machine;

namespace {

double directed_links(const Machine& machine)
{
    double links = 0;
    for (const model::NetworkAxis& axis : model::network_axes(machine)) {
        if (axis.torus_axis != model::NetworkAxis::on_chip) {
            links += 2.0 * machine.slice.chips() / axis.length *
                     (axis.wraps ? axis.length : axis.length - 1);
        }
    }
    return links;
}

void finish(Timing& timing, const model::JobEstimate& job, const Machine& machine)
{
    timing.total = job.total();
    timing.epoch_ends.push_back(timing.total.total);
    timing.link_bytes = job.link_bytes();
    const double links = directed_links(machine);
    const double seconds = to_seconds(timing.total.total).count();
    if (links > 0 && seconds > 0) {
        timing.link_utilisation = static_cast<double>(timing.link_bytes.count()) /
                                  (links * machine.network.link_bytes_per_second * seconds);
    }
}

} // namespace

Timing simulate(model::StepSource& source, const Machine& machine)
{
    const sim::SimulationResult result = sim::Simulator(machine).run(source);
    Timing timing;
    for (const sim::EpochTiming& epoch : result.epochs) {
        timing.total += epoch.breakdown;
        timing.epoch_ends.push_back(epoch.finish);
    }
    timing.link_bytes = result.network.link_bytes;
    timing.link_utilisation = result.link_utilisation;
    timing.counters = {{"ops_executed", result.ops_executed},
                       {"network_messages", result.network.messages},
                       {"hbm_bytes", result.hbm_bytes.count()}};
    return timing;
}

Timing estimate_steps(model::StepSource& source, const Machine& machine)
{
    model::JobEstimate job(machine);
    Timing timing;
    int epoch = 1;
    for (std::optional<model::Step> step = source.next(); step; step = source.next()) {
        if (step->epoch != epoch) {
            timing.epoch_ends.push_back(job.total().total);
            epoch = step->epoch;
        }
        job.add(*step);
    }
    finish(timing, job, machine);
    return timing;
}

Timing estimate_groups(const std::vector<model::StepGroup>& groups, const Machine& machine)
{
    model::JobEstimate job(machine);
    for (const model::StepGroup& group : groups) {
        job.add(group.step, group.times);
    }
    Timing timing;
    finish(timing, job, machine);
    return timing;
}

} // namespace alxsim::experiments
