// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/network.h"
#include "tests/device/packet_traffic.h"

#include <memory>
#include <numeric>
#include <utility>
#include <vector>

/// What tests of the network alone share: collectives without a program around them.
namespace alxsim::sim {

using Schedule = std::shared_ptr<const model::CollectiveSchedule>;

/// What the network did; times count from the moment at which the first device was ready.
struct Outcome {
    Picoseconds time{0};             ///< until the last device was done with the last collective
    std::vector<Picoseconds> done{}; ///< [device]: with its last one
    int completions = 0;             ///< over all devices and collectives
    NetworkUse use;
    std::int64_t packet_hops = 0;
    bool idle = false; ///< at the end
};

/// All devices enter all `schedules` at one moment; they go message by message.
inline Outcome run_together(const topologies::Machine& machine,
                            const std::vector<Schedule>& schedules)
{
    const FreshContext context;
    Network network("network", machine, false);
    const Picoseconds start(1'000'000);
    Outcome outcome;
    outcome.done.resize(static_cast<std::size_t>(machine.devices));
    for (const Schedule& schedule : schedules) {
        for (int device = 0; device < machine.devices; ++device) {
            network.enter(device, schedule, start, start, {},
                          [&outcome, device, start](const CollectiveDone&) {
                              outcome.time = now() - start;
                              outcome.done[static_cast<std::size_t>(device)] = outcome.time;
                              ++outcome.completions;
                          });
        }
    }
    sc_core::sc_start();
    outcome.use = network.use();
    for (const LinkUse& link : network.counters().links) {
        outcome.packet_hops += link.packets;
    }
    outcome.idle = network.idle();
    return outcome;
}

inline Outcome run_alone(const topologies::Machine& machine, model::CollectiveSchedule schedule)
{
    return run_together(machine,
                        {std::make_shared<const model::CollectiveSchedule>(std::move(schedule))});
}

inline Outcome run_alone(const topologies::Machine& machine, const model::Collective& collective)
{
    return run_alone(machine, model::make_schedule(collective, machine));
}

/// [device]: when it is done, each ready at a time of its own.
inline std::vector<Picoseconds> simulated_finishes(const topologies::Machine& machine,
                                                   const Schedule& schedule,
                                                   const std::vector<Picoseconds>& ready)
{
    const FreshContext context;
    Network network("network", machine);
    std::vector<Picoseconds> done(ready.size());
    for (std::size_t device = 0; device < ready.size(); ++device) {
        network.enter(static_cast<int>(device), schedule, ready[device], ready[device], {},
                      [&done, device](const CollectiveDone&) { done[device] = now(); });
    }
    sc_core::sc_start();
    return done;
}

} // namespace alxsim::sim
