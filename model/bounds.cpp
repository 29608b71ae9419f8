// SPDX-License-Identifier: Apache-2.0
#include "model/bounds.h"

#include "model/collectives/collective.h"
#include "model/compiled_graph.h"
#include "model/costs/matmul.h"
#include "model/costs/vector_unit.h"

#include <algorithm>

namespace alxsim::model {
namespace {

double vector_bound(const Vector& vector, const topologies::DeviceSpec& device)
{
    if (vector.operation_class == OperationClass::transpose) {
        return 0;
    }
    return static_cast<double>(vector.elements) * vector.ops_per_element /
           (device.vpu_operations_per_cycle * device.clock_hz *
            operations_per_instruction(vector.dtype, device));
}

double unit_bound(const Work& work, const BufferPlacement& placement,
                  const topologies::Machine& machine)
{
    const topologies::DeviceSpec& device = machine.device;
    if (const auto* matmul = std::get_if<Matmul>(&work)) {
        const double product =
            matmul_operations(*matmul) / (device.matmul_flops() * mxu_rate(matmul->dtype, device));
        return matmul->epilogue ? std::max(product, vector_bound(*matmul->epilogue, device))
                                : product;
    }
    if (const auto* vector = std::get_if<Vector>(&work)) {
        return vector_bound(*vector, device);
    }
    if (const auto* rows = std::get_if<AlongRows>(&work)) {
        return static_cast<double>(rows->rows) * static_cast<double>(rows->length) /
               (device.vpu_operations_per_cycle * device.clock_hz);
    }
    if (const auto* fixed = std::get_if<Fixed>(&work)) {
        return fixed->seconds.count();
    }
    if (const auto* custom = std::get_if<Custom>(&work)) {
        return custom->flops / (device.matmul_flops() * mxu_rate(custom->dtype, device));
    }
    if (const auto* copy = std::get_if<Copy>(&work); copy != nullptr && copy->with_host()) {
        const auto path = topologies::data_path(machine, copy->from, copy->to, copy->io);
        return static_cast<double>(copy->bytes.count()) / path->bytes_per_second;
    }
    if (const auto* collective = std::get_if<Collective>(&work)) {
        return collective_bound(*collective, machine).count();
    }
    if (const auto* repeat = std::get_if<Repeat>(&work)) {
        double longest = 0;
        for (const Op& inner : repeat->body->ops) {
            longest = std::max(longest, physical_bound(inner, placement, machine).count());
        }
        return longest * static_cast<double>(repeat->times);
    }
    return 0;
}

double work_bound(const Op& op, const Work& work, const BufferPlacement& placement,
                  const topologies::Machine& machine)
{
    const OpCost cost = op_cost(op, work, placement, machine);
    const double hbm = static_cast<double>(cost.hbm.bytes.count());
    return std::max(unit_bound(work, placement, machine),
                    hbm / machine.device.hbm_chip_bytes_per_second);
}

} // namespace

Seconds physical_bound(const Op& op, const BufferPlacement& placement,
                       const topologies::Machine& machine)
{
    if (!op.work_of_device) {
        return Seconds(work_bound(op, op.work, placement, machine));
    }
    double longest = 0;
    for (const Work& work : *op.work_of_device) {
        longest = std::max(longest, work_bound(op, work, placement, machine));
    }
    return Seconds(longest);
}

} // namespace alxsim::model
