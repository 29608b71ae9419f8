// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/op_graph.h"
#include "spmd/linear/matrices.h"

#include <string>

namespace alxsim::spmd {

/// How often the polar decomposition iterates.
struct PolarIterations {
    int with_qr = 0;
    int with_cholesky = 0;
};

/// Returns those of f32 numbers, from the smallest singular value that they can tell from 0: jax,
/// tpu/linalg/qdwh.py, whose recurrence is of Nakatsukasa, Bai, Gygi (2010, doi
/// 10.1137/090774999). With QR where a weight is above 100.
PolarIterations polar_iterations();

/// Adds the ops of A = U H, U [rows x columns] with orthonormal columns and H [columns x columns]
/// symmetric, by dynamically weighted Halley iterations (QDWH): what JAX's eigenvalues and singular
/// values stand on where a TPU computes them, in products but for the QR of its first iterations.
/// Iterations beyond those counted here, for which a matrix may ask, are left out. Returns the
/// index of the last op.
int add_polar(model::OpGraph& graph, const Matrices& a, const std::string& u, const std::string& h,
              int after);

} // namespace alxsim::spmd
