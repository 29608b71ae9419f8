// SPDX-License-Identifier: Apache-2.0
#include "model/costs/vector_unit.h"

#include "base/portable_math.h"

#include <algorithm>
#include <cmath>

namespace alxsim::model {

namespace {

using topologies::DeviceSpec;

/// Counts the rows of vectors whose last dimension is known.
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

/// Counts those of an ALU for an operation on a register.
double instructions_of(OperationClass operation_class, const DeviceSpec& device)
{
    switch (operation_class) {
    case OperationClass::cheap:
        return 1;
    case OperationClass::medium:
        return device.vpu_medium_op;
    case OperationClass::division:
        return device.vpu_division_op;
    case OperationClass::power:
        return device.vpu_power_op;
    case OperationClass::expensive:
        return device.vpu_expensive_op;
    case OperationClass::matvec:
        return device.vpu_matvec_op;
    case OperationClass::transpose:
        return 0;
    }
    return 1;
}

bool is_transcendental(OperationClass operation_class)
{
    return operation_class == OperationClass::medium ||
           operation_class == OperationClass::division || operation_class == OperationClass::power;
}

/// What each element asks for.
struct PerElement {
    double instructions = 0;
    double pushes = 0;
};

PerElement per_element(const Vector& vector, const DeviceSpec& device)
{
    PerElement sum;
    const auto add = [&](OperationClass operation_class, double operations) {
        const bool cheap = operation_class == OperationClass::cheap;
        const double at_once = cheap ? operations_per_instruction(vector.dtype, device) : 1;
        sum.instructions += operations * instructions_of(operation_class, device) / at_once;
        sum.pushes += is_transcendental(operation_class) ? operations : 0;
    };
    add(vector.operation_class, vector.ops_per_element - vector.singled_out());
    add(OperationClass::medium, vector.medium_per_element);
    add(OperationClass::division, vector.division_per_element);
    add(OperationClass::power, vector.power_per_element);
    add(OperationClass::expensive, vector.expensive_per_element);
    sum.instructions += bytes_of(vector.dtype) < 4 ? device.vpu_bf16_conversion : 0;
    return sum;
}

std::int64_t folds_of(const Vector& vector, std::int64_t registers, const DeviceSpec& device)
{
    if (vector.reduction == Reduction::none) {
        return 0;
    }
    const bool rows_known = vector.reduction == Reduction::lanes && vector.minor > 0;
    return rows_known ? ceil_divide(rows_of(vector), device.vpu_sublanes) : registers;
}

/// Returns those of a TensorCore with `alus` for each word.
double cycles_per_fold(Reduction reduction, double alus, const DeviceSpec& device)
{
    switch (reduction) {
    case Reduction::none:
        return 0;
    case Reduction::lanes:
        return device.xlu_lane_reduction;
    case Reduction::sublanes:
        return (2 * std::ceil(portable::log2(device.vpu_sublanes)) + 1) / alus;
    }
    return 0;
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

double operations_per_instruction(DType dtype, const DeviceSpec& device)
{
    return dtype == DType::bf16 && device.vpu_bf16_packed ? 2 : 1;
}

VectorWork vector_work(const Vector& vector, const DeviceSpec& device)
{
    VectorWork work;
    work.registers = registers_of(vector, device);
    work.folds = folds_of(vector, work.registers, device);
    const double alus = device.vpu_operations_per_cycle /
                        (static_cast<double>(device.vpu_lanes) * device.vpu_sublanes);
    const PerElement each = per_element(vector, device);
    const auto registers = static_cast<double>(work.registers);
    work.instructions = registers * each.instructions;
    work.pushes = registers * each.pushes;
    const bool goes_back =
        vector.operation_class != OperationClass::transpose && vector.reduction == Reduction::none;
    const double passes = goes_back ? registers * std::min(1.0, bytes_of(vector.dtype) / 4) : 0;
    work.arithmetic = whole_cycles(
        std::max({work.instructions / alus, work.pushes * device.eup_push / device.vpus,
                  passes * device.vpu_register_pass / device.vpus}),
        device);
    const auto folds_per_unit = static_cast<double>(ceil_divide(work.folds, device.vpus));
    const double moved = vector.operation_class == OperationClass::transpose
                             ? registers / device.vpus * device.xlu_transpose
                             : 0;
    work.reduction = whole_cycles(
        folds_per_unit * cycles_per_fold(vector.reduction, alus / device.vpus, device) + moved,
        device);
    return work;
}

Cycles vector_cycles(const Vector& vector, const DeviceSpec& device)
{
    const VectorWork work = vector_work(vector, device);
    return work.arithmetic + work.reduction;
}

} // namespace alxsim::model
