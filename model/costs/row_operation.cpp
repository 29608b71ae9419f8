// SPDX-License-Identifier: Apache-2.0
#include "model/costs/row_operation.h"

#include "base/portable_math.h"

#include <algorithm>
#include <cmath>

namespace alxsim::model {

namespace {

using topologies::DeviceSpec;

constexpr double index_bytes = 4;

double registers_of(const AlongRows& work, const DeviceSpec& device)
{
    return static_cast<double>(ceil_divide(work.rows, device.vpu_sublanes)) *
           static_cast<double>(ceil_divide(work.length, device.vpu_lanes));
}

/// Counts the stages of a network for so many numbers, or the next power of two.
double stages_of(std::int64_t length)
{
    const double levels = std::ceil(portable::log2(static_cast<double>(length)));
    return levels * (levels + 1) / 2;
}

double bundles_of(const AlongRows& work, const DeviceSpec& device)
{
    const double registers = registers_of(work, device);
    switch (work.operation) {
    case RowOperation::sort:
        return registers * stages_of(work.length) * device.sort_stage;
    case RowOperation::top_k:
        return registers *
               std::min(static_cast<double>(work.k), std::max(1.0, stages_of(work.length))) *
               device.sort_stage;
    case RowOperation::argmax:
        return registers * device.argmax +
               1.5 * static_cast<double>(ceil_divide(work.rows, device.vpu_sublanes)) *
                   device.xlu_lane_reduction;
    case RowOperation::cumsum:
        return registers * device.cumulative_sum;
    }
    return 0;
}

double bytes_of_a_number(const AlongRows& work)
{
    return bytes_of(work.dtype) + index_bytes;
}

} // namespace

Cycles row_operation_cycles(const AlongRows& work, const DeviceSpec& device)
{
    const double cycles = bundles_of(work, device) / device.vpus;
    if (cycles > 1e18) {
        refuse_duration(cycles / device.clock_hz);
    }
    return Cycles(rounded_up(cycles));
}

std::int64_t hbm_passes(const AlongRows& work, const DeviceSpec& device)
{
    if (work.operation != RowOperation::sort) {
        return 0;
    }
    const double of_a_part = static_cast<double>(device.vmem.count()) /
                             (2 * device.vpu_sublanes * bytes_of_a_number(work));
    const double levels =
        std::ceil(portable::log2(std::max(1.0, static_cast<double>(work.length) / of_a_part)));
    return static_cast<std::int64_t>(levels * (levels + 1) / 2 + levels);
}

Bytes pass_bytes(const AlongRows& work)
{
    return Bytes(static_cast<std::int64_t>(static_cast<double>(work.rows) *
                                           static_cast<double>(work.length) *
                                           bytes_of_a_number(work)));
}

} // namespace alxsim::model
