// SPDX-License-Identifier: Apache-2.0
#include "spmd/linear/op_parts.h"

namespace alxsim::spmd {

model::Matmul highest_matmul(std::int64_t batch, std::int64_t m, std::int64_t k, std::int64_t n)
{
    model::Matmul matmul;
    matmul.batch = batch;
    matmul.m = m;
    matmul.k = k;
    matmul.n = n;
    matmul.dtype = model::DType::f32;
    matmul.passes = 6;
    return matmul;
}

model::Vector elementwise(std::int64_t elements, double ops_per_element, std::int64_t minor)
{
    model::Vector vector;
    vector.elements = elements;
    vector.ops_per_element = ops_per_element;
    vector.minor = minor;
    return vector;
}

model::Vector division(std::int64_t elements, std::int64_t minor)
{
    model::Vector vector = elementwise(elements, 1, minor);
    vector.operation_class = model::OperationClass::division;
    return vector;
}

model::Vector batched_matvec(std::int64_t elements, std::int64_t minor)
{
    model::Vector vector = elementwise(elements, 1, minor);
    vector.operation_class = model::OperationClass::matvec;
    return vector;
}

model::Vector row_sums(std::int64_t elements, double ops_per_element, std::int64_t minor)
{
    model::Vector vector = elementwise(elements, ops_per_element, minor);
    vector.reduction = model::Reduction::lanes;
    return vector;
}

} // namespace alxsim::spmd
