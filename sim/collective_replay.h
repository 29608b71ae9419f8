// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/collectives/device_grid.h"
#include "model/collectives/replays/schedule_replay.h"
#include "sim/network_counters.h"

#include <cstddef>
#include <vector>

namespace alxsim::sim {

/// A schedule and what it always does to links, to be replayed.
struct CollectiveReplay {
    CollectiveReplay(const model::CollectiveSchedule& schedule, const model::DeviceGrid& grid)
        : replay(schedule, model::all_places_of(schedule))
    {
        for (int device = 0; device < grid.devices(); ++device) {
            std::size_t stride = 1;
            std::size_t at = 0;
            for (std::size_t axis = 0; axis < schedule.axes.size(); ++axis) {
                at += stride *
                      static_cast<std::size_t>(grid.position(static_cast<int>(axis), device));
                stride *= static_cast<std::size_t>(schedule.axes[axis].length);
            }
            place.push_back(at);
        }
    }

    /// Replays it for the devices of `chips` that all do the same once all are ready.
    CollectiveReplay(const model::CollectiveSchedule& schedule, int chips, int devices)
        : replay(schedule, model::places_of(schedule))
    {
        for (int device = 0; device < devices; ++device) {
            place.push_back(static_cast<std::size_t>(device % (devices / chips)));
        }
    }

    model::ScheduleReplay replay;
    NetworkCounters traffic;
    std::vector<std::size_t> place; ///< [device]
};

} // namespace alxsim::sim
