// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/timing/overlapping_steps.h"

#include "model/collectives/group_source.h"

#include <algorithm>

namespace alxsim::experiments {
namespace {

bool is_taken_off(const model::StepGroup& group)
{
    return group.times < 0;
}

Timing of_part(model::Program part, const topologies::Machine& machine, PointTrace* trace)
{
    for (model::StepGroup& group : part) {
        group.times = std::abs(group.times);
    }
    model::GroupSource source(part);
    return simulate(source, machine, trace);
}

} // namespace

bool has_overlapping_steps(const model::Program& interval)
{
    return std::any_of(interval.begin(), interval.end(), is_taken_off);
}

Timing simulate_overlapping(const model::Program& interval, const topologies::Machine& machine,
                            PointTrace* trace)
{
    model::Program all = interval;
    const auto first_off = std::stable_partition(
        all.begin(), all.end(), [](const auto& group) { return !is_taken_off(group); });
    const Timing before = of_part({first_off, all.end()}, machine, nullptr);
    all.erase(first_off, all.end());
    Timing timing = of_part(all, machine, trace);
    timing.total += before.total.scaled(-1);
    timing.epoch_ends = {timing.total.total};
    timing.link_bytes -= before.link_bytes;
    for (auto& [name, count] : timing.counters) {
        for (const auto& [other, less] : before.counters) {
            count -= name == other ? less : 0;
        }
    }
    timing.device_counters.clear(); // of the several steps
    return timing;
}

Timing repeated(const Timing& one, int intervals)
{
    Timing all = one;
    all.total = one.total.scaled(intervals);
    all.link_bytes = one.link_bytes * intervals;
    all.epoch_ends.clear();
    for (int interval = 1; interval <= intervals; ++interval) {
        all.epoch_ends.push_back(one.total.total * interval);
    }
    for (auto& [name, count] : all.counters) {
        count *= intervals;
    }
    return all;
}

} // namespace alxsim::experiments
