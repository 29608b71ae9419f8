// SPDX-License-Identifier: Apache-2.0
#include "model/costs/matmul.h"

#include <algorithm>
#include <cmath>

namespace alxsim::model {

namespace {

using topologies::DeviceSpec;

/// Cycles are counted in 64 bits; what needs more would take longer than simulated time lasts, too.
/// Bounds every term of the closed form from above, in floating point, before any is an integer.
void refuse_what_overflows(const Matmul& matmul, const DeviceSpec& device)
{
    const double tiles = static_cast<double>(matmul.batch) * matmul.passes *
                         (static_cast<double>(matmul.k) / device.mxu_rows + 1) *
                         (static_cast<double>(matmul.n) / device.mxu_columns + 1);
    const double rows = static_cast<double>(matmul.m) + device.vpu_sublanes;
    const double fold =
        static_cast<double>(device.mxu_weight_load.count()) +
        rows / (device.rows_per_cycle * std::min(1.0, mxu_rate(matmul.dtype, device))) +
        device.mxu_rows + device.mxu_columns;
    const double cycles = std::max(tiles, 1.0) * fold;
    if (cycles > 1e18) {
        refuse_duration(cycles / device.clock_hz);
    }
}

/// ceil(tiles * blocks / mxus), where the product might not fit 64 bits.
std::int64_t tiles_of_busiest(std::int64_t tiles, std::int64_t blocks, std::int64_t mxus)
{
    return tiles / mxus * blocks + ceil_divide(tiles % mxus * blocks, mxus);
}

/// Loads, for a k that does not fill the array, where loads overlap, only the rows that there are.
Cycles load_of(const Matmul& matmul, const DeviceSpec& device)
{
    const std::int64_t all = device.mxu_rows;
    const std::int64_t rows = matmul.overlap ? std::min(matmul.k, all) : all;
    return Cycles(ceil_divide(device.mxu_weight_load.count() * rows, all));
}

/// With the rows cut into `blocks` blocks, each of whole registers of sublanes.
MatmulTiling tiling_of(const Matmul& matmul, std::int64_t blocks, const DeviceSpec& device)
{
    const std::int64_t tiles = matmul.batch * ceil_divide(matmul.k, device.mxu_rows) *
                               ceil_divide(matmul.n, device.mxu_columns) * matmul.passes;
    const auto rows =
        static_cast<double>(round_up(ceil_divide(matmul.m, blocks), device.vpu_sublanes));
    MatmulTiling tiling;
    tiling.row_blocks = blocks;
    tiling.tiles_per_mxu = tiles_of_busiest(tiles, blocks, device.mxus);
    tiling.stream =
        Cycles(rounded_up(rows / (device.rows_per_cycle * mxu_rate(matmul.dtype, device))));
    tiling.load = load_of(matmul, device);
    const std::int64_t groups = ceil_divide(device.mxu_rows, device.mxu_adder_group_rows);
    tiling.drain = Cycles(groups + device.mxu_columns - 2);
    return tiling;
}

Cycles cycles_of(const MatmulTiling& tiling, bool overlap)
{
    if (tiling.tiles_per_mxu == 0) {
        return Cycles(0);
    }
    const Cycles fold = tiling.load + tiling.stream + tiling.drain;
    if (!overlap) {
        return fold * tiling.tiles_per_mxu;
    }
    return fold + std::max(tiling.stream, tiling.load) * (tiling.tiles_per_mxu - 1);
}

/// No chip has more MXUs; an override to a billion of them shall not take time to try.
constexpr std::int64_t most_row_blocks = 256;

} // namespace

MatmulTiling tile(const Matmul& matmul, const DeviceSpec& device)
{
    refuse_what_overflows(matmul, device);
    MatmulTiling best = tiling_of(matmul, 1, device);
    if (!matmul.overlap) {
        return best;
    }
    const std::int64_t most = std::min<std::int64_t>(
        {device.mxus, ceil_divide(matmul.m, device.vpu_sublanes), most_row_blocks});
    for (std::int64_t blocks = 2; blocks <= most; ++blocks) {
        const MatmulTiling tiling = tiling_of(matmul, blocks, device);
        if (cycles_of(tiling, true) < cycles_of(best, true)) {
            best = tiling;
        }
    }
    return best;
}

Cycles matmul_window_cycles(const Matmul& matmul, const DeviceSpec& device)
{
    if (device.mxu_window_macs == 0 || !matmul.overlap) {
        return Cycles(0);
    }
    const double macs = static_cast<double>(matmul.batch) * static_cast<double>(matmul.m) *
                        static_cast<double>(matmul.k) * static_cast<double>(matmul.n);
    const double windows = std::ceil(macs / device.mxu_window_macs / device.vpus);
    return Cycles(rounded_up(std::max(0.0, windows - 1) * device.mxu_window_cycles));
}

Cycles matmul_cycles(const Matmul& matmul, const DeviceSpec& device)
{
    return cycles_of(tile(matmul, device), matmul.overlap) + matmul_window_cycles(matmul, device);
}

double mxu_rate(DType dtype, const DeviceSpec& device)
{
    switch (dtype) {
    case DType::i8:
        return device.mxu_rates.int8;
    case DType::i4:
        return device.mxu_rates.int4;
    case DType::fp8_e4m3:
        return device.mxu_rates.fp8_e4m3;
    case DType::fp8_e5m2:
        return device.mxu_rates.fp8_e5m2;
    case DType::fp4:
        return device.mxu_rates.fp4;
    case DType::bf16:
    case DType::f32:
    case DType::f64:
    case DType::i32:
        return 1;
    }
    return 1;
}

double matmul_operations(const Matmul& matmul)
{
    return 2.0 * static_cast<double>(matmul.batch) * static_cast<double>(matmul.m) *
           static_cast<double>(matmul.k) * static_cast<double>(matmul.n) * matmul.passes;
}

double mxu_useful_share(const Matmul& matmul, const DeviceSpec& device)
{
    const auto cycles = static_cast<double>(matmul_cycles(matmul, device).count());
    const double per_cycle = device.matmul_flops() / device.clock_hz;
    return cycles > 0 ? matmul_operations(matmul) / (cycles * per_cycle) : 0.0;
}

} // namespace alxsim::model
