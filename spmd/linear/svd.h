// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/op_graph.h"
#include "spmd/linear/matrices.h"

#include <cstdint>
#include <memory>
#include <string>

namespace alxsim::spmd {

/// a [rows x columns] = u diag(s) vt with k = min(rows, columns): u [rows x k] with orthonormal
/// columns, s [k] descending and none negative, vt [k x columns] with orthonormal rows, of each the
/// entry of largest magnitude positive. float or double; row-major. All NaN where a number of `a`
/// is not finite.
template <class Real>
void svd(const Real* a, std::int64_t rows, std::int64_t columns, Real* u, Real* s, Real* vt);

/// Where ops leave an SVD, per matrix: u [rows x k], s [k], v [columns x k].
struct SvdBuffers {
    std::string u, s, v;
};

/// Adds the ops of the same as JAX has them on TPUs (jax, tpu/linalg/svd.py): a QR first where the
/// longer side is more than 1.15 times the shorter, the polar decomposition of what is left, the
/// eigenvalues of its symmetric factor, and products. The QR that JAX adds where the matrix turns
/// out to have no full rank is left out. Returns the index of the last op, on which `effect` goes.
int add_svd(model::OpGraph& graph, const Matrices& a, const SvdBuffers& buffers, int after,
            std::shared_ptr<const model::Effect> effect);

/// The operations of a textbook's SVD by a QR first (R-SVD), with k columns of U and V: 6 m n^2 +
/// 20 n^3 for m >= n. Golub and Van Loan, Matrix Computations, 4th edition, section 8.6.3.
double svd_operations(std::int64_t rows, std::int64_t columns);

} // namespace alxsim::spmd
