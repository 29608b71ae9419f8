// SPDX-License-Identifier: Apache-2.0
#include "model/matmul.h"

#include <algorithm>
#include <cmath>

namespace alxsim::model {

namespace {

/// Cycles are counted in 64 bits; what needs more would take longer than simulated time lasts, too.
/// Bounds every term of the closed form from above, in floating point, before any is an integer.
void refuse_what_overflows(const Matmul& matmul, const topologies::DeviceSpec& device)
{
    const double tiles = static_cast<double>(matmul.batch) * matmul.passes *
                         (static_cast<double>(matmul.k) / device.mxu_rows + 1) *
                         (static_cast<double>(matmul.n) / device.mxu_columns + 1);
    const double rows = static_cast<double>(matmul.m) + device.vpu_sublanes;
    const double fold = static_cast<double>(device.mxu_weight_load.count()) +
                        rows / device.rows_per_cycle + device.mxu_rows + device.mxu_columns;
    const double cycles = std::max(tiles, 1.0) * fold;
    if (cycles > 1e18) {
        refuse_duration(cycles / device.clock_hz);
    }
}

} // namespace

MatmulTiling tile(const Matmul& matmul, const topologies::DeviceSpec& device)
{
    refuse_what_overflows(matmul, device);
    const std::int64_t tiles = matmul.batch * ceil_divide(matmul.k, device.mxu_rows) *
                               ceil_divide(matmul.n, device.mxu_columns) * matmul.passes;
    const double rows = static_cast<double>(round_up(matmul.m, device.vpu_sublanes));
    MatmulTiling tiling;
    tiling.tiles_per_mxu = ceil_divide(tiles, device.mxus);
    tiling.stream = Cycles(static_cast<std::int64_t>(std::ceil(rows / device.rows_per_cycle)));
    tiling.load = device.mxu_weight_load;
    tiling.drain = Cycles(device.mxu_rows + device.mxu_columns - 2);
    return tiling;
}

Cycles matmul_cycles(const Matmul& matmul, const topologies::DeviceSpec& device)
{
    const MatmulTiling tiling = tile(matmul, device);
    if (tiling.tiles_per_mxu == 0) {
        return Cycles(0);
    }
    const Cycles fold = tiling.load + tiling.stream + tiling.drain;
    if (!matmul.overlap) {
        return fold * tiling.tiles_per_mxu;
    }
    return fold + std::max(tiling.stream, tiling.load) * (tiling.tiles_per_mxu - 1);
}

double matmul_operations(const Matmul& matmul)
{
    return 2.0 * static_cast<double>(matmul.batch) * static_cast<double>(matmul.m) *
           static_cast<double>(matmul.k) * static_cast<double>(matmul.n) * matmul.passes;
}

} // namespace alxsim::model
