// SPDX-License-Identifier: Apache-2.0
#include "model/costs/vector_unit.h"

#include "base/portable_math.h"

#include <cmath>

namespace alxsim::model {

namespace {

using topologies::DeviceSpec;

/// Of vectors whose last dimension is known.
std::int64_t rows_of(const Vector& vector)
{
    return ceil_divide(vector.elements, vector.minor);
}

std::int64_t registers_of(const Vector& vector, const DeviceSpec& device)
{
    if (vector.minor == 0) {
        const std::int64_t words =
            static_cast<std::int64_t>(device.vpu_lanes) * device.vpu_sublanes;
        return ceil_divide(vector.elements, words);
    }
    return ceil_divide(vector.minor, device.vpu_lanes) *
           ceil_divide(rows_of(vector), device.vpu_sublanes);
}

double cycles_per_operation(OperationClass operation_class, const DeviceSpec& device)
{
    switch (operation_class) {
    case OperationClass::cheap:
        return 1;
    case OperationClass::medium:
        return static_cast<double>(device.vpu_medium_op.count());
    case OperationClass::expensive:
        return static_cast<double>(device.vpu_expensive_op.count());
    case OperationClass::matvec:
        return device.vpu_matvec_op;
    }
    return 1;
}

/// Of an ALU for one element, all its operations.
double cycles_per_element(const Vector& vector, const DeviceSpec& device)
{
    const double singled_out = vector.medium_per_element + vector.expensive_per_element;
    return (vector.ops_per_element - singled_out) *
               cycles_per_operation(vector.operation_class, device) +
           vector.medium_per_element * cycles_per_operation(OperationClass::medium, device) +
           vector.expensive_per_element * cycles_per_operation(OperationClass::expensive, device);
}

std::int64_t folds_of(const Vector& vector, std::int64_t registers, const DeviceSpec& device)
{
    if (vector.reduction == Reduction::none) {
        return 0;
    }
    const bool rows_known = vector.reduction == Reduction::lanes && vector.minor > 0;
    return rows_known ? ceil_divide(rows_of(vector), device.vpu_sublanes) : registers;
}

double cycles_per_fold(Reduction reduction, const DeviceSpec& device)
{
    if (reduction == Reduction::none) {
        return 0;
    }
    return reduction == Reduction::lanes ? static_cast<double>(device.xlu_lane_reduction.count())
                                         : std::ceil(portable::log2(device.vpu_sublanes));
}

/// Refuses what 64 bits cannot count: it would take longer than simulated time lasts, too.
Cycles whole_cycles(double cycles, const DeviceSpec& device)
{
    if (cycles > 1e18) {
        refuse_duration(cycles / device.clock_hz);
    }
    return Cycles(rounded_up(cycles));
}

} // namespace

VectorWork vector_work(const Vector& vector, const DeviceSpec& device)
{
    VectorWork work;
    work.registers = registers_of(vector, device);
    work.packs = vector.dtype == DType::bf16 ? 2 * ceil_divide(work.registers, 2) : 0;
    work.folds = folds_of(vector, work.registers, device);
    const double alus = device.vpu_operations_per_cycle /
                        (static_cast<double>(device.vpu_lanes) * device.vpu_sublanes);
    const double operations =
        static_cast<double>(work.registers) * cycles_per_element(vector, device);
    work.arithmetic = whole_cycles((operations + static_cast<double>(work.packs)) / alus, device);
    const auto folds_per_unit = static_cast<double>(ceil_divide(work.folds, device.vpus));
    work.reduction =
        whole_cycles(folds_per_unit * cycles_per_fold(vector.reduction, device), device);
    return work;
}

Cycles vector_cycles(const Vector& vector, const DeviceSpec& device)
{
    const VectorWork work = vector_work(vector, device);
    return work.arithmetic + work.reduction;
}

} // namespace alxsim::model
