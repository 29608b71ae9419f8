// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/point.h"
#include "sim/observe/statistics.h"

#include <cstdint>
#include <vector>

namespace alxsim::experiments {

/// What the devices and chips of a simulation have counted, over a mean one of `intervals`. What is
/// zero everywhere is left out; single devices are told where they are few and not alike.
std::vector<report::DeviceCounter> device_counters_of(const sim::Statistics& statistics,
                                                      std::int64_t intervals);

} // namespace alxsim::experiments
