// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/hlo/lowering/kernel_work.h"

#include <algorithm>

namespace alxsim::hlo {
namespace {

constexpr std::int64_t tile_k = 128;
constexpr std::int64_t tile_n = 512;

std::optional<model::Vector> transcendentals_of(const KernelCost& cost)
{
    if (cost.transcendentals <= 0) {
        return std::nullopt;
    }
    model::Vector vector;
    vector.elements = cost.transcendentals;
    vector.medium_per_element = 1;
    return vector;
}

} // namespace

model::Work work_of_kernel(const KernelCost& cost)
{
    if (cost.flops <= 0) {
        return transcendentals_of(cost).value_or(model::Vector());
    }
    model::Matmul matmul;
    matmul.k = tile_k;
    matmul.n = tile_n;
    const std::int64_t rows = std::max<std::int64_t>(1, cost.flops / (2 * matmul.k * matmul.n));
    constexpr std::int64_t most_rows = 1'000'000; // of a product
    matmul.batch = (rows + most_rows - 1) / most_rows;
    matmul.m = rows / matmul.batch;
    matmul.epilogue = transcendentals_of(cost);
    return matmul;
}

model::Work work_of_seconds(double seconds, const topologies::DeviceSpec& device)
{
    const double beside_launch = std::max(0.0, seconds - device.op_overhead.count());
    model::Vector vector; // one register a core, operation by operation
    vector.elements =
        static_cast<std::int64_t>(device.vpu_lanes) * device.vpu_sublanes * device.vpus;
    vector.ops_per_element = beside_launch * device.clock_hz * device.vpu_operations_per_cycle /
                             static_cast<double>(vector.elements);
    return vector;
}

} // namespace alxsim::hlo
