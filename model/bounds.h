// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "model/graph/buffer_placement.h"
#include "model/graph/op_graph.h"
#include "topologies/machine.h"

namespace alxsim::model {

/// What no implementation of the op on this machine can undercut: the largest of its operations
/// over the peak of the mechanism (MXU at its passes, VPU), the HBM bytes that it moves over the
/// whole chip's bandwidth, its PCIe bytes, and the cut bound of a collective. A repeat: its
/// iterations times the body's largest bound (each iteration follows the last). Of works of single
/// devices, the largest.
Seconds physical_bound(const Op& op, const BufferPlacement& placement,
                       const topologies::Machine& machine);

} // namespace alxsim::model
