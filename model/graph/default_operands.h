// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/op_graph.h"
#include "model/graph/program.h"

#include <string>
#include <vector>

namespace alxsim::model {

/// Gives a matmul or vector op buffers of its own for what it reads, for what it writes or for both
/// where nobody says where that stands: [m x k], [k x n] and [m x n] of each product, an operand
/// and a result of as many elements as a vector op has. What i8 and i4 are multiplied to is i32,
/// what 8 bits and fewer of floating point are is bf16. A vector op that reduces over lanes writes
/// an element for each `minor`; what any other reduction leaves is taken to be small: nothing. The
/// buffers stand in HBM while the op runs, are read or written once, and are named "operands.NAME".
/// Other work keeps what it has. Returns the buffers. Throws InputError for one of more than 1e15
/// bytes.
std::vector<Buffer> add_default_operands(Op& op, bool reads, bool writes, const std::string& name);

/// A sentence on such operands of a graph or a program, without a capital and a full stop: how many
/// ops, of a graph how many bytes, how to say otherwise. "" where there are none.
std::string default_operands_note(const OpGraph& graph);
std::string default_operands_note(const Program& program);

} // namespace alxsim::model
