// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "model/op_graph.h"
#include "topologies/machine.h"

namespace alxsim::model {

/// How a matmul falls onto weight-stationary arrays of R x C: every product's [k x n] operand is
/// cut into ceil(k/R) * ceil(n/C) weight tiles (times the bf16 passes), dealt out to the device's
/// MXUs; the m rows, padded to the 8 sublanes, stream through each.
struct MatmulTiling {
    std::int64_t tiles_per_mxu = 0;
    Cycles stream{0}; ///< cycles in which the rows enter one tile
    Cycles load{0};   ///< cycles to load one weight tile
    Cycles drain{0};  ///< from the last row in to the last result out: R + C - 2
};

MatmulTiling tile(const Matmul& matmul, const topologies::DeviceSpec& device);

/// Closed form. With overlap (weights double-buffered, US10635740): load + (tiles - 1) *
/// max(stream, load)
/// + stream + drain. Without: tiles * (load + stream + drain), SCALE-Sim's fold of 2R + C + M - 2
/// cycles.
Cycles matmul_cycles(const Matmul& matmul, const topologies::DeviceSpec& device);

/// Multiply-adds times two, times the passes: what is held against the bf16 peak.
double matmul_operations(const Matmul& matmul);

} // namespace alxsim::model
