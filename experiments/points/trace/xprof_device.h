// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/observe/timeline.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace alxsim::experiments {

/// An op of a device: an activity, or its like in an iteration that was left out.
struct DeviceOp {
    const sim::TimelineActivity* activity = nullptr;
    sim::ActivityRef self; ///< its own; of an iteration that was left out, what stands for these
    Picoseconds begin{0};
    Picoseconds end{0};
};

/// By device, in the order in which they were over. At most `most` ops; the others are counted.
struct DeviceOps {
    std::map<int, std::vector<DeviceOp>> of_device;
    std::int64_t left_out = 0;
};
DeviceOps device_ops(const sim::Timeline& timeline, std::int64_t most);

/// The TensorCore waits for an op that runs beside it.
struct DeviceWait {
    const sim::TimelineActivity* on = nullptr;
    Picoseconds begin{0};
    Picoseconds end{0};
};

/// What a device did as XProf parts it.
struct DeviceTracks {
    std::vector<DeviceOp> ops;     ///< of the TensorCore: one at a time, in the order of time
    std::vector<DeviceOp> beside;  ///< the others, in the order of time
    std::vector<DeviceOp> of_host; ///< what the host did for it
    std::vector<DeviceWait> waits; ///< between `ops`
};
DeviceTracks tracks_of(const std::vector<DeviceOp>& ops);

} // namespace alxsim::experiments
