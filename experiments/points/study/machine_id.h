// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/points/study/machine_request.h"

#include <string>

namespace alxsim::experiments {

/// Tells machines apart: "tpu_v3-8x16-256-1f0c5a9e33d7", the chip, the slice, the cores, and 48
/// bits of a hash of all that makes up the machine: every value of its preset as overridden, its
/// slice and wraps, faults, schedule, compiler flags and places of axes. The same on any host, and
/// whichever of its names the chip goes by.
std::string machine_id(const topologies::Machine& machine, const MachineRequest& request);

} // namespace alxsim::experiments
