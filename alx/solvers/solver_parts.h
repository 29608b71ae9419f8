// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/op_graph.h"

#include <cstdint>
#include <string>

namespace alxsim::alx {

/// Block size of XLA's Cholesky and triangular expanders and of JAX's LU.
constexpr std::int64_t factor_block = 128;

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

/// L X = B for a batch of systems: L [systems x dim x dim] triangular, B [systems x dim x columns],
/// both f32.
struct TriangularSolve {
    std::string name; ///< "forward": of the ops and of the buffers in between
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

} // namespace alxsim::alx
