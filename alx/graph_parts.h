// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/op_graph.h"

#include <string>
#include <vector>

namespace alxsim::alx {

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

/// An op, and others, to wait for.
inline std::vector<int> joined(int op, std::vector<int> others)
{
    others.push_back(op);
    return others;
}

} // namespace alxsim::alx
