// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/work.h"
#include "topologies/machine.h"
#include "workloads/import/hlo/kernels.h"

namespace alxsim::hlo {

/// A kernel by its author's estimate, until an op graph has an op of so much FLOP: a product of as
/// many, in tiles of k = 128 and n = 512, with its transcendentals as the epilogue; without FLOP a
/// vector op of those.
model::Work work_of_kernel(const KernelCost& cost);

/// What takes `seconds` by itself on a device and moves nothing in HBM, launch included: for
/// instructions whose time the user gives. THE place for an op of fixed time, when op graphs have
/// one; until then vector work of as many cycles.
model::Work work_of_seconds(double seconds, const topologies::DeviceSpec& device);

} // namespace alxsim::hlo
