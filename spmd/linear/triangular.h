// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spmd/linear/op_parts.h"

#include <string>

namespace alxsim::spmd {

/// L X = B for a batch of systems: L [systems x dim x dim] triangular, B [systems x dim x columns],
/// both f32.
struct TriangularSolve {
    std::string phase;     ///< of its ops
    std::string workspace; ///< of buffers in between: "solve"
    std::string name;      ///< "forward": of the ops and of the buffers in between
    std::int64_t systems = 0;
    std::int64_t dim = 0;
    std::int64_t columns = 1;
    std::string factors; ///< buffer of L, which may be part of a larger one
    std::string rhs;     ///< buffer of B
    std::string target;  ///< buffer of X
};

/// Adds the ops of XLA's open expander (openxla/xla, triangular_solve_expander.cc), each vectorised
/// over the batch. Small systems: row by row. Others: the diagonal blocks are inverted in a loop
/// over their rows, then the blocks of X are products. That the TPU's compiler, which may replace
/// the expander's parts, does the same is assumed. Returns the index of the last op.
int add_triangular_solve(model::OpGraph& graph, const TriangularSolve& solve, int after);

} // namespace alxsim::spmd
