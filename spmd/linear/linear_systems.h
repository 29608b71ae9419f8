// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/op_graph.h"

#include <cstdint>
#include <memory>
#include <string>

namespace alxsim::spmd {

/// A batch of square systems A x = b on a device, in f32, and the buffers in which ops find and
/// leave them.
struct LinearSystems {
    std::int64_t systems = 0;
    std::int64_t dim = 0;
    std::string matrices;            ///< [systems x dim x dim]
    std::string rhs;                 ///< [systems x dim]
    std::string solutions;           ///< [systems x dim]
    std::string phase = "solve";     ///< of the ops
    std::string workspace = "solve"; ///< the buffers in between are this with a dot and a name

    std::string between(const std::string& name) const { return workspace + "." + name; }
    /// `per_system` f32 numbers of each.
    Bytes f32(std::int64_t per_system) const { return Bytes(systems * per_system * 4); }
};

// Each adds the ops that solve the systems, and returns the index of the last, on which `effect`
// goes (conjugate gradients: of the loop).

/// L of A = L L^T alone, in the buffer between("factors"); the right-hand sides and solutions are
/// not used.
int add_cholesky(model::OpGraph& graph, const LinearSystems& batch, int after);

/// A = L L^T as XLA's open expander makes it (openxla/xla, cholesky_expander.cc), then two
/// triangular solves. That the TPU's compiler does the same is assumed.
int add_cholesky_solve(model::OpGraph& graph, const LinearSystems& batch, int after,
                       std::shared_ptr<const model::Effect> effect);

/// P A = L U with partial pivoting, then two triangular solves: jnp.linalg.solve. The factorization
/// is a custom TPU kernel since 2020-09 (jax pull request 4291), of which nothing is published.
/// Assumed to do what JAX's open code does (_lu_blocked, _lu_unblocked), batched over the systems,
/// without that code's masks over whole matrices.
int add_lu_solve(model::OpGraph& graph, const LinearSystems& batch, int after,
                 std::shared_ptr<const model::Effect> effect);

/// A = Q R by Householder reflectors, then R x = Q^T b. "I think we implement batched QR by looping
/// on all platforms" (jax issue 8542, 2021-11): one system after the other, each column by column
/// as in XLA's open expander (openxla/xla, qr_expander.cc); only the triangular solve is batched. A
/// matrix stays in VMEM while it is factored. Q is never formed, which JAX would do: its reflectors
/// are applied to b.
int add_qr_solve(model::OpGraph& graph, const LinearSystems& batch, int after,
                 std::shared_ptr<const model::Effect> effect);

/// Conjugate gradients as jax.scipy.sparse.linalg.cg: `iterations` are expected, or as `counter`
/// says that was counted.
struct IterationsExpected {
    std::int64_t iterations = 0;
    std::string counter;
};
int add_conjugate_gradients(model::OpGraph& graph, const LinearSystems& batch,
                            const IterationsExpected& expected, int after,
                            std::shared_ptr<const model::Effect> effect);

} // namespace alxsim::spmd
