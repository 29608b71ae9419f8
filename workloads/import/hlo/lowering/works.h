// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/work.h"
#include "workloads/import/hlo/lowering/fused_work.h"
#include "workloads/import/hlo/lowering/traffic.h"

#include <optional>
#include <vector>

namespace alxsim::hlo {

/// The types in which an MXU takes a product's operands. Of two types the one with more bits; f32,
/// and what an MXU has not, in as many bf16 passes as the precision asks for.
model::DType operands_dtype(const Product& product);
/// The nearest that the op graph has.
model::DType nearest_dtype(DType dtype);

/// What an op of ours does; of a gather or scatter with the operand that its table is.
struct LoweredWork {
    model::Work work;
    int table = -1; ///< an operand of the instruction; -1: none
};

/// Fused work as works of ours, one behind the other: each product a matmul, the largest of which
/// has all vector work as its epilogue; work along rows; else a vector op. Rows that become columns
/// inside a product's fusion are left out, since arrays take operands either way. A vector op that
/// transposes is of that class where its other operations are few. Nothing for what only moves
/// bytes.
std::vector<LoweredWork> works_of(const FusedWork& fused);

} // namespace alxsim::hlo
