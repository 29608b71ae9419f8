// SPDX-License-Identifier: Apache-2.0
#include "spmd/projection_ops.h"

namespace alxsim::spmd {

ProjectionArrays add_projection(StepBuilder& step, const RandomProjection& projection,
                                std::int64_t vectors, model::DType dtype, const std::string& axis)
{
    const int devices = step.mesh().length(axis);
    const std::int64_t columns = projection.numbers() / devices;
    ProjectionArrays arrays;
    arrays.x = step.array("vectors", {vectors, columns}, dtype);
    arrays.matrices.resize(projection.modes());
    arrays.projected = arrays.x;
    ModeShape shape{vectors * columns, 1, 1};
    for (std::size_t mode = projection.modes(); mode-- > 0;) {
        const bool is_last = mode == 0;
        const std::string number = std::to_string(mode + 1);
        const std::int64_t m = projection.m()[mode];
        const std::int64_t length = projection.n()[mode] / (is_last ? devices : 1);
        shape = {shape.outer / length, length, shape.inner};
        arrays.matrices[mode] = step.array("matrix." + number, {m, length}, dtype);
        const Array next =
            step.array("projected." + number, {vectors, shape.outer * m * shape.inner / vectors},
                       is_last && dtype == model::DType::bf16 ? model::DType::f32 : dtype);
        step.multiply_mode("mode " + number, "mode." + number, arrays.matrices[mode],
                           arrays.projected, shape, next,
                           is_last ? SumOrder::in_pairs : SumOrder::ascending);
        shape.inner *= m;
        arrays.projected = next;
    }
    step.collective("sum", model::CollectiveKind::all_reduce, axis, arrays.projected,
                    arrays.projected, 0, Combine::sum_in_pairs);
    return arrays;
}

} // namespace alxsim::spmd
