// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "model/graph/op_graph.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace alxsim::spmd {

/// Block size of XLA's Cholesky and triangular expanders and of JAX's LU.
constexpr std::int64_t factor_block = 128;

/// What so many f32 numbers take.
inline Bytes f32(std::int64_t numbers)
{
    return Bytes(numbers * 4);
}

/// A product at precision HIGHEST (the expanders' choice): f32 on bf16 hardware in six passes.
model::Matmul highest_matmul(std::int64_t batch, std::int64_t m, std::int64_t k, std::int64_t n);

/// f32 work on arrays whose last dimension is `minor` long, which lies along the lanes: on each
/// element, ...
model::Vector elementwise(std::int64_t elements, double ops_per_element, std::int64_t minor);
/// ... of which division or square root is one; the cheap operations beside it are left out, ...
model::Vector division(std::int64_t elements, std::int64_t minor);
/// ... of matrices that are multiplied by vectors, a batch at a time, as the TPU's compiler does it
/// on the vector unit, ...
model::Vector batched_matvec(std::int64_t elements, std::int64_t minor);
/// ... or with a sum (or a largest) over the last dimension in the end. A sum over the last
/// dimension but one adds whole registers: it is elementwise, and the fold of its last register is
/// left out.
model::Vector row_sums(std::int64_t elements, double ops_per_element, std::int64_t minor);

/// An op of the vector unit.
inline model::Op vector_op(model::Name name, model::Name phase, const model::Vector& work,
                           std::vector<model::BufferUse> reads,
                           std::vector<model::BufferUse> writes, std::vector<int> after)
{
    return {name, phase, work, std::move(reads), std::move(writes), std::move(after), nullptr};
}

/// An f32 op of the vector unit.
inline model::Op vector_op(model::Name name, model::Name phase, std::int64_t elements,
                           double ops_per_element, std::vector<model::BufferUse> reads,
                           std::vector<model::BufferUse> writes, std::vector<int> after)
{
    return {name,
            phase,
            model::Vector{elements, ops_per_element, model::DType::f32},
            std::move(reads),
            std::move(writes),
            std::move(after),
            nullptr};
}

/// An op to wait for; -1: none.
inline std::vector<int> after_op(int op)
{
    return op < 0 ? std::vector<int>{} : std::vector<int>{op};
}

/// An op, and others, to wait for.
inline std::vector<int> joined(int op, std::vector<int> others)
{
    others.push_back(op);
    return others;
}

} // namespace alxsim::spmd
